// Made by scripts/generate-schema.mjs from the server's OpenAPI document. Do not edit.

export interface paths {
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Liveness */
        get: operations["live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics
         * @description In the text format of Prometheus. They contain counts and times of this process and of the queues of all tenants, but no
         *     tenant's data. Clients on this machine can read them, and clients that send the `metrics_token` as a bearer token. A
         *     request through a reverse proxy does not count as from this machine, unless the proxy is trusted and says so.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness
         * @description Lists the state of each dependency. A server that works in part responds 200 with `degraded`: for example, without a
         *     sandbox it accepts and finds documents, but does not read new ones.
         */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List API keys */
        get: operations["list_api_keys"];
        put?: never;
        /**
         * Create an API key
         * @description The key is valid until it expires or is revoked, and while the user who created it is active. The response is the only
         *     one that contains the key. The route does not support `Idempotency-Key`, because replaying the response would require
         *     storing the secret.
         */
        post: operations["create_api_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an API key */
        get: operations["find_api_key"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Takes effect at once on this server, and within a minute on all others.
         */
        delete: operations["revoke_api_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a question
         * @description Answers from the documents with citations, or abstains if they do not answer the question. With `Accept:
         *     text/event-stream` the response has the event `passages`, then `delta`s of an answer that is not verified yet, then the
         *     verified `answer`, which replaces them; or a `problem`.
         */
        post: operations["ask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log
         * @description Newest first.
         */
        get: operations["list_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List signed checkpoints of the audit log
         * @description For storage outside of Docket: a later change of rows that a checkpoint covers contradicts it.
         */
        get: operations["list_audit_checkpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the audit log
         * @description Recomputes every hash of the tenant's chain, and compares the log with its signed checkpoints. At most one check runs
         *     per tenant, and two per server; beyond that, the response is 503, `audit_check_running`.
         */
        get: operations["verify_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Returns a token that is valid until `expires_at`, or until the user signs out or is changed.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Revokes the token of the request.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List batches
         * @description Newest first.
         */
        get: operations["list_batches"];
        put?: never;
        /** Create a batch */
        post: operations["create_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a batch */
        get: operations["find_batch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add documents to a batch
         * @description Accepts many files; their headers and the other fields may have up to 256 kB in total. Each file is accepted or refused
         *     separately, as the response says. A title, a password and tags apply to the next file in the form.
         */
        post: operations["add_to_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the results of a batch
         * @description The documents of the batch in the order they were added, each with its current result. The `Accept` header or `format`
         *     selects a page as JSON (the default), or all documents as NDJSON (`application/x-ndjson`, one line per document) or as
         *     CSV (`text/csv`). The CSV has one row per field, named by its path, and one row for a document without fields. An
         *     apostrophe precedes texts that a spreadsheet would run as a formula.
         */
        get: operations["list_batch_results"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the server's configuration
         * @description Every setting of the server that responds, with its source and its purpose. For a secret, only whether it is set. Paths,
         *     hosts and limits concern the operator, so only administrators of the operator's tenant, the first one, can view it.
         *     Administrators of other tenants get 403.
         */
        get: operations["see_configuration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/document-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List document types
         * @description The types that documents can have: the tenant's own, and the built-in ones that it does not replace.
         */
        get: operations["list_document_types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/document-types/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a document type
         * @description Its definition in the current version or in another one. Versions never change.
         */
        get: operations["find_document_type"];
        /**
         * Create or change a document type
         * @description Adds a version, unless the definition is the current one. Documents that are processed from now on use it. A type with the
         *     name of a built-in one replaces that one for the tenant.
         *
         *     With `If-Match` and the `ETag` of the version that you changed, the request is refused when another version was stored
         *     meanwhile (409, `document_type_changed`). With `If-None-Match: *` it creates a type, and is refused when there is one with
         *     this name (409, `document_type_exists`).
         */
        put: operations["put_document_type"];
        post?: never;
        /**
         * Withdraw a document type
         * @description No document gets the tenant's own type any more, and a built-in type of the same name is used again. The versions stay
         *     readable, because results name them.
         */
        delete: operations["withdraw_document_type"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/document-types/{name}/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a document type on a document
         * @description Extracts the fields of a document as the type defines them, from the pages that it has, and stores nothing. The request can
         *     have a definition that is not stored; otherwise the current version of the type is tried. The name `auto` tries which type
         *     Docket recognises. One dry run of a tenant runs at a time.
         */
        post: operations["dry_run_document_type"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/document-types/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions of a document type */
        get: operations["list_document_type_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List documents
         * @description The latest uploads first, unless `sort` says otherwise; without `status`, only active documents. A list by one status,
         *     type, source, tag, batch or owner uses an index, however many documents there are. With several conditions, or with
         *     `search`, one such list is scanned for documents that match the others, at most 10,000 documents per page. A page may
         *     then have fewer than `limit` items, or none, and still a `next_cursor`. The list ends only when there is no
         *     `next_cursor`.
         *
         *     Callers who see only their own documents sort by the titles they gave.
         */
        get: operations["list_documents"];
        put?: never;
        /**
         * Upload a document (alias)
         * @description The same as `POST /v1/ingest`.
         */
        post: operations["create_document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count documents by facet
         * @description Each facet counts the documents that match all conditions except its own, so that it shows the alternatives.
         *     The newest 10,000 documents are scanned. If these are all, every count is exact and `is_complete` is true (for tags: if
         *     there are at most the 20 that are listed). Otherwise the counts are of those 10,000, `at_least` is true, and values that
         *     none of them has are missing. Without conditions, callers who see all documents of the tenant always get complete
         *     counts of status, type and source, each exact below 10,000.
         */
        get: operations["count_facets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/orphans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List documents that never got a version */
        get: operations["list_orphans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/stats/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count documents by status */
        get: operations["count_documents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/trades/{id}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a link to the original of a trade (alias)
         * @description The same as `GET /v1/trades/{id}/pdf`.
         */
        get: operations["link_to_pdf_of_trade"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a document
         * @description With its versions, its latest runs and their stages, its attachments and its trades.
         */
        get: operations["find_document"];
        put?: never;
        post?: never;
        /**
         * Delete a document
         * @description Nobody can see, find or read the document or its runs, and links to it stop working. Its rows and its original stay in
         *     the database and the object store until they are erased.
         */
        delete: operations["delete_document"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw a document
         * @description Deactivates its active version. Nothing is deleted.
         */
        post: operations["deactivate_document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/original": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a link to the original
         * @description Anyone with the link can read the original, until the link expires, the document is deleted, or the caller who created
         *     it may no longer read the original. The original of a document with masks, or that contains a deleted file, is for
         *     administrators only (403, `original_is_masked` or `original_holds_deleted`).
         */
        get: operations["link_to_original"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/pages/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a page
         * @description Its words, blocks, tables and key-values.
         */
        get: operations["get_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/pages/{page}.png": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a page image
         * @description The page as a PNG image, with masks applied.
         */
        get: operations["get_page_image"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a link to the original (alias)
         * @description The same as `GET /v1/documents/{id}/original`.
         */
        get: operations["link_to_pdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rerun a document
         * @description The current version stays active until the new run succeeds. A form with a file updates the original: the document keeps
         *     its id, its owners and their titles, and gets a new version once the run succeeds. The file must have the document's
         *     file kind. A file with the document's current content is a plain rerun; a file with the content of another document is
         *     refused (409, `content_is_another_document`).
         */
        post: operations["rerun_document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the result of a document
         * @description The current result: its fields with their evidence, trades, lines, checks and warnings. 404 when the document has none.
         *     A result from before a mask is for administrators only (403, `run_is_before_mask`).
         */
        get: operations["get_result"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the results of a document
         * @description The latest version first. Results that the caller may not read are left out.
         */
        get: operations["list_results"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/results/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a version of the result of a document */
        get: operations["find_result"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/results/{version}/diff/{other}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two results of a document
         * @description Field by field, from the first version to the second.
         */
        get: operations["compare_results"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/results/{version}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Promote a result
         * @description Makes a copy of this version the current result, as a new version. Results of later runs wait for promotion from then
         *     on. The current result cannot be promoted (409, `result_is_current`).
         */
        post: operations["promote_result"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retry a failed document */
        post: operations["retry_document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Tag a document
         * @description Replaces all tags of the document.
         */
        put: operations["tag_document"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the text of a document */
        get: operations["get_text"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/title": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Rename a document
         * @description Administrators and reviewers change the title for everyone. Other owners of the document change it for themselves
         *     only. The file name stays as it is.
         */
        put: operations["rename_document"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/view": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a link to the page view
         * @description The page view of a Word, Excel, PowerPoint, HTML or mail file: one HTML document that looks like the original,
         *     without scripts, and loads nothing. Other kinds have none (409, `no_page_view`): PDFs and images have pictures
         *     of their pages. A view shows the original without masks, so it needs the same permission as the original.
         */
        get: operations["link_to_page_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow events
         * @description Server-sent events about the documents and batches that the caller may see: `document.queued`, `document.started`,
         *     `document.paused`, `document.completed`, `document.failed`, `document.renamed`, `document.result_created`,
         *     `batch.completed`, `batch.partial`; and, for callers who see all documents, `dead_jobs.changed` when the list of dead jobs has changed. After an interruption, send the id of the
         *     last event as `Last-Event-ID`: the stream resumes after it, and no event is missed.
         *
         *     Two messages have no `id`, so they do not change `Last-Event-ID`:
         *     - `document.progress` reports the progress of a running stage: `doc_id`, `run_id`, `stage`, `done` and `total`. It is
         *       sent about once a second and is not stored.
         *     - `stream.reset` is the first message if events are missing after the `Last-Event-ID`. Reload the data that you show.
         *       Its `reason` is `events_pruned` (the missing events were deleted; the setting `events_kept_days` says how long events
         *       are kept) or `unknown_event` (the server does not know that id). The stream continues with the oldest stored event.
         *
         *     The stream ends when the caller's access ends: signed out, deactivated, revoked or expired.
         */
        get: operations["follow_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an original with a link
         * @description Needs no credential: the link works with the permissions of its creator, while they are active and may read the
         *     original. If the original is in a bucket, the response redirects to a URL of the object store that is valid for a
         *     minute. Each read is recorded in the audit log; requests from one client within ten minutes count as one.
         */
        get: operations["follow_link"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ids/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find an id by its last digits
         * @description The documents, runs, batches and dead jobs whose ids end with these 4 to 32 hexadecimal digits, as far as the
         *     caller may see them. The last digits of an id are random; the first ones are the time of its creation.
         */
        get: operations["find_ids"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload a document
         * @description A document is identified by its content: the same content again is skipped, or joins the run in progress.
         */
        post: operations["ingest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingestion-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs
         * @description Newest first.
         */
        get: operations["list_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingestion-runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a run */
        get: operations["find_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingestion-runs/{id}/artifacts/{stage}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an artifact of a stage
         * @description Everyone who sees the document can read the run of its active version, or its latest run while no version is active.
         *     Only administrators and reviewers can read older runs (403, `run_is_older`), and only administrators can read runs from
         *     before a mask was added (403, `run_is_before_mask`).
         */
        get: operations["get_artifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description Newest first. `closed_by` of a dead job says why it needs no attention.
         */
        get: operations["list_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/dead": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dead jobs
         * @description Dead jobs that need attention, at most one per document. Each says what happened, in which stage, after how many
         *     attempts, and what to do. A dead job leaves the list when its document is deleted or withdrawn, when a later run
         *     replaces its run, or when it is discarded.
         */
        get: operations["list_dead_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/dead/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discard dead jobs
         * @description Discarded jobs need no attention; their documents stay failed, with the reason. Both can still be retried or rerun. Jobs
         *     that are not dead or already need no attention are skipped, and the response says why.
         */
        post: operations["discard_dead_jobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/dead/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requeue dead jobs
         * @description Requeues dead jobs that need attention and match every condition of the body, oldest first, at most 1000 per request.
         */
        post: operations["requeue_dead_jobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a job */
        get: operations["find_job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a dead job
         * @description A discarded job can be retried too, but not a job whose document was deleted (`document_deleted`), nor one whose run was
         *     replaced by a later run (`job_superseded`).
         */
        post: operations["retry_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/knowledge-base": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the knowledge base
         * @description The documents that search and answers can use for the caller, newest first. Others influence no answer.
         */
        get: operations["list_knowledge_base"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/layout-memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the layout memory
         * @description What confirmed documents taught about later documents of the same issuers: one entry for each document and type, the one
         *     that was learnt last first. The guide "Layout memory" explains how entries are used.
         */
        get: operations["list_layout_memory"];
        put?: never;
        post?: never;
        /**
         * Delete the layout memory of a document type
         * @description Useful after the fields of a type were changed. Results stay as they are.
         */
        delete: operations["delete_layout_memory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/layout-memory/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an entry of the layout memory
         * @description Later documents are extracted without what this one taught. Results stay as they are.
         */
        delete: operations["delete_layout_memory_entry"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Model Context Protocol
         * @description One JSON-RPC message: `initialize`, `ping`, `tools/list` or `tools/call` with `search`, `ask` or
         *     `get_document`. Notifications are accepted without a response.
         */
        post: operations["mcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the current caller */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your own password
         * @description Requires the current password. Ends all other sessions of the user; the caller continues with the token in the response.
         */
        put: operations["change_own_password"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign out everywhere
         * @description Ends every session of the user, including the token of the request. API keys stay valid.
         */
        delete: operations["logout_everywhere"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quality": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Measure the quality of extraction
         * @description The measured error of accepted fields with its confidence interval, and the share of values that were accepted: by
         *     document type, by field and over time. Also says from which confidence on fields are accepted, and why none are.
         */
        get: operations["measure_quality"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List queues */
        get: operations["list_queues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description The job of the run becomes a dead job; retrying that job resumes the run.
         */
        post: operations["cancel_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search (GET) */
        get: operations["search_by_address"];
        put?: never;
        /**
         * Search
         * @description By keywords and by meaning, in the active documents that the caller may see.
         */
        post: operations["search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the tenant
         * @description Its rules, limits and usage.
         */
        get: operations["look_at_tenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenant/acceptance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the accepted error rate
         * @description Replaces the error rates that are accepted without review, for the tenant and for each document type, and the share of
         *     accepted documents that is reviewed anyway. They apply to documents that are processed from now on.
         */
        put: operations["change_acceptance"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenant/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the tenant's rules
         * @description Replaces masks and pipeline. They apply to uploads and reruns from now on: existing documents keep their results until you rerun
         *     them.
         */
        put: operations["change_rules"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List trades
         * @description Newest first. Trades of results that the caller may not read are left out.
         */
        get: operations["list_trades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trades/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a trade */
        get: operations["find_trade"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trades/{id}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a link to the original of a trade
         * @description The same as `GET /v1/documents/{id}/original` for the document of the trade.
         */
        get: operations["link_to_trade_pdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users */
        get: operations["list_users"];
        put?: never;
        /** Add a user */
        post: operations["create_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a user */
        get: operations["find_user"];
        put?: never;
        post?: never;
        /**
         * Deactivate a user
         * @description They can no longer sign in. The audit log keeps what they did.
         */
        delete: operations["deactivate_user"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Changes the role or the password, or deactivates or reactivates the user. Ends the user's sessions.
         */
        patch: operations["update_user"];
        trace?: never;
    };
    "/v1/views/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a page view
         * @description It needs no credential: the link is followed on behalf of its creator, as long as the creator is active and may
         *     read the original. The `Content-Security-Policy` of the response puts it into a sandbox.
         */
        get: operations["show_page_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The error rate that the tenant accepts without review. What is absent has its default. */
        AcceptanceView: {
            /**
             * Format: double
             * @description The share of wrong values among accepted fields: 0.02 for 2 %, the default. 0 sends every field to review.
             * @example 0.02
             */
            accepted_error_rate?: number | null;
            /**
             * Format: double
             * @description The share of accepted documents that is sent to review anyway, by chance: 0.02 for 2 %, the default.
             * @example 0.02
             */
            review_share?: number | null;
            /**
             * @description What differs for a document type, by its name.
             * @example {
             *       "invoice": {
             *         "accepted_error_rate": 0.01
             *       }
             *     }
             */
            types?: {
                [key: string]: components["schemas"]["TypeAcceptanceView"];
            };
        };
        ApiKeyPage: {
            items: components["schemas"]["ApiKeyView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        ApiKeyView: {
            /** Format: uuid */
            api_key_id: string;
            /** Format: date-time */
            created_at: string;
            created_by?: components["schemas"]["KeyCreatorView"] | null;
            /**
             * Format: date-time
             * @description Null if it does not expire.
             */
            expires_at?: string | null;
            /**
             * Format: date-time
             * @description Accurate to about 15 seconds.
             */
            last_used_at?: string | null;
            name: string;
            /**
             * @description The public beginning of the key.
             * @example dk_Zk3xPq0aBc9d
             */
            prefix: string;
            /** Format: date-time */
            revoked_at?: string | null;
            role: components["schemas"]["RoleName"];
        };
        /** @description An area of a page. */
        AreaView: {
            /** @description Left, top, right, bottom, in points from the top left corner. */
            box: number[];
            /** Format: int32 */
            page: number;
        };
        /** @description An artifact as it is stored, and as clients of the API see it. */
        Artifact: {
            /**
             * Format: uuid
             * @description The document that an attachment became.
             * @default null
             */
            doc_id?: string | null;
            /**
             * @description The file name of an attachment in its document.
             * @default null
             */
            file_name?: string | null;
            /**
             * @description Its key in the object store; absent when it became a document of its own.
             * @default null
             */
            key?: string | null;
            /** @default null */
            media_type?: string | null;
            /**
             * @default
             * @example pages.dkt
             */
            name: string;
            /**
             * Format: int32
             * @description How many pages it has.
             * @default null
             */
            pages?: number | null;
            /** @default null */
            sha256?: string | null;
            /**
             * Format: int64
             * @default null
             */
            size_bytes?: number | null;
            /**
             * Format: int32
             * @description The version of this format; absent in the oldest entries.
             * @default null
             */
            version?: number | null;
            /**
             * Format: int32
             * @description How many of them need OCR.
             * @default null
             */
            wanting_ocr?: number | null;
        };
        /**
         * @example {
         *       "question": "When does the lease end?"
         *     }
         */
        AskBody: {
            filters?: components["schemas"]["SearchFilters"];
            /** @example When does the lease end? */
            question: string;
        };
        AskResponse: {
            abstained: boolean;
            /** @description Null for an abstention. */
            answer?: string | null;
            citations: components["schemas"]["CitationView"][];
            /**
             * Format: float
             * @description How likely the answer is right, from 0 to 1.
             */
            confidence: number;
            /** @description The closest passages, for an abstention. */
            nearest: components["schemas"]["HitView"][];
            /**
             * @description The language model that answered, or `extractive`: a quote of the best sentence.
             * @example extractive
             */
            provider: string;
            /** @description Why there is no answer. */
            reason?: string | null;
            sentences: components["schemas"]["SentenceView"][];
            warnings: string[];
        };
        /** @description An attachment of this document, or a document that this one is an attachment of. */
        AttachmentView: {
            /** Format: uuid */
            doc_id: string;
            /** @description The name of the attachment in the containing document. */
            name: string;
            /**
             * @description `within` for an attachment of this document, `around` for a document that contains it.
             * @example within
             */
            place: string;
            status: components["schemas"]["DocumentStatus"];
            title: string;
        };
        AuditEntryView: {
            /** @example USER_LOGIN */
            action: string;
            /** @description A user's id, `api_key:` and a key's id, or `system`. */
            actor: string;
            /** @description The current email address of the user, or name of the key. It is not part of the hash. */
            actor_name?: string | null;
            /** Format: uuid */
            audit_id: string;
            detail: Record<string, never>;
            /** Format: uuid */
            entity_id: string;
            /** @example user */
            entity_type: string;
            /** @description The hash of the row in the hash chain, in hexadecimal. */
            hash: string;
            /**
             * Format: int32
             * @description The chain shard of the row, and its position there.
             */
            lane: number;
            /** Format: int64 */
            position: number;
            trace_id?: string | null;
            /** Format: date-time */
            ts: string;
            /** Format: uuid */
            user_id?: string | null;
        };
        AuditPage: {
            items: components["schemas"]["AuditEntryView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        BTreeMap: {
            [key: string]: {
                /** @description Other candidates, the best first. */
                alternatives: components["schemas"]["FieldAlternative"][];
                /** @description Left, top, right and bottom in points from the top left corner of the page as displayed. */
                box?: number[] | null;
                /** @description The names of the checks that used this field. */
                checks: string[];
                /**
                 * Format: double
                 * @description The calibrated probability that the value is correct, from 0 to 1.
                 */
                confidence: number;
                /**
                 * Format: int32
                 * @description Counted from 1.
                 */
                page?: number | null;
                /** @description The text on the page, as it is written there. */
                raw?: string | null;
                source?: components["schemas"]["FieldSource"] | null;
                status: components["schemas"]["FieldStatus"];
                /** @description The normalised value: a decimal string, an ISO date, a code or text. `null` when it is missing. */
                value?: string | null;
            };
        };
        BatchCounts: {
            /**
             * Format: int32
             * @description Files with the same content count as one document.
             */
            documents: number;
            /** Format: int32 */
            failed: number;
            /**
             * Format: int32
             * @description The number of uploaded files, and how many of them were refused.
             */
            offered: number;
            /** Format: int32 */
            pending: number;
            /** Format: int32 */
            refused: number;
            /** Format: int32 */
            succeeded: number;
        };
        BatchFacetView: {
            /** @description Counting stopped early: there may be more. */
            at_least?: boolean;
            /** Format: uuid */
            batch_id: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: int64
             * @description How many of the documents belong to it.
             */
            documents: number;
            name?: string | null;
        };
        BatchPage: {
            items: components["schemas"]["BatchView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        BatchResultPage: {
            items: components["schemas"]["BatchResultView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        /** @description A document of a batch, and its result. */
        BatchResultView: {
            /** Format: date-time */
            added_at: string;
            /** @description How its content related to known documents. */
            dedup_result: components["schemas"]["DedupResult"];
            /** Format: uuid */
            doc_id: string;
            error?: string | null;
            filename: string;
            /** Format: date-time */
            finished_at?: string | null;
            result?: components["schemas"]["ResultView"] | null;
            /** Format: uuid */
            run_id?: string | null;
            run_status?: components["schemas"]["RunStatus"] | null;
            stats?: components["schemas"]["RunStats"] | null;
            /** @description The status of the document. */
            status: components["schemas"]["DocumentStatus"];
            title: string;
        };
        /**
         * @description The status of a batch.
         * @enum {string}
         */
        BatchStatus: "open" | "processing" | "completed" | "partial";
        BatchUploadResponse: {
            /** Format: uuid */
            batch_id: string;
            files: components["schemas"]["FileOutcome"][];
        };
        BatchView: {
            /** Format: uuid */
            batch_id: string;
            counts: components["schemas"]["BatchCounts"];
            /** Format: date-time */
            created_at: string;
            dedupe: boolean;
            /** Format: int32 */
            expected_documents?: number | null;
            /** Format: date-time */
            finished_at?: string | null;
            name?: string | null;
            pipeline?: string[] | null;
            schema_mapping?: unknown;
            status: components["schemas"]["BatchStatus"];
            /** Format: date-time */
            updated_at: string;
            webhook_url?: string | null;
        };
        BlockView: {
            box?: number[] | null;
            /**
             * @description `heading`, `paragraph`, `list_item`, `table`, `figure`, `code`, `quote`, `header` or `footer`.
             * @example paragraph
             */
            kind: string;
            /**
             * Format: int32
             * @description The level of a heading, from 1; or of a list item, from 0.
             */
            level?: number | null;
            /** @description A range of `lines`. */
            lines: components["schemas"]["SpanView"];
            /**
             * Format: int32
             * @description The index of a table in `tables`.
             */
            table?: number | null;
            text: string;
        };
        /** @enum {string} */
        CallerKind: "user" | "api_key";
        CellView: {
            /** Format: int32 */
            column: number;
            /** Format: int32 */
            column_span: number;
            /** Format: int32 */
            row: number;
            /** Format: int32 */
            row_span: number;
            text: string;
            words: components["schemas"]["SpanView"];
        };
        /** @description The result of verifying the audit log. */
        ChainView: {
            /** @description How many signed checkpoints the log was compared with. */
            checkpoints: number;
            /** @description What was changed, moved or removed, as sentences. */
            faults: string[];
            is_whole: boolean;
            /**
             * Format: date-time
             * @description Later rows are protected by the hash chain only.
             */
            last_checkpoint_at?: string | null;
            /** Format: int64 */
            rows: number;
        };
        /** @enum {string} */
        ChangeKind: "added" | "removed" | "changed";
        ChangePasswordRequest: {
            current_password: string;
            new_password: string;
        };
        CheckpointPage: {
            /** @description In the order of their numbers. */
            items: components["schemas"]["CheckpointView"][];
        };
        /**
         * @description A signed statement of where the tenant's audit log ended at one time. Store it outside of Docket, one JSON document per
         *     line; `docket audit verify --against` compares the log with it.
         */
        CheckpointView: {
            /** Format: int64 */
            number: number;
            /** @description In Base64. */
            public_key: string;
            /**
             * Format: int64
             * @description How many rows the log had.
             */
            rows: number;
            /** @description Ed25519, in Base64. */
            signature: string;
            /** @description The signed text: a JSON document, unchanged byte by byte. */
            statement: string;
            /** Format: date-time */
            taken_at: string;
        };
        CitationView: {
            areas: components["schemas"]["AreaView"][];
            /** Format: uuid */
            chunk_id: string;
            /** Format: uuid */
            doc_id: string;
            /** Format: uuid */
            doc_version_id: string;
            /** @description Counted from 1. */
            number: number;
            pages: number[];
            /** @description The text that supports the answer. */
            quote: string;
            title: string;
        };
        ComparedFieldView: {
            /** Format: double */
            confidence: number;
            status: components["schemas"]["FieldStatus"];
            /** @example DE0007164600 */
            value: string;
        };
        /** @description All settings in effect, without secrets. */
        ConfigView: {
            /** @description In the order of the commented defaults file. */
            settings: components["schemas"]["SettingView"][];
        };
        /**
         * @description A relation between fields of one document, or of one trade or line.
         *
         *     Fields are named with their group: `trades[].net_amount`. All fields of a constraint are in the same group, or all in
         *     none.
         */
        ConstraintDefinition: {
            add: string[];
            name: string;
            optional?: string[];
            /** @enum {string} */
            rule: "sum";
            subtract?: string[];
            total: string;
            /** @description Only for documents or groups where this field has this value: `{"trades[].side": "buy"}`. */
            when?: components["schemas"]["FieldConditions"];
        } | {
            factors: string[];
            name: string;
            product: string;
            /** @enum {string} */
            rule: "product";
            /** @description As for a sum. */
            when?: components["schemas"]["FieldConditions"];
        } | {
            earlier: string;
            later: string;
            name: string;
            /** @enum {string} */
            rule: "date_order";
        } | {
            field: string;
            name: string;
            /** @enum {string} */
            rule: "line_sum";
            total: string;
        };
        /**
         * @example {
         *       "name": "scanner in the mail room",
         *       "role": "api_client"
         *     }
         */
        CreateApiKeyRequest: {
            /**
             * Format: date-time
             * @description Must be in the future. Without it the key does not expire.
             */
            expires_at?: string | null;
            /**
             * @description The purpose of the key.
             * @example scanner in the mail room
             */
            name: string;
            role: components["schemas"]["RoleName"];
        };
        /**
         * @example {
         *       "expected_documents": 12,
         *       "name": "March invoices"
         *     }
         */
        CreateBatchRequest: {
            /** @description Whether to skip content that is already active. Default: true. */
            dedupe?: boolean | null;
            /**
             * Format: int32
             * @description How many files will be uploaded, including refused ones. The batch ends when the last of them is done; without this,
             *     whenever all files so far are done.
             */
            expected_documents?: number | null;
            name?: string | null;
            /** @description The stages for its documents. Default: the tenant's pipeline. */
            pipeline?: string[] | null;
            /**
             * @description Which document type the documents have: the name of one type, or an object of patterns and names. A pattern with a
             *     slash is compared with the media type, others with the file name. Without a match the classifier decides.
             */
            schema_mapping?: unknown;
            /** @description Where to send the events of the batch. */
            webhook_url?: string | null;
        };
        /**
         * @example {
         *       "email": "ada@example.com",
         *       "password": "correct horse battery",
         *       "role": "user"
         *     }
         */
        CreateUserRequest: {
            /**
             * Format: email
             * @example ada@example.com
             */
            email: string;
            /**
             * @description At least 8 characters, at most 71 bytes.
             * @example correct horse battery
             */
            password: string;
            role: components["schemas"]["RoleName"];
        };
        CreatedApiKeyView: components["schemas"]["ApiKeyView"] & {
            /** @description The key. It is not shown again, so store it now. */
            key: string;
        };
        /**
         * @description The result of submitting a document.
         * @enum {string}
         */
        DedupResult: "new" | "new_version" | "skipped" | "in_progress";
        DeletedLayoutMemory: {
            /**
             * Format: int64
             * @description How many entries were deleted.
             */
            deleted: number;
        };
        DependencyView: {
            /** @example database */
            name: string;
            /** @description What is wrong with it. */
            problem?: string | null;
            status: components["schemas"]["HealthStatus"];
        };
        /** @description Which dead jobs to discard. */
        DiscardRequest: {
            /** @description The ids of dead jobs. */
            job_ids: string[];
        };
        DiscardResponse: {
            /**
             * Format: int32
             * @description How many dead jobs were discarded.
             */
            discarded: number;
            /** @description Jobs that were not discarded. */
            skipped: components["schemas"]["SkippedJobView"][];
        };
        DocumentDetailView: components["schemas"]["DocumentView"] & {
            /** @description Its attachments, and the documents that it is an attachment of. */
            parts: components["schemas"]["AttachmentView"][];
            /** @description The latest ones, newest first. */
            runs: components["schemas"]["RunView"][];
            /** @description The trades of its current result. Empty when you may not read them. */
            trades?: components["schemas"]["TradeView"][];
            versions: components["schemas"]["VersionView"][];
        };
        DocumentPage: {
            items: components["schemas"]["DocumentView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        /** @description How far a run is. */
        DocumentProgressView: {
            /**
             * Format: int32
             * @description How many pages or other parts the stage has finished, and how many there are, as far as it reports them.
             */
            done?: number | null;
            /** @description A worker runs the stage; otherwise the stage waits for one. */
            is_running: boolean;
            /** Format: uuid */
            run_id: string;
            /**
             * @description The stage that is running or is next; null between two stages.
             * @example ocr
             */
            stage?: string | null;
            /** Format: int32 */
            total?: number | null;
            /**
             * @description The dependency that the stage is paused for.
             * @example object_store
             */
            waiting_for?: string | null;
        };
        /**
         * @description The status of a document.
         *
         *     A document with an active version is `active`, whatever a later run of it does. Without one it has the status of
         *     its latest run; `inactive` is a document that was withdrawn.
         * @enum {string}
         */
        DocumentStatus: "uploaded" | "processing" | "active" | "failed" | "inactive" | "rejected";
        /** @description The number of documents by status. */
        DocumentSummary: {
            /** Format: int64 */
            active: number;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            inactive: number;
            /** Format: int64 */
            processing: number;
            /** Format: int64 */
            rejected: number;
            /** Format: int64 */
            total: number;
            /** Format: int64 */
            uploaded: number;
        };
        /**
         * @example {
         *       "title": "Lease of 12 Elm Street"
         *     }
         */
        DocumentTitle: {
            /** @description One line. Spaces around it are removed. */
            title: string;
        };
        /** @description The definition of a document type. The guide "Document types" explains it. */
        DocumentTypeDefinition: {
            constraints?: components["schemas"]["ConstraintDefinition"][];
            description?: string;
            fields: components["schemas"]["FieldDefinition"][];
            /**
             * @description Lower-case letters, digits and underscores. In a request it may be left out: the path has it.
             * @example delivery_note
             */
            name?: string | null;
            /** @description Phrases that such documents contain, by language (ISO 639-1). The classifier uses them. */
            phrases?: {
                [key: string]: string[];
            };
            /** @description JSON Schema (draft 2020-12) of the values. References lead within the schema and must not be recursive. */
            schema: unknown;
            title: string;
        };
        /** @description What a document type extracts from a document. Nothing of it is stored. */
        DocumentTypeDryRun: components["schemas"]["Extraction"] & {
            /** @description Values that the schema of the type does not allow; at most 100. */
            problems: components["schemas"]["FieldProblem"][];
            /**
             * Format: int32
             * @description The stored version that was tried. Null for a definition in the request, and when no type was recognised.
             */
            type_version?: number | null;
        };
        DocumentTypeList: {
            /** @description All types that documents can have now, by name. */
            items: components["schemas"]["DocumentTypeSummary"][];
        };
        /**
         * @description Who defined a document type.
         * @enum {string}
         */
        DocumentTypeOrigin: "built_in" | "own";
        /** @description A document type, without its definition. */
        DocumentTypeSummary: {
            /**
             * Format: date-time
             * @description When this version was created; null for a built-in type.
             */
            created_at?: string | null;
            /** @description Who created this version: an email address or the name of an API key. */
            created_by?: string | null;
            description: string;
            /** @description How many fields it has. */
            field_count: number;
            name: string;
            origin: components["schemas"]["DocumentTypeOrigin"];
            /** @description The tenant's own type is used instead of the built-in one of the same name. */
            replaces_built_in: boolean;
            title: string;
            /**
             * Format: int32
             * @description 0 for a built-in type; the versions of an own type are counted from 1.
             */
            version: number;
        };
        /** @description A version of a document type. */
        DocumentTypeVersionView: {
            /** Format: date-time */
            created_at?: string | null;
            created_by?: string | null;
            /** @description With this version the tenant withdrew the type; it has no definition. */
            is_withdrawal: boolean;
            /**
             * Format: int32
             * @description 0 for the built-in type of the same name.
             */
            version: number;
        };
        DocumentTypeVersions: {
            /** @description The latest first; at most 1,000. */
            items: components["schemas"]["DocumentTypeVersionView"][];
        };
        /** @description A document type with its definition. */
        DocumentTypeView: components["schemas"]["DocumentTypeSummary"] & {
            definition: components["schemas"]["DocumentTypeDefinition"];
        };
        DocumentView: {
            content_hash?: string | null;
            /** @description The document has a password that you have not presented. Upload it again with its password to read and find it. */
            content_locked?: boolean;
            /** @example application/pdf */
            content_type: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            doc_id: string;
            /**
             * Format: uuid
             * @description The active version.
             */
            doc_version_id?: string | null;
            /** @description Why the last run failed. */
            error?: string | null;
            /**
             * @description The failure, if a program can handle it: `password_required` or `wrong_password`.
             *     `POST /v1/documents/{id}/rerun` accepts the password.
             * @example password_required
             */
            error_code?: string | null;
            /**
             * @description The format of the file.
             * @example pdf
             */
            file_kind: string;
            filename: string;
            /**
             * @description Its first page can be shown as a small image: `GET /v1/documents/{id}/pages/1.png?width=320`. False for files
             *     without pages and for documents with masks.
             */
            has_page_images?: boolean;
            /** @description Whether search and answers can use it. A document that was processed without the stage `index` is listed only. */
            is_searchable?: boolean;
            /**
             * Format: int32
             * @description The number of pages of the active version, once a run has counted them.
             */
            pages?: number | null;
            progress?: components["schemas"]["DocumentProgressView"] | null;
            /**
             * Format: int32
             * @description Counts the edits by people, for optimistic locking.
             */
            revision: number;
            /** Format: int64 */
            size_bytes: number;
            /**
             * @description How it was submitted first.
             * @example manual
             */
            source: string;
            source_uri: string;
            status: components["schemas"]["DocumentStatus"];
            tags: string[];
            title: string;
            /** Format: date-time */
            updated_at: string;
            version_label?: string | null;
        };
        /** @description A document to try a document type on. */
        DryRunRequest: {
            definition?: components["schemas"]["DocumentTypeDefinition"] | null;
            /** Format: uuid */
            document_id: string;
        };
        /** @enum {string} */
        ErrorClass: "retry" | "permanent" | "poison" | "cancelled";
        /** @description The payload of a result. */
        Extraction: {
            /** @default [] */
            checks?: components["schemas"]["ResultCheck"][];
            /**
             * @description The name of the document type. Empty when the classifier abstained.
             * @default
             */
            document_type?: string;
            /**
             * @description By dotted name, such as `seller.name`.
             * @default {}
             */
            fields?: components["schemas"]["BTreeMap"];
            /** @default [] */
            lines?: components["schemas"]["BTreeMap"][];
            /** @default [] */
            trades?: components["schemas"]["BTreeMap"][];
            /**
             * @description Remarks for users, such as a date whose day and month are ambiguous.
             * @default []
             */
            warnings?: string[];
        };
        FacetValueView: {
            /** @description Counting stopped early: there may be more. */
            at_least: boolean;
            /** Format: int64 */
            documents: number;
            /** @example pdf */
            value: string;
        };
        /** @description The values of a facet, the most frequent first. */
        FacetView: {
            /** @description Whether all values are listed. */
            is_complete: boolean;
            values: components["schemas"]["FacetValueView"][];
        };
        /** @description The facets of the documents. */
        FacetsView: {
            /** @description The latest 20 batches of any of the documents, and the selected one. */
            batches: components["schemas"]["BatchFacetView"][];
            /** @description How they were submitted. */
            source: components["schemas"]["FacetView"];
            status: components["schemas"]["FacetView"];
            /** @description The 20 most frequent. */
            tag: components["schemas"]["FacetView"];
            /** @description File kinds. */
            type: components["schemas"]["FacetView"];
        };
        /** @description Another candidate for a field. */
        FieldAlternative: {
            box?: number[] | null;
            /** Format: double */
            confidence: number;
            /** Format: int32 */
            page?: number | null;
            raw: string;
            source: components["schemas"]["FieldSource"];
            value: string;
        };
        /** @description A field that has different values in two results. */
        FieldChangeView: {
            after?: components["schemas"]["ComparedFieldView"] | null;
            before?: components["schemas"]["ComparedFieldView"] | null;
            /** @description `added`: only the second result has a value. `removed`: only the first one has. */
            change: components["schemas"]["ChangeKind"];
            /**
             * @description The path in the second result; in the first one, when only that has a value.
             * @example trades.1.isin
             */
            path: string;
            /**
             * @description The path in the first result, when the trade or line has another position there.
             * @example trades.0.isin
             */
            path_before?: string | null;
        };
        /**
         * @description Names of fields with the values that they must have. A type of its own in the OpenAPI document, because client generators do
         *     not support maps within the variants of an enum.
         */
        FieldConditions: {
            [key: string]: string;
        };
        /** @description A field of a document type, and how to find it on a page. */
        FieldDefinition: {
            /** @description The value is the sum of several amounts of the page: commission and exchange fee. Only for the kind `money`. */
            additive?: boolean;
            /** @description For the kind `choice`: each value with the words that express it. */
            choices?: {
                [key: string]: string[];
            };
            kind: components["schemas"]["FieldKind"];
            /** @description The words beside or above the value, by language (ISO 639-1). */
            labels?: {
                [key: string]: string[];
            };
            /** @description Never accepted without a reviewer. */
            must_review?: boolean;
            /**
             * @description Dotted; a field that repeats begins with `trades[].` or `lines[].`.
             * @example lines[].quantity
             */
            name: string;
            /** @description Regular expressions, one of which the whole value must match. Without look-around and back references. */
            patterns?: string[];
            /** @description A missing value needs review. */
            required?: boolean;
        };
        /**
         * @description The kind of a field's values.
         * @enum {string}
         */
        FieldKind: "money" | "date" | "quantity" | "percent" | "number" | "currency" | "isin" | "wkn" | "iban" | "bic" | "vat_id" | "id" | "party" | "address" | "country" | "choice" | "text";
        /** @description One of several problems of a request, or of the values of a document. */
        FieldProblem: {
            /**
             * @description What is wrong and what to do about it.
             * @example must have 1 to 100 characters, and not only spaces
             */
            message: string;
            /**
             * @description Where: `fields[3].patterns[0]` in a definition, `trades.0.isin` in a result. Empty when it is about the whole.
             * @example fields[3].patterns[0]
             */
            path: string;
        };
        FieldQualityView: components["schemas"]["QualityMeasures"] & {
            /** @example trades[].isin */
            field: string;
            /** @description Why the field is not accepted, although others of the type are; null when it is accepted. */
            shortfall?: string | null;
        };
        /**
         * @description Where the value of a field comes from.
         * @enum {string}
         */
        FieldSource: "page" | "ocr_alternative" | "e_invoice" | "layout_memory" | "language_model" | "derived" | "reviewer";
        /** @enum {string} */
        FieldStatus: "accepted" | "needs_review" | "missing" | "confirmed" | "corrected";
        /**
         * Format: binary
         * @description The bytes of a file.
         */
        FileContent: Blob;
        /** @description The result of one file of several. */
        FileOutcome: {
            accepted?: components["schemas"]["IngestResponse"] | null;
            filename: string;
            problem?: components["schemas"]["FileProblem"] | null;
        };
        FileProblem: {
            code: string;
            detail: string;
        };
        /** @description The ids that end with the digits asked for, of what the caller may see. */
        FoundIdsView: {
            batches: string[];
            documents: string[];
            /** @description `false` when so many ids end with the digits that some may be missing here: ask with more digits. */
            is_complete: boolean;
            /** @description Jobs that failed for good (`DEAD`), for callers who may see them. */
            jobs: string[];
            runs: string[];
        };
        /** @enum {string} */
        HealthStatus: "ok" | "degraded" | "unavailable";
        HealthView: {
            /** @description The dependencies of the server; empty for liveness. */
            dependencies: components["schemas"]["DependencyView"][];
            status: components["schemas"]["HealthStatus"];
            version: string;
        };
        /** @description A range of the snippet, in characters. */
        HighlightView: {
            end: number;
            start: number;
        };
        /** @description A matching passage. */
        HitView: {
            areas: components["schemas"]["AreaView"][];
            /** Format: uuid */
            chunk_id: string;
            /** Format: uuid */
            doc_id: string;
            /** Format: uuid */
            doc_version_id: string;
            file_kind: string;
            filename: string;
            /** @description The headings above it, the outermost first. */
            heading: string[];
            highlights: components["schemas"]["HighlightView"][];
            pages: number[];
            /** @description Counted from 1. */
            rank: number;
            /**
             * Format: float
             * @description From 0 to 1.
             */
            score: number;
            snippet: string;
            title: string;
        };
        /** @description The result of an upload. */
        IngestResponse: {
            /** @example sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 */
            content_hash: string;
            /** @description How the content relates to known documents. Later versions may add values. */
            dedup_result: components["schemas"]["DedupResult"];
            /** Format: uuid */
            doc_id: string;
            /** @example already ingested, no changes */
            reason?: string | null;
            /** Format: uuid */
            run_id?: string | null;
            status: components["schemas"]["IngestStatus"];
        };
        /** @enum {string} */
        IngestStatus: "queued" | "running" | "skipped";
        JobPage: {
            items: components["schemas"]["JobView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        /**
         * @description The state of a job.
         * @enum {string}
         */
        JobStatus: "PENDING" | "PROCESSING" | "COMPLETED" | "DEAD";
        JobView: {
            /**
             * Format: int32
             * @description The number of retries so far, and the maximum.
             */
            attempts: number;
            /**
             * @description Why a dead job needs no attention: its document was `deleted` or `withdrawn`, a later run `superseded` its run, or a
             *     user `discarded` it.
             */
            closed_by?: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            doc_id: string;
            doc_title?: string | null;
            /** @description What happened. */
            error?: string | null;
            /** @description `retry`, `permanent`, `poison`, `unavailable` or `cancelled`. */
            error_class?: string | null;
            /**
             * @description The failure, if a program can handle it: `password_required` or `wrong_password`.
             * @example password_required
             */
            error_code?: string | null;
            /**
             * Format: int32
             * @description How often its lease expired because its worker died.
             */
            expiries: number;
            /** @description What to do about it. */
            guidance?: string | null;
            /** Format: uuid */
            job_id: string;
            /** Format: date-time */
            lease_until?: string | null;
            /** Format: int32 */
            max_attempts: number;
            /** Format: date-time */
            next_run_at: string;
            /**
             * Format: int32
             * @description How often it was paused. Pauses do not count as attempts.
             */
            pauses: number;
            /** Format: int32 */
            priority: number;
            /** Format: uuid */
            run_id: string;
            /** @example ocr */
            stage: string;
            /** Format: date-time */
            started_at?: string | null;
            status: components["schemas"]["JobStatus"];
            /** @example DOCUMENT_PROCESSING */
            type: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * @description The dependency that a paused job waits for: `object_store`, `database`, `local_disk`, `embedding_model`, `reader` or
             *     `secrets_key`. The job resumes by itself when that works again.
             */
            waiting_for?: string | null;
            worker_id?: string | null;
        };
        KeyCreatorView: {
            email: string;
            is_active: boolean;
            /** Format: uuid */
            user_id: string;
        };
        KeyValueView: {
            key: string;
            key_words: components["schemas"]["SpanView"];
            value: string;
            value_words: components["schemas"]["SpanView"];
        };
        KindShortfallView: {
            /** @example money */
            kind: string;
            reason: string;
        };
        /** @description A document that search and answers can use. */
        KnowledgeBaseDocumentView: {
            /** Format: date-time */
            activated_at: string;
            /** Format: int64 */
            chunks: number;
            /** Format: uuid */
            doc_id: string;
            /** Format: uuid */
            doc_version_id: string;
            file_kind: string;
            filename: string;
            /** Format: int32 */
            pages: number;
            title: string;
        };
        KnowledgeBasePage: {
            items: components["schemas"]["KnowledgeBaseDocumentView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        LayoutMemoryFieldView: {
            /**
             * @description As the document type names it.
             * @example trades[].net_amount
             */
            field: string;
            /** Format: int32 */
            right: number;
            /** Format: int32 */
            wrong: number;
        };
        LayoutMemoryPage: {
            items: components["schemas"]["LayoutMemoryView"][];
            /** Format: int32 */
            limit: number;
            /** @description `None` on the last page. */
            next_cursor?: string | null;
        };
        /** @description What one confirmed document taught. The entry itself consists of hashes and positions and is not shown. */
        LayoutMemoryView: {
            /**
             * Format: uuid
             * @description The document that it was learnt from. The entry is deleted with it.
             */
            document_id: string;
            document_title: string;
            document_type: string;
            fields: components["schemas"]["LayoutMemoryFieldView"][];
            /**
             * Format: date-time
             * @description When a similar document was last reviewed.
             */
            last_used_at: string;
            /** Format: date-time */
            learnt_at: string;
            /** Format: uuid */
            memory_id: string;
            /**
             * Format: int32
             * @description How often reviewers of later documents confirmed what the entry had said, over all fields.
             */
            right: number;
            /**
             * Format: int32
             * @description How often they said another value.
             */
            wrong: number;
        };
        /** @description The limits that the operator sets. */
        LimitsView: {
            /**
             * Format: int32
             * @description The most concurrent uploads per server.
             */
            concurrent_uploads: number;
            /** Format: int64 */
            max_upload_bytes: number;
            /**
             * Format: int32
             * @description The most runs that may wait.
             */
            queue_quota: number;
            /** Format: int32 */
            requests_per_second: number;
            /**
             * Format: int64
             * @description The limit of `usage.bytes`; null without a limit.
             */
            storage_quota_bytes?: number | null;
        };
        /** @description A link that works without a credential, until it expires or is revoked. */
        LinkView: {
            /** Format: date-time */
            expires_at: string;
            /** Format: int32 */
            expires_in_hours: number;
            filename: string;
            url: string;
        };
        /**
         * @example {
         *       "email": "admin@localhost",
         *       "password": "correct horse battery"
         *     }
         */
        LoginRequest: {
            /** @example admin@localhost */
            email: string;
            password: string;
        };
        LoginResponse: {
            /** Format: date-time */
            expires_at: string;
            /** @description Send it as `Authorization: Bearer …`. */
            token: string;
            user: components["schemas"]["UserView"];
        };
        /** @description A region that is blanked out before a page is read, and in page images. */
        MaskView: {
            /**
             * @description Left, top, right, bottom, as shares (0 to 1) of the page's width and height.
             * @example [
             *       0,
             *       0.9,
             *       1,
             *       1
             *     ]
             */
            box: number[];
            /** @description Only in files whose name contains this. */
            file_name_contains?: string | null;
            /** @description Only in files of these kinds: pdf, png, … */
            kinds?: string[];
            /**
             * Format: int32
             * @description Only on this page, counted from 1.
             */
            page?: number | null;
        };
        /**
         * @description How a trade compares with the tenant's request records.
         * @enum {string}
         */
        MatchStatus: "pending" | "matched" | "ambiguous" | "unmatched";
        /** @description The caller of the request. */
        MeView: {
            /**
             * Format: uuid
             * @description The user's id, or the key's.
             */
            id: string;
            kind: components["schemas"]["CallerKind"];
            /** @description The user's email address, or the key's name. */
            name: string;
            role: components["schemas"]["RoleName"];
            /** Format: uuid */
            tenant_id: string;
            /** @description Servers before this field left it out. */
            tenant_name: string;
        };
        /** @description A measured error rate. */
        MeasuredErrorView: {
            /** Format: double */
            high?: number | null;
            /**
             * Format: double
             * @description The ends of the 95 % confidence interval (Clopper–Pearson).
             */
            low?: number | null;
            /**
             * Format: double
             * @description Null without reviewed fields. The same holds for the interval.
             */
            rate?: number | null;
            /** Format: int32 */
            reviewed: number;
            /** Format: int32 */
            wrong: number;
        };
        OtherReadingView: {
            /** Format: int32 */
            confidence: number;
            /** @description What produced the text. */
            origin: components["schemas"]["WordSourceView"];
            text: string;
        };
        /** @description One page. Lines, cells and other elements refer to ranges of `words` by index, `from..to`. */
        PageView: {
            /** @description In reading order. */
            blocks: components["schemas"]["BlockView"][];
            /** Format: float */
            height?: number | null;
            key_values: components["schemas"]["KeyValueView"][];
            /** @description A sheet's or slide's name. */
            label?: string | null;
            language?: string | null;
            lines: components["schemas"]["SpanView"][];
            /**
             * Format: int32
             * @description Counted from 1.
             */
            number: number;
            /**
             * Format: int32
             * @description How many pages the document has.
             */
            pages: number;
            /**
             * Format: int32
             * @description The quality of the text, from 0 to 100.
             */
            quality: number;
            tables: components["schemas"]["TableView"][];
            text_source: components["schemas"]["TextSourceView"];
            /** @description What went wrong during OCR of the page; absent without a problem. */
            trouble?: string | null;
            /**
             * Format: float
             * @description In points (1/72 inch), after rotation; absent if the format has no pages.
             */
            width?: number | null;
            words: components["schemas"]["WordView"][];
        };
        /** @description A link to the page view of a document. It needs no credential, and lasts ten minutes. */
        PageViewLink: {
            /** Format: date-time */
            expires_at: string;
            url: string;
        };
        PeriodQualityView: components["schemas"]["QualityMeasures"] & {
            /**
             * Format: date-time
             * @description Midnight in UTC; of a Monday for weeks.
             */
            starts_at: string;
        };
        /** @description What happened and what to do about it (`application/problem+json`). */
        Problem: {
            /**
             * @description The error code, for programs; stable across versions.
             * @example not_found
             */
            code: string;
            /**
             * @description What happened, and what to do now.
             * @example This user does not exist, or you don't have access.
             */
            detail: string;
            /** @description All problems, where a request can have several: the definition of a document type. */
            errors?: components["schemas"]["FieldProblem"][];
            /** @description The invalid field of the request, if there is one. */
            field?: string | null;
            /**
             * Format: int32
             * @description The HTTP status.
             * @example 404
             */
            status: number;
            /**
             * @description A short name of the HTTP status.
             * @example Not found
             */
            title: string;
            /**
             * @description The id of the request in the server's log. Include it when you ask for help.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            trace_id: string;
            /** @description A URI for the kind of problem: `about:blank#` and the code. */
            type: string;
        };
        /** @enum {string} */
        QualityInterval: "day" | "week";
        QualityMeasures: {
            /**
             * Format: double
             * @description `accepted` / `extracted`; null without values.
             */
            acceptance_rate?: number | null;
            /** Format: int32 */
            accepted: number;
            /** @description The error of accepted fields that were reviewed, for any reason. */
            error: components["schemas"]["MeasuredErrorView"];
            /**
             * Format: int32
             * @description The extracted values.
             */
            extracted: number;
            /** @description The error of accepted fields of documents that were reviewed by chance: it stands for all accepted fields. */
            sampled_error: components["schemas"]["MeasuredErrorView"];
        };
        QualityView: {
            /** Format: date-time */
            from: string;
            interval: components["schemas"]["QualityInterval"];
            /** Format: date-time */
            to: string;
            /** @description By name. */
            types: components["schemas"]["TypeQualityView"][];
        };
        /** @description The queue of a stage. */
        QueueView: {
            /**
             * Format: int64
             * @description Dead jobs that need attention.
             */
            dead: number;
            /**
             * Format: int64
             * @description Jobs that succeeded or failed in the last minute.
             */
            finished_last_minute: number;
            /** Format: int64 */
            in_flight: number;
            /**
             * Format: int64
             * @description The age of the oldest job that is ready to run.
             */
            oldest_age_seconds?: number | null;
            /**
             * Format: int64
             * @description The waiting jobs that are paused for a dependency.
             */
            paused: number;
            stage: string;
            /** Format: int64 */
            waiting: number;
        };
        QueuesView: {
            queues: components["schemas"]["QueueView"][];
        };
        /**
         * @description Which dead jobs to requeue, of those that need attention. A job must match all conditions; at least one is required, or
         *     `all`.
         * @example {
         *       "error_class": "retry",
         *       "stage": "ocr"
         *     }
         */
        RequeueRequest: {
            /**
             * @description Every dead job that needs attention. Cannot be combined with conditions.
             * @default false
             */
            all?: boolean;
            /**
             * Format: date-time
             * @description Inclusive.
             * @default null
             */
            created_after?: string | null;
            /**
             * Format: date-time
             * @description Exclusive.
             * @default null
             */
            created_before?: string | null;
            /**
             * Format: uuid
             * @default null
             */
            doc_id?: string | null;
            /** @default null */
            error_class?: components["schemas"]["ErrorClass"] | null;
            /**
             * @description A part of the error; not case-sensitive.
             * @default null
             * @example password
             */
            error_contains?: string | null;
            /**
             * Format: uuid
             * @default null
             */
            run_id?: string | null;
            /**
             * @default null
             * @example ocr
             */
            stage?: string | null;
        };
        RequeueResponse: {
            /**
             * Format: int32
             * @description How many jobs were requeued, at most 1000 per request.
             */
            requeued: number;
        };
        /**
         * @example {
         *       "from_stage": "ocr",
         *       "reason": "OCR was improved"
         *     }
         */
        RerunRequest: {
            /**
             * @description The document type, which must exist, or `auto` for the classifier's choice. Default: as in the previous run.
             * @example invoice
             */
            document_type?: string | null;
            /**
             * @description The first stage to run, on the output of the earlier stages of a previous run. Default: the first stage of the
             *     pipeline.
             */
            from_stage?: string | null;
            /** @description The password of the original. Default: the stored password, if there is one. */
            password?: string | null;
            /** @description The stages to run. Default: the tenant's pipeline. */
            pipeline?: string[] | null;
            reason?: string | null;
        };
        RerunResponse: {
            /** Format: uuid */
            doc_id: string;
            /** Format: uuid */
            run_id: string;
            status: components["schemas"]["RunStatus"];
        };
        /** @description A check of a result: a sum, a checksum, an order of dates, a comparison with the embedded invoice. */
        ResultCheck: {
            /** @description The check with its numbers, in a form that users read: `804.17 + 9.21 = 813.38`. */
            detail: string;
            name: string;
            /** @description `null` when a value that the check needs is missing. */
            passed?: boolean | null;
        };
        /** @description How a result differs from another one of the same document. */
        ResultDiffView: {
            /** @description The result that it is compared with. */
            after: components["schemas"]["ResultEntryView"];
            /** @description The result that is compared. */
            before: components["schemas"]["ResultEntryView"];
            /**
             * @description Fields with different values. Trades are compared with those of the same security, date or quantity, lines with those of the
             *     same name, and the rest by their order.
             */
            changes: components["schemas"]["FieldChangeView"][];
            /**
             * Format: int32
             * @description How many values are the same in both.
             */
            unchanged: number;
        };
        /** @description An entry of the list of results. */
        ResultEntryView: components["schemas"]["ResultVersionView"] & {
            /**
             * @description The name of the document type. Empty when the classifier abstained.
             * @example contract_note
             */
            document_type: string;
        };
        ResultPage: {
            items: components["schemas"]["ResultEntryView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        /** @enum {string} */
        ResultState: "current" | "waiting" | "superseded";
        /** @description The fields of a result, counted by status. */
        ResultSummary: {
            /** Format: int32 */
            accepted: number;
            /** Format: int32 */
            confirmed: number;
            /** Format: int32 */
            corrected: number;
            /** Format: int32 */
            failed_checks: number;
            /** Format: int32 */
            fields: number;
            /**
             * Format: double
             * @description The lowest and the mean confidence of the fields that have a value. `null` when none has.
             */
            lowest_confidence?: number | null;
            /** Format: double */
            mean_confidence?: number | null;
            /** Format: int32 */
            missing: number;
            /** Format: int32 */
            needs_review: number;
        };
        /** @description What is known of a result, without its fields. */
        ResultVersionView: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            doc_id: string;
            /** @description A person edited, approved or promoted it. */
            is_reviewed: boolean;
            /** @description A field needs review, or the document was chosen for review at random. */
            needs_review: boolean;
            /**
             * Format: int32
             * @description The version that was promoted; null for the result of a run.
             */
            promoted_from?: number | null;
            /**
             * Format: int32
             * @description Counts the results of the document, from 1.
             * @example 2
             */
            result_version: number;
            /**
             * Format: uuid
             * @description The run that created it.
             */
            run_id: string;
            /** @description The document was chosen for review at random, to measure the error rate. */
            sampled_for_review: boolean;
            /** @description `waiting`: a person reviewed the current result, so this one waits for promotion. */
            state: components["schemas"]["ResultState"];
            /** @description The fields, counted by status. */
            summary: components["schemas"]["ResultSummary"];
            /**
             * Format: int32
             * @description The version of the document type.
             */
            type_version: number;
        };
        /** @description A version of the result of a document. */
        ResultView: components["schemas"]["ResultVersionView"] & components["schemas"]["Extraction"];
        /** @enum {string} */
        ReviewStatus: "pending" | "approved" | "rejected";
        /**
         * @description The role of a user or API key in its tenant.
         * @enum {string}
         */
        RoleName: "admin" | "user" | "reviewer" | "viewer" | "auditor" | "api_client";
        /** @description The rules that a tenant's administrators set for its documents. */
        RulesView: {
            /**
             * @description Regions of pages that nobody may read. A new mask takes effect on the pages and text of a document with its next run,
             *     and on access to its original at once.
             */
            masks?: components["schemas"]["MaskView"][];
            /** @description The stages of the pipeline, unless a batch sets its own; empty for the default. */
            pipeline?: string[];
        };
        /**
         * @description The configuration of a run. A caller who sees only their own documents does not see what other owners said about the same
         *     content.
         */
        RunConfigView: {
            /** @description `sha256:…` */
            content_hash: string;
            /** @example application/pdf */
            content_type: string;
            /** @description Who started the run: a user's id, `api_key:` and a key's id, or `system`. */
            created_by?: string | null;
            /** Format: uuid */
            created_by_user_id?: string | null;
            /**
             * Format: int64
             * @description The nesting depth of an attachment.
             */
            depth?: number;
            /** @description The document type that the batch or the rerun chose; absent when the classifier decides. */
            document_type?: string | null;
            /** Format: int64 */
            file_size_bytes: number;
            /** @description Regions that the run masks. */
            masks?: components["schemas"]["MaskView"][];
            original_filename: string;
            /** @description Where the content came from. */
            source_type: components["schemas"]["SourceType"];
            title: string;
            /** @description The uploaded content; absent for a rerun. */
            upload_uri?: string | null;
            /**
             * Format: uuid
             * @description The document that this one is an attachment of.
             */
            within?: string | null;
        };
        RunPage: {
            items: components["schemas"]["RunView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        /**
         * @description The statistics of a run's stages. Each stage fills in its own fields, and the run has all of them.
         *
         *     Stored as JSON with a version ([`StoredStats`]); the oldest rows have none. A later version may only add fields, which
         *     this one ignores.
         */
        RunStats: {
            /**
             * Format: int64
             * @default null
             */
            attachments?: number | null;
            /**
             * Format: int64
             * @description Written by earlier versions instead of `chunks_created`.
             * @default null
             */
            chunks?: number | null;
            /**
             * Format: int64
             * @default null
             */
            chunks_created?: number | null;
            /**
             * Format: int64
             * @description 1 for a searchable document.
             * @default null
             */
            docs_processed?: number | null;
            /**
             * Format: int32
             * @description Fields that the chosen error rate supports using without review.
             * @default null
             */
            fields_accepted?: number | null;
            /**
             * Format: int32
             * @description Fields of the result that have a value.
             * @default null
             */
            fields_extracted?: number | null;
            /**
             * Format: int64
             * @default null
             */
            key_values?: number | null;
            /**
             * Format: int32
             * @description Pages that OCR read.
             * @default null
             */
            ocr_pages?: number | null;
            /** @default null */
            ocr_trouble?: string | null;
            /**
             * Format: int32
             * @description Pages for which no OCR engine was installed.
             * @default null
             */
            ocr_unavailable_pages?: number | null;
            /**
             * Format: int64
             * @default null
             */
            ocr_words?: number | null;
            /**
             * Format: int64
             * @description Words that both OCR engines read alike.
             * @default null
             */
            ocr_words_agreed?: number | null;
            /**
             * Format: int64
             * @default null
             */
            ocr_words_disputed?: number | null;
            /**
             * Format: int32
             * @default null
             */
            pages?: number | null;
            /**
             * Format: int32
             * @description Pages on which OCR failed, and the last error.
             * @default null
             */
            pages_failed?: number | null;
            /**
             * Format: int32
             * @description Pages that need OCR.
             * @default null
             */
            pages_wanting_ocr?: number | null;
            /**
             * @description A password opened the original. Others who upload the same file must present it.
             * @default null
             */
            password_used?: boolean | null;
            /**
             * @description Remarks of the reader.
             * @default []
             */
            remarks?: string[];
            /**
             * Format: int64
             * @default null
             */
            tables?: number | null;
            /**
             * Format: int64
             * @description Texts that were embedded; the others had an embedding already.
             * @default null
             */
            texts_embedded?: number | null;
            /**
             * Format: int64
             * @description The tokens of all chunks.
             * @default null
             */
            tokens_total?: number | null;
            /**
             * Format: int64
             * @default null
             */
            words?: number | null;
        };
        /**
         * @description The state of a run.
         * @enum {string}
         */
        RunStatus: "queued" | "running" | "succeeded" | "failed";
        /**
         * @description What started a run.
         * @enum {string}
         */
        RunType: "manual_upload" | "attachment" | "rerun" | "s3_sync" | "gcs_sync" | "folder_sync";
        RunView: {
            /** @description Whether the caller may read the artifacts; otherwise `artifacts` are empty. */
            artifacts_readable?: boolean;
            /** Format: uuid */
            batch_id?: string | null;
            config: components["schemas"]["RunConfigView"];
            /**
             * Format: date-time
             * @description When the run was queued.
             */
            created_at: string;
            /** Format: uuid */
            doc_id: string;
            error?: string | null;
            /** @description The failure, if a program can handle it: `password_required` or `wrong_password`. */
            error_code?: string | null;
            /** Format: date-time */
            finished_at?: string | null;
            /** Format: uuid */
            parent_run_id?: string | null;
            pipeline: string[];
            reason?: string | null;
            /** Format: uuid */
            run_id: string;
            /** @description What started it. */
            run_type: components["schemas"]["RunType"];
            stages: components["schemas"]["StageView"][];
            /**
             * Format: date-time
             * @description When its first stage began.
             */
            started_at?: string | null;
            stats: components["schemas"]["RunStats"];
            status: components["schemas"]["RunStatus"];
            /** Format: uuid */
            tenant_id: string;
            /**
             * Format: date-time
             * @description The last heartbeat or change.
             */
            updated_at: string;
        };
        /**
         * @example {
         *       "filters": {
         *         "types": [
         *           "pdf"
         *         ]
         *       },
         *       "limit": 5,
         *       "query": "termination notice"
         *     }
         */
        SearchBody: {
            filters?: components["schemas"]["SearchFilters"];
            /** Format: int32 */
            limit?: number | null;
            mode?: components["schemas"]["SearchMode"];
            /** @example termination notice */
            query: string;
        };
        /** @description Which documents to search, of those that the caller may see. */
        SearchFilters: {
            /** Format: uuid */
            batch_id?: string | null;
            /** Format: date-time */
            created_from?: string | null;
            /** Format: date-time */
            created_to?: string | null;
            document_ids?: string[];
            /** @description Documents with any of these tags. */
            tags?: string[];
            /** @description File kinds: pdf, docx, … */
            types?: string[];
        };
        /** @enum {string} */
        SearchMode: "hybrid" | "lexical" | "vector";
        SearchResponse: {
            /** @description The best first. */
            hits: components["schemas"]["HitView"][];
            /** @description Limitations of this result. */
            warnings: string[];
        };
        SentenceView: {
            /** @description The numbers of the citations that support it. */
            citations: number[];
            text: string;
        };
        /**
         * @description Where a value comes from. Later ones override earlier ones.
         * @enum {string}
         */
        SettingOrigin: "default" | "file" | "environment" | "flag";
        SettingView: {
            /** @description The purpose of the setting. Settings that are explained together have the same text. */
            help: string;
            is_secret: boolean;
            /** @example upload_max_size_mb */
            key: string;
            origin: components["schemas"]["SettingOrigin"];
            /**
             * @description The file, environment variable or flag that sets it.
             * @example DOCKET_UPLOAD_MAX_SIZE_MB
             */
            origin_name?: string | null;
            /** @description A text, a number, a boolean or a list of texts. For a secret: `set` or `not set`. */
            value: unknown;
        };
        SkippedJobView: {
            /** Format: uuid */
            job_id: string;
            /** @description Why it was not discarded. */
            problem: string;
        };
        /**
         * @description Where the content of a run came from, as the run's configuration records it.
         * @enum {string}
         */
        SourceType: "upload" | "attachment" | "s3" | "gcs" | "folder" | "rerun";
        SpanView: {
            /** Format: int32 */
            from: number;
            /** Format: int32 */
            to: number;
        };
        /** @description Progress in units of work, usually pages. */
        StageProgress: {
            /**
             * Format: int32
             * @example 812
             */
            done: number;
            /**
             * Format: int32
             * @example 3000
             */
            total: number;
        };
        /**
         * @description The status of a stage of a run: that of its job until it has ended.
         * @enum {string}
         */
        StageStatus: "pending" | "processing" | "succeeded" | "failed";
        /** @description A stage of a run. */
        StageView: {
            artifacts: components["schemas"]["Artifact"][];
            /** Format: int64 */
            duration_ms?: number | null;
            /** Format: date-time */
            ended_at?: string | null;
            error?: string | null;
            name: string;
            progress?: components["schemas"]["StageProgress"] | null;
            /** Format: int32 */
            retries: number;
            /** Format: date-time */
            started_at?: string | null;
            status: components["schemas"]["StageStatus"];
            /**
             * @description The dependency that a paused stage waits for: `object_store`, `database`, `local_disk`, `embedding_model`, `reader` or
             *     `secrets_key`. It resumes by itself when that works again.
             */
            waiting_for?: string | null;
            worker_id?: string | null;
        };
        TableView: {
            box?: number[] | null;
            cells: components["schemas"]["CellView"][];
            /** Format: int32 */
            columns: number;
            /**
             * Format: int32
             * @description The number of header rows at the top.
             */
            header_rows: number;
            /** Format: int32 */
            rows: number;
        };
        /**
         * @example {
         *       "tags": [
         *         "lease",
         *         "2026"
         *       ]
         *     }
         */
        Tags: {
            tags: string[];
        };
        TenantView: {
            acceptance: components["schemas"]["AcceptanceView"];
            limits: components["schemas"]["LimitsView"];
            name: string;
            rules: components["schemas"]["RulesView"];
            /**
             * @description All stages that a pipeline can contain, in order.
             * @example [
             *       "ingest",
             *       "preprocess",
             *       "ocr",
             *       "layout",
             *       "index"
             *     ]
             */
            stages: string[];
            /** Format: uuid */
            tenant_id: string;
            usage: components["schemas"]["UsageView"];
        };
        /**
         * @description Where the text of a page comes from.
         * @enum {string}
         */
        TextSourceView: "layer" | "wanted" | "recognised" | "unavailable" | "blank";
        TradePage: {
            items: components["schemas"]["TradeView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        /**
         * @description A trade of the current result of a document.
         *
         *     It keeps its id when another result becomes current and has a trade with the same side, ISIN, trade date and order
         *     number, or else another trade at the same position. It keeps its match and review status if all its values are the same.
         */
        TradeView: {
            /**
             * Format: double
             * @description The lowest confidence of its fields that have a value; 0 when none has.
             */
            confidence_score: number;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            document_id: string;
            document_title: string;
            /** @example DE0007164600 */
            isin?: string | null;
            match_status: components["schemas"]["MatchStatus"];
            /**
             * Format: int32
             * @description Its place among the trades of the result, from 0.
             */
            position: number;
            /** @description All its fields with their evidence. */
            raw_extracted_data: components["schemas"]["BTreeMap"];
            /** @description The request record that it matches. */
            request_id?: string | null;
            /** Format: int32 */
            result_version: number;
            review_status: components["schemas"]["ReviewStatus"];
            /**
             * Format: uuid
             * @description The run that created the result.
             */
            run_id: string;
            /** Format: date */
            settlement_date?: string | null;
            /** @example buy */
            side?: string | null;
            /** Format: date */
            trade_date?: string | null;
            /** Format: uuid */
            trade_id: string;
            /** Format: date-time */
            updated_at: string;
        };
        TypeAcceptanceView: {
            /** Format: double */
            accepted_error_rate?: number | null;
        };
        /** @description The quality of one document type. */
        TypeQualityView: components["schemas"]["QualityMeasures"] & {
            /**
             * Format: double
             * @description The chosen error rate.
             */
            accepted_error_rate: number;
            /**
             * @description What the threshold is based on: `shipped`, `shipped_and_reviewed` or `reviewed` fields.
             * @example shipped
             */
            basis: string;
            document_type: string;
            /**
             * Format: double
             * @description The bound of the expected error rate of fields from the threshold on; at most the chosen rate.
             */
            error_bound?: number | null;
            /**
             * Format: double
             * @description The error rate of these fields is below this one with a probability of 95 %, when the errors of one issuer come
             *     together as often as in the calibration data. It can be above the chosen rate.
             */
            error_upper_bound?: number | null;
            /** @description By name. */
            fields: components["schemas"]["FieldQualityView"][];
            /** @description The kinds of fields that are not accepted, although others are. */
            kinds_not_accepted: components["schemas"]["KindShortfallView"][];
            /** @description In the order of time; periods without data are left out. */
            periods: components["schemas"]["PeriodQualityView"][];
            /** @description Why no field is accepted; null when fields are accepted. */
            shortfall?: string | null;
            /**
             * Format: double
             * @description A field is accepted from this confidence on; null when none is.
             */
            threshold?: number | null;
        };
        /** @description An updated original of a document. */
        UpdateForm: {
            /**
             * @description The document type whose fields are extracted, or `auto` to let Docket recognise it; by default as in the last run.
             * @example contract_note
             */
            document_type?: string;
            /** Format: binary */
            file: Blob;
            /** @description The password of the file, if it has one. */
            password?: string;
            /** @example Signed by both parties */
            reason?: string;
        };
        /**
         * @description Only the given fields are changed. Any change ends all sessions of the user.
         * @example {
         *       "role": "reviewer"
         *     }
         */
        UpdateUserRequest: {
            active?: boolean | null;
            password?: string | null;
            role?: components["schemas"]["RoleName"] | null;
        };
        /** @description A file and its metadata. */
        UploadForm: {
            /** Format: binary */
            file: Blob;
            /** @description The password of the file, if it has one. */
            password?: string;
            /**
             * @description May be repeated.
             * @example [
             *       "lease"
             *     ]
             */
            tag?: string[];
            /**
             * @description Default: the file name.
             * @example Lease, 12 High Street
             */
            title?: string;
        };
        /** @description Any number of files. */
        UploadManyForm: {
            file: Blob[];
            password?: string;
            tag?: string[];
            /** @description Applies to the next file in the form, as do the password and the tags. */
            title?: string;
        };
        UsageView: {
            /**
             * Format: int64
             * @description The size of the originals of documents that are not deleted. The same content counts once.
             */
            bytes: number;
            /** Format: int64 */
            documents: number;
            /** Format: int64 */
            users: number;
            /** Format: int64 */
            waiting_runs: number;
        };
        UserPage: {
            items: components["schemas"]["UserView"][];
            /**
             * Format: int32
             * @description Rows per page.
             */
            limit: number;
            /** @description The cursor of the next page; `null` on the last page. */
            next_cursor?: string | null;
        };
        UserView: {
            /** @description A deactivated user cannot sign in. */
            active: boolean;
            /** Format: date-time */
            created_at: string;
            email: string;
            role: components["schemas"]["RoleName"];
            /** Format: uuid */
            tenant_id: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: uuid */
            user_id: string;
        };
        VersionView: {
            content_hash: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            deactivated_at?: string | null;
            /** Format: uuid */
            doc_version_id: string;
            is_active: boolean;
            /** @description Whether search can use it while it is active. */
            is_searchable?: boolean;
            /** Format: uuid */
            run_id: string;
            version_label: string;
        };
        /** @enum {string} */
        WordSourceView: "layer" | "form" | "tesseract" | "pp_ocr" | "agreed";
        WordView: {
            /** @description Left, top, right, bottom, in points from the top left corner. */
            box?: number[] | null;
            /**
             * Format: int32
             * @description From 0 to 100.
             */
            confidence: number;
            /** @description What produced the text. */
            origin: components["schemas"]["WordSourceView"];
            other?: components["schemas"]["OtherReadingView"] | null;
            text: string;
        };
    };
    responses: {
        /** @description The body is too large */
        BodyTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Conflicts with the current state; `code` says why */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The caller may not do this; `code` says why */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is not valid; `detail` says why, `field` names the invalid field */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The link has expired or was revoked; `code` says which */
        LinkGone: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The link does not exist, or the document was deleted */
        LinkNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description This client may not read the metrics */
        MetricsNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description It does not exist, or the caller has no access */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not JSON */
        NotJson: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The range starts after the end of the file */
        OutOfRange: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests; see Retry-After */
        RateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The database is unavailable */
        SignInUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The database or the object store is unavailable */
        StoreUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many attempts; see Retry-After */
        TooManyAttempts: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No valid credential */
        Unauthenticated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Temporarily unavailable; `code` says why, Retry-After says when to try again */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The Idempotency-Key belongs to a different request, or the request names an unknown document type; `code` says which */
        Unprocessable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The file or the rest of the form exceeds its limit, or the storage quota is used up; `code` says which */
        UploadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No data arrived for too long */
        UploadTooSlow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The email address or the password is wrong */
        WrongCredentials: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the server */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthView"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            404: components["responses"]["MetricsNotFound"];
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the server */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthView"];
                };
            };
            /** @description An essential dependency is unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthView"];
                };
            };
        };
    };
    list_api_keys: {
        parameters: {
            query?: {
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page: faster than a page number, and stable while rows are added. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of API keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description The new key, with its secret */
            201: {
                headers: {
                    /** @description The path of the key */
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKeyView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    find_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    revoke_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    ask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskBody"];
            };
        };
        responses: {
            /** @description The answer with its citations, or an abstention */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AskResponse"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_audit: {
        parameters: {
            query?: {
                /** @description Rows about this document. */
                doc_id?: string;
                action?: string;
                /**
                 * @description A user's email address or id, the name of an API key or `api_key:` and its id, or `system`. An unknown actor has no
                 *     rows.
                 * @example ada@example.com
                 */
                actor?: string;
                entity_type?: string;
                entity_id?: string;
                /** @description Inclusive. */
                from?: string;
                /** @description Exclusive. */
                to?: string;
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page: faster than a page number, and stable while rows are added. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the audit log */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_audit_checkpoints: {
        parameters: {
            query?: {
                /** @description Only checkpoints with a higher number. */
                after?: number;
                /** @description The most items to return. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The checkpoints */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    verify_audit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of the check */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainView"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description A token, and its user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["WrongCredentials"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["TooManyAttempts"];
            503: components["responses"]["SignInUnavailable"];
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_batches: {
        parameters: {
            query?: {
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page: faster than a page number, and stable while rows are added. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of batches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated requests with the same key and the same content take effect once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBatchRequest"];
            };
        };
        responses: {
            /** @description The batch */
            201: {
                headers: {
                    /** @description `true` if the response is that of an earlier request */
                    "idempotent-replayed"?: string;
                    /** @description The path of the batch */
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    find_batch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    add_to_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated requests with the same key and the same content take effect once */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["UploadManyForm"];
            };
        };
        responses: {
            /** @description No file was accepted; each result says why */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchUploadResponse"];
                };
            };
            /** @description At least one file was accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchUploadResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["UploadTooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["UploadTooLarge"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_batch_results: {
        parameters: {
            query?: {
                /** @description Instead of the `Accept` header. The default is `json`. */
                format?: "json" | "ndjson" | "csv";
                /** @description The page, counted from 1. Only of JSON, as are `limit` and `cursor`. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page: faster than a page number, and stable while rows are added. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch's documents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResultPage"];
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    see_configuration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every setting */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfigView"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_document_types: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document types */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentTypeList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    find_document_type: {
        parameters: {
            query?: {
                /** @description A version; by default the current one. 0 is the built-in type. */
                version?: number;
            };
            header?: never;
            path: {
                /** @example invoice */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document type */
            200: {
                headers: {
                    /** @description The tag of the version, for If-Match */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentTypeView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    put_document_type: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that is changed; if it is not the current one, the request is refused (409) */
                "If-Match"?: string;
                /** @description `*`: only create; what exists is not changed (409) */
                "If-None-Match"?: string;
            };
            path: {
                /** @example delivery_note */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentTypeDefinition"];
            };
        };
        responses: {
            /** @description The type has this definition already */
            200: {
                headers: {
                    /** @description The tag of the version, for If-Match */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentTypeView"];
                };
            };
            /** @description The new version */
            201: {
                headers: {
                    /** @description The tag of the version, for If-Match */
                    etag?: string;
                    /** @description The path of the version */
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentTypeView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    withdraw_document_type: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that is changed; if it is not the current one, the request is refused (409) */
                "If-Match"?: string;
            };
            path: {
                /** @example delivery_note */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdrawn */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    dry_run_document_type: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example delivery_note */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DryRunRequest"];
            };
        };
        responses: {
            /** @description What the type extracts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentTypeDryRun"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_document_type_versions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example invoice */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentTypeVersions"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_documents: {
        parameters: {
            query?: {
                /** @description Without it, only `active` documents; `all` for every status. */
                status?: "active" | "uploaded" | "processing" | "failed" | "inactive" | "rejected" | "all";
                /**
                 * @description The file kind: pdf, docx, …
                 * @example pdf
                 */
                type?: string;
                /**
                 * @description How it was submitted: manual, batch, attachment, …
                 * @example manual
                 */
                source?: string;
                tag?: string;
                batch_id?: string;
                /** @description A part of the title or of the file name; not case-sensitive. */
                search?: string;
                /** @description Inclusive. */
                from?: string;
                /** @description Exclusive. */
                to?: string;
                /**
                 * @description `newest` (the latest upload first, when left out), `oldest`, `title` (A to Z, in capitals or not), `title_desc`
                 *     or `updated` (the latest change first).
                 */
                sort?: "newest" | "oldest" | "title" | "title_desc" | "updated";
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /**
                 * @description `next_cursor` of the previous page, with the same `sort`: faster than a page number, and stable while rows are
                 *     added.
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of documents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_document: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated requests with the same key and the same content take effect once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["UploadForm"];
            };
        };
        responses: {
            /** @description Nothing to do: the document is active */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestResponse"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The path of the run */
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["UploadTooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["UploadTooLarge"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    count_facets: {
        parameters: {
            query?: {
                /** @description Without it, only `active` documents; `all` for every status. */
                status?: "active" | "uploaded" | "processing" | "failed" | "inactive" | "rejected" | "all";
                /**
                 * @description The file kind: pdf, docx, …
                 * @example pdf
                 */
                type?: string;
                /**
                 * @description How it was submitted: manual, batch, attachment, …
                 * @example manual
                 */
                source?: string;
                tag?: string;
                batch_id?: string;
                /** @description A part of the title or of the file name; not case-sensitive. */
                search?: string;
                /** @description Inclusive. */
                from?: string;
                /** @description Exclusive. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FacetsView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_orphans: {
        parameters: {
            query?: {
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page: faster than a page number, and stable while rows are added. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of documents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    count_documents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentSummary"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    link_to_pdf_of_trade: {
        parameters: {
            query?: {
                /** @description How long the link is valid. */
                expires_in_hours?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    find_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentDetailView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    deactivate_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdrawn */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    link_to_original: {
        parameters: {
            query?: {
                /** @description How long the link is valid. */
                expires_in_hours?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_page: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                /**
                 * @description The number of the page, from 1
                 * @example 1
                 */
                page: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_page_image: {
        parameters: {
            query?: {
                /** @description The width of the image in pixels: 320, 800, 1280 or 2000. */
                width?: number;
            };
            header?: never;
            path: {
                id: string;
                /**
                 * @description The number of the page, from 1
                 * @example 1
                 */
                page: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": components["schemas"]["FileContent"];
                };
            };
            /** @description The image has the tag that `If-None-Match` names */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    link_to_pdf: {
        parameters: {
            query?: {
                /** @description How long the link is valid. */
                expires_in_hours?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    rerun_document: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated requests with the same key and the same content take effect once */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RerunRequest"];
                "multipart/form-data": components["schemas"]["UpdateForm"];
            };
        };
        responses: {
            /** @description The run that was queued */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RerunResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["UploadTooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["UploadTooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_result: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_results: {
        parameters: {
            query?: {
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of results */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    find_result: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    compare_results: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: number;
                other: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The differences */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultDiffView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    promote_result: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated requests with the same key and the same content take effect once */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The new current result */
            201: {
                headers: {
                    /** @description `true` if the response is that of an earlier request */
                    "idempotent-replayed"?: string;
                    /** @description The path of the new version */
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResultView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    retry_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run that was queued */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RerunResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    tag_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Tags"];
            };
        };
        responses: {
            /** @description The new tags of the document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tags"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_text: {
        parameters: {
            query?: {
                format?: "text" | "markdown";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text, in the requested format */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "text/markdown": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    rename_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentTitle"];
            };
        };
        responses: {
            /** @description The new title of the document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentTitle"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    link_to_page_view: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageViewLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    follow_events: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the last event that was received */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    follow_link: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The original; its `Content-Type` is that of the file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": components["schemas"]["FileContent"];
                };
            };
            /** @description The requested range */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": components["schemas"]["FileContent"];
                };
            };
            /** @description The original is in the object store */
            307: {
                headers: {
                    /** @description The URL of the object store */
                    location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["LinkNotFound"];
            410: components["responses"]["LinkGone"];
            416: components["responses"]["OutOfRange"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
    find_ids: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description An id, or at least its last 4 digits
                 * @example 5921a8f5
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ids */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundIdsView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    ingest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated requests with the same key and the same content take effect once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["UploadForm"];
            };
        };
        responses: {
            /** @description Nothing to do: the document is active */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestResponse"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    /** @description The path of the run */
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["UploadTooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["UploadTooLarge"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_runs: {
        parameters: {
            query?: {
                status?: "queued" | "running" | "succeeded" | "failed";
                doc_id?: string;
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page: faster than a page number, and stable while rows are added. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    find_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    get_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                /** @example layout */
                stage: string;
                /** @example document.md */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The artifact */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": components["schemas"]["FileContent"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                /** @description `DEAD` lists the dead jobs that need attention, as `/v1/jobs/dead` does. */
                status?: "PENDING" | "PROCESSING" | "COMPLETED" | "DEAD";
                stage?: string;
                run_id?: string;
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page: faster than a page number, and stable while rows are added. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_dead_jobs: {
        parameters: {
            query?: {
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page: faster than a page number, and stable while rows are added. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    discard_dead_jobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated requests with the same key and the same content take effect once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DiscardRequest"];
            };
        };
        responses: {
            /** @description How many dead jobs were discarded */
            200: {
                headers: {
                    /** @description `true` if the response is that of an earlier request */
                    "idempotent-replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscardResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    requeue_dead_jobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequeueRequest"];
            };
        };
        responses: {
            /** @description How many jobs were requeued */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequeueResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    find_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    retry_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_knowledge_base: {
        parameters: {
            query?: {
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page: faster than a page number, and stable while rows are added. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the knowledge base */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KnowledgeBasePage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_layout_memory: {
        parameters: {
            query?: {
                /** @description Only entries of this document type. */
                document_type?: string;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LayoutMemoryPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_layout_memory: {
        parameters: {
            query: {
                /** @description The document type whose entries are deleted. */
                document_type: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many entries were deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedLayoutMemory"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    delete_layout_memory_entry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    mcp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": 1,
                 *       "jsonrpc": "2.0",
                 *       "method": "tools/list"
                 *     }
                 */
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The result, or a JSON-RPC error */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The notification was accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MeView"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    change_own_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description A token, and its user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    logout_everywhere: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out everywhere */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    measure_quality: {
        parameters: {
            query?: {
                /** @description Inclusive. Without it, 90 days before `to`. */
                from?: string;
                /** @description Exclusive. Without it, now. */
                to?: string;
                /**
                 * @description Only this document type.
                 * @example invoice
                 */
                type?: string;
                /** @description The length of `periods`. */
                interval?: "day" | "week";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quality of extraction */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QualityView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_queues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every queue */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuesView"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancel_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    search_by_address: {
        parameters: {
            query: {
                /** @example termination notice */
                query: string;
                limit?: number;
                mode?: "hybrid" | "lexical" | "vector";
                document_id?: string;
                /** @description A file kind: pdf, docx, … */
                type?: string;
                batch_id?: string;
                tag?: string;
                created_from?: string;
                created_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The matching passages, the best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchBody"];
            };
        };
        responses: {
            /** @description The matching passages, the best first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    look_at_tenant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantView"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    change_acceptance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptanceView"];
            };
        };
        responses: {
            /** @description The tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    change_rules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RulesView"];
            };
        };
        responses: {
            /** @description The tenant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_trades: {
        parameters: {
            query?: {
                /** @description Only trades of this document. */
                document_id?: string;
                isin?: string;
                /** @description The first trade date. */
                date_from?: string;
                /** @description The last trade date. */
                date_to?: string;
                match_status?: components["schemas"]["MatchStatus"];
                review_status?: components["schemas"]["ReviewStatus"];
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of trades */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TradePage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    find_trade: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The trade */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TradeView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    link_to_trade_pdf: {
        parameters: {
            query?: {
                /** @description How long the link is valid. */
                expires_in_hours?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    list_users: {
        parameters: {
            query?: {
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows per page. */
                limit?: number;
                /** @description `next_cursor` of the previous page: faster than a page number, and stable while rows are added. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of users */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    create_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeated requests with the same key and the same content take effect once */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateUserRequest"];
            };
        };
        responses: {
            /** @description The user */
            201: {
                headers: {
                    /** @description `true` if the response is that of an earlier request */
                    "idempotent-replayed"?: string;
                    /** @description The path of the user */
                    location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    find_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    deactivate_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deactivated */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    update_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateUserRequest"];
            };
        };
        responses: {
            /** @description The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["NotJson"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    show_page_view: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page view */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client has this view already (`If-None-Match`) */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["LinkNotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["LinkGone"];
            416: components["responses"]["OutOfRange"];
            503: components["responses"]["StoreUnavailable"];
        };
    };
}

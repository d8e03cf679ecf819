// Made by scripts/generate-schema.mjs from the server's OpenAPI document. Do not edit.

export interface paths {
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Is the process alive */
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
         * @description In the text format of Prometheus. They hold counts and times of this process and the queues of all tenants,
         *     and nobody's data. They are for clients on this machine, and for whoever presents the `metrics_token` as a bearer token.
         *     What a reverse proxy forwards is not from this machine, unless the proxy is trusted and says so.
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
         * Can the process serve
         * @description Names everything it depends on. A server that works in part (`degraded`: it takes documents in and finds them,
         *     and reads none because its sandbox is missing) answers 200.
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
         * Make an API key
         * @description The key is valid until it expires or is revoked, and while the user who made it is active. The answer is the only time
         *     the key is shown. It takes no `Idempotency-Key`: repeating the answer
         *     would mean keeping the secret.
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
        /** Look at an API key */
        get: operations["find_api_key"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Its access ends at once here, and within a minute on every other server.
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
         * @description Answers from what is found, and cites it; or says that the documents do not say. With `Accept:
         *     text/event-stream` it tells `passages`, then `delta`s of an answer that is not checked yet, then the
         *     `answer`, which takes their place; or a `problem`.
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
         * @description For whoever keeps them outside of Docket: what is changed below a checkpoint contradicts it.
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
         * Check the audit log
         * @description Recomputes every hash of the tenant's chain, and compares the log with its signed checkpoints. One check at a time
         *     runs for a tenant, and two for all; otherwise 503, `audit_check_running`.
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
         * @description Answers with a token that is good until `expires_at`, or until the user signs out or is changed.
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
         * @description Ends the presented token everywhere.
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
        /** Make a batch */
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
        /** Look at a batch */
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
         * @description Many files: their headers and the other fields may come to 256 kB. Each file is accepted or refused by itself, as the
         *     answer says. A title, a password and tags are for the file that comes next.
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
         * What became of a batch's documents
         * @description In the order they came.
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
         * See how the server is set up
         * @description Every setting of the process that answers, where it came from and what it is for. Of a secret it says only
         *     whether it is set. Paths, hosts and limits are the business of whoever runs the server, so this is for
         *     administrators of the operator's tenant alone: the one that was made first. Administrators of other tenants
         *     get 403.
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
    "/v1/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List documents
         * @description The latest uploads first, unless `sort` says otherwise; without `status`, the documents that are ready (`active`). A
         *     list of one status, type, source, tag, batch or owner is read from an index, however many documents there are. With
         *     several conditions, and with `search`, the server examines one list for documents that meet the others, 10,000
         *     documents at most for a page: such a page may hold fewer than `limit`, or none, and still have a `next_cursor` to
         *     continue from. Only without one has the list ended.
         *
         *     Callers who see only their own documents sort by the titles they gave.
         */
        get: operations["list_documents"];
        put?: never;
        /**
         * Hand a document in (alias)
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
         * Count what documents could be narrowed down by
         * @description Each facet counts the documents that fit all conditions but its own, so that it shows what else could be chosen.
         *     Up to 10,000 documents are looked at, the newest. Where that is all of them, every count is exact and
         *     `is_complete` is true (for tags: when there are no more than the 20 that are listed). Where it is not, counts are of
         *     those 10,000 and `at_least` is true, and a value that none of them has is missing. Without conditions, whoever
         *     sees all documents of the tenant gets status, type and source complete in any case, each exact below 10,000.
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
        /** Count documents by where they stand */
        get: operations["count_documents"];
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
         * Look at a document
         * @description With its versions, its latest runs and what became of their stages.
         */
        get: operations["find_document"];
        put?: never;
        post?: never;
        /**
         * Delete a document
         * @description Nobody can see, find or read it any more, nor its runs; links to it end. Its rows and its original stay until
         *     they are erased.
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
         * Take a document out of service
         * @description Its version is not served any more. Nothing is deleted.
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
         * A link to the original
         * @description Whoever has the link can read the original until the link expires, the document is deleted, or the caller
         *     who made it may not read the original any more. The original of a document with masks, or that holds a deleted
         *     file, is for administrators only (403, `original_is_masked` or `original_holds_deleted`).
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
         * Draw a page
         * @description A picture of the page, with the tenant's masks.
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
         * A link to the original (alias)
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
         * Process a document again
         * @description What is served stays served until the new run succeeds. Sent as a form with a file, the document gets an updated
         *     original: it keeps its id, its owners and what they call it, and has a new version once the run succeeds. The file
         *     must be of the document's kind. A file with the content that the document has is a plain rerun; one whose content is
         *     another document is refused (409, `content_is_another_document`).
         */
        post: operations["rerun_document"];
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
        /** Try a failed document again */
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
         * @description The tags given take the place of those it had.
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
        /** The text of a document */
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
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens
         * @description Server-sent events about what the caller may see: `document.queued`, `document.started`, `document.paused`,
         *     `document.completed`, `document.failed`, `document.renamed`, `batch.completed`, `batch.partial`; and, for callers who see all
         *     documents, `dead_jobs.changed` when the list of dead jobs has changed. After an interruption,
         *     `Last-Event-ID` goes on behind the last event that was seen; nothing is missed.
         *
         *     Two messages have no `id`, so that they leave `Last-Event-ID` as it is:
         *     - `document.progress` tells how far a stage is that is under way: `doc_id`, `run_id`, `stage`, `done` and `total`. It
         *       is sent about once a second and is not kept.
         *     - `stream.reset` comes first when events are missing between the last one that was seen and the next one: read anew
         *       what you show. Its `reason` is `events_pruned` (events are kept for as many days as `events_kept_days` says) or
         *       `unknown_event` (nothing is known of that event). The stream goes on with the oldest event that is kept.
         *
         *     The stream ends when the caller's access does: signed out, deactivated, revoked or expired.
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
         * Follow a link to an original
         * @description It needs no credential: it is followed in the name of whoever made it, as long as they are active and may read
         *     the original. Where an object store holds the original, it leads there for a minute. Each read is recorded in
         *     the audit log; requests from one client within ten minutes count as one.
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
         * Hand a document in
         * @description It is known by its content: the same content again is skipped, or joins the run under way.
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
        /** Look at a run */
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
         * Download what a stage left
         * @description Everyone who sees the document can read the run of its active version, and its latest run while no version
         *     is active. Older runs are for administrators and reviewers (403, `run_is_older`), runs from before a mask for
         *     administrators (403, `run_is_before_mask`).
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
         * @description Newest first. A dead job says in `closed_by` when it needs no attention any more.
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
         * @description Those that need attention, one for each document at most: each says what happened, in which stage, after how many
         *     attempts, and what a person can do. A dead job leaves the list by itself when its document is deleted or withdrawn or
         *     a later run takes the place of its run; somebody can discard it.
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
         * Discard failures
         * @description Their dead jobs need no attention any more; their documents stay failed, with the reason. They can still be retried
         *     or rerun. Jobs that are not dead or need no attention are left as they are, and the answer says why.
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
         * Give dead jobs a fresh start
         * @description Oldest first, those that need attention and fit every condition of the body; 1000 at most in one request.
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
        /** Look at a job */
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
         * Give a dead job a fresh start
         * @description One that was discarded, too. Not one whose document was deleted (`document_deleted`), nor one of a run that a later
         *     run took the place of (`job_superseded`).
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
         * @description The documents that may influence answers to the caller, newest first. What is not here influences none.
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
         * Speak the Model Context Protocol
         * @description One JSON-RPC message: `initialize`, `ping`, `tools/list` or `tools/call` with `search`, `ask` or
         *     `get_document`. Notifications are taken and not answered.
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
        /** Who am I */
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
         * Change one's own password
         * @description Whoever knows the password may replace it. All other sessions of the user end; this one goes on with the token in the
         *     answer.
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
         * @description Ends every session of the user, the presented token included. API keys stay valid.
         */
        delete: operations["logout_everywhere"];
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
        /** How the queues stand */
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
         * @description Its job is given up; retrying that job goes on with the run.
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
        /** Search with query parameters */
        get: operations["search_by_address"];
        put?: never;
        /**
         * Search
         * @description By words and by meaning, in the documents that the caller may see and that are served now.
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
         * Look at the tenant
         * @description Its rules, what the operator grants it, and what it uses.
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
         * @description The rules given take the place of those there were. They hold for what is handed in or run again from now on.
         */
        put: operations["change_rules"];
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
        /** Look at a user */
        get: operations["find_user"];
        put?: never;
        post?: never;
        /**
         * Deactivate a user
         * @description They can no longer sign in; everything they did stays on record.
         */
        delete: operations["deactivate_user"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Role, password or whether they may sign in. Ends the user's sessions.
         */
        patch: operations["update_user"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ApiKeyPage: {
            items: components["schemas"]["ApiKeyView"][];
            /**
             * Format: int32
             * @description Rows a page.
             */
            limit: number;
            /** @description Where the next page begins; `null` on the last one. */
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
             * @description Null when it does not expire.
             */
            expires_at?: string | null;
            /**
             * Format: date-time
             * @description Accurate to about 15 seconds.
             */
            last_used_at?: string | null;
            name: string;
            /**
             * @description How the key begins.
             * @example dk_Zk3xPq0aBc9d
             */
            prefix: string;
            /** Format: date-time */
            revoked_at?: string | null;
            role: components["schemas"]["RoleName"];
        };
        /** @description A part of a page. */
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
             * @description What an attachment was called in its document.
             * @default null
             */
            file_name?: string | null;
            /**
             * @description Where the object store has it; missing when it became a document of its own.
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
             * @description Of this form; missing where it was written before there were versions.
             * @default null
             */
            version?: number | null;
            /**
             * Format: int32
             * @description The pages among them whose text only OCR can read.
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
            /** @description Null when the documents do not say. */
            answer?: string | null;
            citations: components["schemas"]["CitationView"][];
            /**
             * Format: float
             * @description How likely the answer is right, from 0 to 1.
             */
            confidence: number;
            /** @description The passages that come nearest, when there is no answer. */
            nearest: components["schemas"]["HitView"][];
            /**
             * @description Who answered: `extractive` quotes the best sentence.
             * @example extractive
             */
            provider: string;
            /** @description Why there is no answer. */
            reason?: string | null;
            sentences: components["schemas"]["SentenceView"][];
            warnings: string[];
        };
        AuditEntryView: {
            /** @example USER_LOGIN */
            action: string;
            /** @description A user's id, `api_key:` and a key's id, or `system`. */
            actor: string;
            /** @description Who that is today: a user's email address, or a key's name. The row is sealed without it. */
            actor_name?: string | null;
            /** Format: uuid */
            audit_id: string;
            detail: Record<string, never>;
            /** Format: uuid */
            entity_id: string;
            /** @example user */
            entity_type: string;
            /** @description What the row is sealed with, in hexadecimal. */
            hash: string;
            /**
             * Format: int32
             * @description Where the row stands in the tenant's chain.
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
             * @description Rows a page.
             */
            limit: number;
            /** @description Where the next page begins; `null` on the last one. */
            next_cursor?: string | null;
        };
        BatchCounts: {
            /**
             * Format: int32
             * @description The same content twice is one document.
             */
            documents: number;
            /** Format: int32 */
            failed: number;
            /**
             * Format: int32
             * @description Files that were offered, and those among them that were refused.
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
            /** @description Counting stopped: there may be more. */
            at_least?: boolean;
            /** Format: uuid */
            batch_id: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: int64
             * @description Those of the documents that came with it.
             */
            documents: number;
            name?: string | null;
        };
        BatchPage: {
            items: components["schemas"]["BatchView"][];
            /**
             * Format: int32
             * @description Rows a page.
             */
            limit: number;
            /** @description Where the next page begins; `null` on the last one. */
            next_cursor?: string | null;
        };
        BatchResultPage: {
            items: components["schemas"]["BatchResultView"][];
            /**
             * Format: int32
             * @description Rows a page.
             */
            limit: number;
            /** @description Where the next page begins; `null` on the last one. */
            next_cursor?: string | null;
        };
        /** @description A document of a batch, and what became of it. */
        BatchResultView: {
            /** Format: date-time */
            added_at: string;
            /** @description What handing it in came to. */
            dedup_result: components["schemas"]["DedupResult"];
            /** Format: uuid */
            doc_id: string;
            error?: string | null;
            filename: string;
            /** Format: date-time */
            finished_at?: string | null;
            /** Format: uuid */
            run_id?: string | null;
            run_status?: components["schemas"]["RunStatus"] | null;
            stats?: components["schemas"]["RunStats"] | null;
            /** @description Where the document stands. */
            status: components["schemas"]["DocumentStatus"];
            title: string;
        };
        /**
         * @description Where a batch stands.
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
             * @description Of a heading, 1 being the highest; of a list item, from 0.
             */
            level?: number | null;
            /** @description Places in `lines`. */
            lines: components["schemas"]["SpanView"];
            /**
             * Format: int32
             * @description The place of a table in `tables`.
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
        /** @description Whether the audit log is whole. */
        ChainView: {
            /** @description How many signed checkpoints the log was compared with. */
            checkpoints: number;
            /** @description What was changed, moved or removed, in sentences. */
            faults: string[];
            is_whole: boolean;
            /**
             * Format: date-time
             * @description Rows that came later are protected by the hash chain only.
             */
            last_checkpoint_at?: string | null;
            /** Format: int64 */
            rows: number;
        };
        ChangePasswordRequest: {
            current_password: string;
            new_password: string;
        };
        CheckpointPage: {
            /** @description In the order of their numbers. */
            items: components["schemas"]["CheckpointView"][];
        };
        /**
         * @description A signed statement of where the tenant's audit log ended at one moment. Keep it outside of Docket, one JSON
         *     document a line, and `docket audit verify --against` compares the log with it.
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
            /** @description What was signed: a JSON document, kept byte by byte. */
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
            /** @description The words that the answer rests on. */
            quote: string;
            title: string;
        };
        /** @description Every setting in force. Nothing secret is in it. */
        ConfigView: {
            /** @description In the order in which they are explained. */
            settings: components["schemas"]["SettingView"][];
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
             * @description When the key ends by itself; it must be in the future. Without it the key does not expire.
             */
            expires_at?: string | null;
            /**
             * @description What the key is for.
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
            /** @description Whether content that is served already is left alone. Yes, when left out. */
            dedupe?: boolean | null;
            /**
             * Format: int32
             * @description How many files will come, refused ones included. The batch is over with the last of them;
             *     without this, whenever all that came so far are done.
             */
            expected_documents?: number | null;
            name?: string | null;
            /** @description The stages its documents pass; the usual ones when left out. */
            pipeline?: string[] | null;
            schema_mapping?: unknown;
            /** @description Where to tell what became of it. */
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
             * @description 8 characters or more, 71 bytes or less.
             * @example correct horse battery
             */
            password: string;
            role: components["schemas"]["RoleName"];
        };
        CreatedApiKeyView: components["schemas"]["ApiKeyView"] & {
            /** @description The key itself. It is shown this once: keep it now. */
            key: string;
        };
        /**
         * @description What came of handing a document in.
         * @enum {string}
         */
        DedupResult: "new" | "new_version" | "skipped" | "in_progress";
        DependencyView: {
            /** @example database */
            name: string;
            /** @description What is wrong with it. */
            problem?: string | null;
            status: components["schemas"]["HealthStatus"];
        };
        /** @description Which failures to discard. */
        DiscardRequest: {
            /** @description Dead jobs. */
            job_ids: string[];
        };
        DiscardResponse: {
            /**
             * Format: int32
             * @description How many failures were discarded.
             */
            discarded: number;
            /** @description Jobs that were left as they are. */
            skipped: components["schemas"]["SkippedJobView"][];
        };
        DocumentDetailView: components["schemas"]["DocumentView"] & {
            /** @description What came within it as attachments, and what it came within. */
            parts: components["schemas"]["PartView"][];
            /** @description The latest ones, newest first. */
            runs: components["schemas"]["RunView"][];
            versions: components["schemas"]["VersionView"][];
        };
        DocumentPage: {
            items: components["schemas"]["DocumentView"][];
            /**
             * Format: int32
             * @description Rows a page.
             */
            limit: number;
            /** @description Where the next page begins; `null` on the last one. */
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
         * @description Where a document stands.
         *
         *     A document with an active version is `active`, whatever a later run of it does. Without one it
         *     follows its latest run; `inactive` is one whose version was taken out of service.
         * @enum {string}
         */
        DocumentStatus: "uploaded" | "processing" | "active" | "failed" | "inactive" | "rejected";
        /** @description How many documents there are, by where they stand. */
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
        DocumentView: {
            content_hash?: string | null;
            /** @description It has a password that you have not presented: upload it again with its password to read and find it. */
            content_locked?: boolean;
            /** @example application/pdf */
            content_type: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            doc_id: string;
            /**
             * Format: uuid
             * @description Of the active version.
             */
            doc_version_id?: string | null;
            /** @description Why the last run failed. */
            error?: string | null;
            /**
             * @description Which failure that is, where a program can do something about it: `password_required` or `wrong_password`.
             *     `POST /v1/documents/{id}/rerun` takes the password.
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
            /** @description Searches and answers can use it. A document that was processed without the stage `index` is listed only. */
            is_searchable?: boolean;
            /**
             * Format: int32
             * @description Of the version that is served, once a run has counted them.
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
             * @description Which way it came in first.
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
        /** @enum {string} */
        ErrorClass: "retry" | "permanent" | "poison" | "cancelled";
        FacetValueView: {
            /** @description Counting stopped: there may be more. */
            at_least: boolean;
            /** Format: int64 */
            documents: number;
            /** @example pdf */
            value: string;
        };
        /** @description The values of a facet, the most frequent first. */
        FacetView: {
            /** @description Every value that there is, is listed. */
            is_complete: boolean;
            values: components["schemas"]["FacetValueView"][];
        };
        /** @description What documents could be narrowed down by. */
        FacetsView: {
            /** @description The latest 20 that any of the documents came with, and the chosen one. */
            batches: components["schemas"]["BatchFacetView"][];
            /** @description Ways they came in. */
            source: components["schemas"]["FacetView"];
            status: components["schemas"]["FacetView"];
            /** @description The 20 most frequent. */
            tag: components["schemas"]["FacetView"];
            /** @description Kinds of files. */
            type: components["schemas"]["FacetView"];
        };
        /**
         * Format: binary
         * @description The bytes of a file.
         */
        FileContent: Blob;
        /** @description What became of one file of several. */
        FileOutcome: {
            accepted?: components["schemas"]["IngestResponse"] | null;
            filename: string;
            problem?: components["schemas"]["FileProblem"] | null;
        };
        FileProblem: {
            code: string;
            detail: string;
        };
        /** @enum {string} */
        HealthStatus: "ok" | "degraded" | "unavailable";
        HealthView: {
            /** @description Everything the server needs to serve; empty where only life was asked for. */
            dependencies: components["schemas"]["DependencyView"][];
            status: components["schemas"]["HealthStatus"];
            version: string;
        };
        /** @description A part of the snippet, in characters. */
        HighlightView: {
            end: number;
            start: number;
        };
        /** @description A passage that was found. */
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
            /** @description The headings that it stands under. */
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
        /** @description What became of an upload. */
        IngestResponse: {
            /** @example sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 */
            content_hash: string;
            /** @description What handing it in came to. Later versions may tell more kinds apart. */
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
             * @description Rows a page.
             */
            limit: number;
            /** @description Where the next page begins; `null` on the last one. */
            next_cursor?: string | null;
        };
        /**
         * @description Where a job stands.
         * @enum {string}
         */
        JobStatus: "PENDING" | "PROCESSING" | "COMPLETED" | "DEAD";
        JobView: {
            /**
             * Format: int32
             * @description Retries used up, and allowed.
             */
            attempts: number;
            /**
             * @description Why a dead job needs no attention any more: its document was `deleted` or `withdrawn`, a later run
             *     `superseded` its run, or somebody `discarded` it.
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
             * @description Which failure it was, where a program can do something about it: `password_required` or `wrong_password`.
             * @example password_required
             */
            error_code?: string | null;
            /**
             * Format: int32
             * @description How often its worker died under it.
             */
            expiries: number;
            /** @description What a person can do about it. */
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
             * @description How often it was paused, which uses up no attempt.
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
             * @description What a paused job waits for: `object_store`, `database`, `local_disk`, `embedding_model`, `reader` or
             *     `secrets_key`. It goes on by itself when that works again.
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
        KnowledgeBasePage: {
            items: components["schemas"]["KnownDocumentView"][];
            /**
             * Format: int32
             * @description Rows a page.
             */
            limit: number;
            /** @description Where the next page begins; `null` on the last one. */
            next_cursor?: string | null;
        };
        /** @description A document that may influence answers. */
        KnownDocumentView: {
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
        /** @description What the operator grants. */
        LimitsView: {
            /**
             * Format: int32
             * @description Uploads that one server takes at once.
             */
            concurrent_uploads: number;
            /** Format: int64 */
            max_upload_bytes: number;
            /**
             * Format: int32
             * @description Runs that may wait at once.
             */
            queue_quota: number;
            /** Format: int32 */
            requests_per_second: number;
            /**
             * Format: int64
             * @description The most that `usage.bytes` may come to; null when there is no limit.
             */
            storage_quota_bytes?: number | null;
        };
        /** @description A link that whoever has it can follow, until it expires or is revoked. */
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
        /** @description A region that is blanked out before a page is read, and in the pictures that people see. */
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
            /** @description Only in files whose name holds this. */
            file_name_contains?: string | null;
            /** @description Only in files of these kinds: pdf, png, … */
            kinds?: string[];
            /**
             * Format: int32
             * @description Only on this page, counted from 1.
             */
            page?: number | null;
        };
        /** @description The caller, as the presented credential says. */
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
        /** @enum {string} */
        OriginView: "layer" | "form" | "tesseract" | "pp_ocr" | "agreed";
        OtherReadingView: {
            /** Format: int32 */
            confidence: number;
            origin: components["schemas"]["OriginView"];
            text: string;
        };
        /** @description One page. Everything refers to `words` by their places in that list, `from..to`. */
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
             * @description How much of the text can be trusted, of 100.
             */
            quality: number;
            tables: components["schemas"]["TableView"][];
            text_source: components["schemas"]["TextSourceView"];
            /** @description What went wrong when OCR looked at the page; absent where nothing did. */
            trouble?: string | null;
            /**
             * Format: float
             * @description In points (1/72 inch), as a person sees it; absent where the format has no pages.
             */
            width?: number | null;
            words: components["schemas"]["WordView"][];
        };
        /** @description A document that came within this one, or the other way round. */
        PartView: {
            /** Format: uuid */
            doc_id: string;
            /** @description What the inner one is called in the outer one. */
            name: string;
            /**
             * @description `within` this document, or `around` it.
             * @example within
             */
            place: string;
            status: components["schemas"]["DocumentStatus"];
            title: string;
        };
        /** @description What went wrong and what to do about it (`application/problem+json`). */
        Problem: {
            /**
             * @description The kind of problem for programs; does not change between versions.
             * @example not_found
             */
            code: string;
            /**
             * @description What happened this time, and what to do.
             * @example there is no such user
             */
            detail: string;
            /** @description The field of the request that is at fault, when it is one. */
            field?: string | null;
            /**
             * Format: int32
             * @description The HTTP status.
             * @example 404
             */
            status: number;
            /**
             * @description The kind of problem in a few words.
             * @example Not found
             */
            title: string;
            /**
             * @description Quote this when you ask for help: it finds the request in the logs.
             * @example 4bf92f3577b34da6a3ce929d0e0e4736
             */
            trace_id: string;
            /** @description A URI for the kind of problem: `about:blank#` and the code. */
            type: string;
        };
        /** @description How the queue of a stage stands. */
        QueueView: {
            /**
             * Format: int64
             * @description Dead jobs that need attention.
             */
            dead: number;
            /**
             * Format: int64
             * @description Jobs that were finished in the last minute, well or not.
             */
            finished_last_minute: number;
            /** Format: int64 */
            in_flight: number;
            /**
             * Format: int64
             * @description How long the oldest job has waited that could be worked on.
             */
            oldest_age_seconds?: number | null;
            /**
             * Format: int64
             * @description Those among them that wait for something processing depends on.
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
         * @description Which dead jobs get a fresh start, of those that need attention; all conditions hold together. At least one is needed, or
         *     `all`.
         * @example {
         *       "error_class": "retry",
         *       "stage": "ocr"
         *     }
         */
        RequeueRequest: {
            /**
             * @description Every dead job that needs attention; goes with no condition.
             * @default false
             */
            all?: boolean;
            /**
             * Format: date-time
             * @description Made at this moment or later.
             * @default null
             */
            created_after?: string | null;
            /**
             * Format: date-time
             * @description Made before this moment.
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
             * @description A part of the error, in capitals or not.
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
             * @description How many jobs got a fresh start, 1000 at most in one request.
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
             * @description The stage to begin with, on what the stages before it left the last time; the first one when
             *     left out.
             */
            from_stage?: string | null;
            /** @description Opens the original; the one that was given before when left out. */
            password?: string | null;
            /** @description The stages to pass; the usual ones when left out. */
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
        /**
         * @description What somebody may do in their tenant.
         * @enum {string}
         */
        RoleName: "admin" | "user" | "reviewer" | "viewer" | "auditor" | "api_client";
        /** @description What a tenant's administrators decide about its documents. */
        RulesView: {
            /**
             * @description Regions of pages that nobody may read. A new one takes effect on a document with its next run, and on who may
             *     read its original at once.
             */
            masks?: components["schemas"]["MaskView"][];
            /** @description The stages a document passes when its batch does not say otherwise; the usual ones when empty. */
            pipeline?: string[];
        };
        /**
         * @description What a run was told when it was made. A caller who sees only their own documents is not told what somebody else said
         *     of the same content.
         */
        RunConfigView: {
            /** @description `sha256:…` */
            content_hash: string;
            /** @example application/pdf */
            content_type: string;
            /** @description Who asked for the run: a user's id, `api_key:` and a key's id, or `system`. */
            created_by?: string | null;
            /** Format: uuid */
            created_by_user_id?: string | null;
            /**
             * Format: int64
             * @description How many documents are around it.
             */
            depth?: number;
            /** Format: int64 */
            file_size_bytes: number;
            /** @description Regions that the run blanks out. */
            masks?: components["schemas"]["MaskView"][];
            original_filename: string;
            /** @description Where the content came from. */
            source_type: components["schemas"]["SourceType"];
            title: string;
            /** @description The content that was handed in; a run of known content has none. */
            upload_uri?: string | null;
            /**
             * Format: uuid
             * @description The document that this one was found in.
             */
            within?: string | null;
        };
        RunPage: {
            items: components["schemas"]["RunView"][];
            /**
             * Format: int32
             * @description Rows a page.
             */
            limit: number;
            /** @description Where the next page begins; `null` on the last one. */
            next_cursor?: string | null;
        };
        /**
         * @description What the stages of a run counted. Each stage fills in its own part, and the run has all of them together.
         *
         *     Stored as JSON with a version ([`StoredStats`]); rows from before there were versions have none. A later version
         *     may only add counts: what this one does not know is left out.
         */
        RunStats: {
            /**
             * Format: int64
             * @default null
             */
            attachments?: number | null;
            /**
             * Format: int64
             * @description Written by earlier versions, instead of `chunks_created`.
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
             * @description 1 for a document that can be found.
             * @default null
             */
            docs_processed?: number | null;
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
             * @description Pages that no engine was installed for.
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
             * @description Pages that OCR failed on, and why, the last time.
             * @default null
             */
            pages_failed?: number | null;
            /**
             * Format: int32
             * @description Pages whose text only OCR can read.
             * @default null
             */
            pages_wanting_ocr?: number | null;
            /**
             * @description Who brings the same file must present the password that opened it.
             * @default null
             */
            password_used?: boolean | null;
            /**
             * @description What the reader noticed.
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
             * @description Texts that had to be embedded: the others had been before.
             * @default null
             */
            texts_embedded?: number | null;
            /**
             * Format: int64
             * @description Of all chunks together.
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
         * @description Where a run stands.
         * @enum {string}
         */
        RunStatus: "queued" | "running" | "succeeded" | "failed";
        /**
         * @description What started a run.
         * @enum {string}
         */
        RunType: "manual_upload" | "attachment" | "rerun" | "s3_sync" | "gcs_sync" | "folder_sync";
        RunView: {
            /** @description Whether the caller may read what its stages left; otherwise `artifacts` are empty. */
            artifacts_readable?: boolean;
            /** Format: uuid */
            batch_id?: string | null;
            config: components["schemas"]["RunConfigView"];
            /**
             * Format: date-time
             * @description When it was accepted, when the first stage began, the last sign of life, and the end.
             */
            created_at: string;
            /** Format: uuid */
            doc_id: string;
            error?: string | null;
            /** @description Which failure that is, where a program can do something about it: `password_required` or `wrong_password`. */
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
            /** Format: date-time */
            started_at?: string | null;
            stats: components["schemas"]["RunStats"];
            status: components["schemas"]["RunStatus"];
            /** Format: uuid */
            tenant_id: string;
            /** Format: date-time */
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
        /** @description Which documents to look in, of those that the caller may see. */
        SearchFilters: {
            /** Format: uuid */
            batch_id?: string | null;
            /** Format: date-time */
            created_from?: string | null;
            /** Format: date-time */
            created_to?: string | null;
            document_ids?: string[];
            /** @description Documents with one of these. */
            tags?: string[];
            /** @description Kinds of files: pdf, docx, … */
            types?: string[];
        };
        /** @enum {string} */
        SearchMode: "hybrid" | "lexical" | "vector";
        SearchResponse: {
            /** @description The best first. */
            hits: components["schemas"]["HitView"][];
            /** @description What was not done as well as it could have been. */
            warnings: string[];
        };
        SentenceView: {
            /** @description The numbers of the citations that it rests on. */
            citations: number[];
            text: string;
        };
        /**
         * @description Where a value came from; the later ones beat the earlier ones.
         * @enum {string}
         */
        SettingOrigin: "default" | "file" | "environment" | "flag";
        SettingView: {
            /** @description What it is for. Settings that are explained together have the same. */
            help: string;
            is_secret: boolean;
            /** @example upload_max_size_mb */
            key: string;
            origin: components["schemas"]["SettingOrigin"];
            /**
             * @description The file, the variable or the flag that it was taken from.
             * @example DOCKET_UPLOAD_MAX_SIZE_MB
             */
            origin_name?: string | null;
            /** @description Text, a number, yes or no, or a list of words. Of a secret: `set` or `not set`. */
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
        /** @description So many of so many: pages, mostly. */
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
         * @description Where a stage of a run stands: as its job does until it has ended.
         * @enum {string}
         */
        StageStatus: "pending" | "processing" | "succeeded" | "failed";
        /** @description What became of a stage, or where it stands. */
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
             * @description What a stage that is paused waits for: `object_store`, `database`, `local_disk`, `embedding_model`, `reader` or
             *     `secrets_key`. It goes on by itself when that works again.
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
             * @description How many rows at the top name the columns.
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
            limits: components["schemas"]["LimitsView"];
            name: string;
            rules: components["schemas"]["RulesView"];
            /**
             * @description Every stage that this server has, in the order that documents pass them: what a pipeline can be made of.
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
         * @description Where the words of a page come from.
         * @enum {string}
         */
        TextSourceView: "layer" | "wanted" | "recognised" | "unavailable" | "blank";
        /** @description An updated original of a document. */
        UpdateForm: {
            /** Format: binary */
            file: Blob;
            /** @description Opens the file, where it is locked. */
            password?: string;
            /** @example Signed by both parties */
            reason?: string;
        };
        /**
         * @description Only what is given is changed. Any change signs the user out everywhere.
         * @example {
         *       "role": "reviewer"
         *     }
         */
        UpdateUserRequest: {
            active?: boolean | null;
            password?: string | null;
            role?: components["schemas"]["RoleName"] | null;
        };
        /** @description A file and what is said of it. */
        UploadForm: {
            /** Format: binary */
            file: Blob;
            /** @description Opens the file, where it is locked. */
            password?: string;
            /**
             * @description Any number of them.
             * @example [
             *       "lease"
             *     ]
             */
            tag?: string[];
            /**
             * @description The file's name when left out.
             * @example Lease, 12 High Street
             */
            title?: string;
        };
        /** @description Any number of files. */
        UploadManyForm: {
            file: Blob[];
            password?: string;
            tag?: string[];
            /** @description Of the file that comes next, like the password and the tags. */
            title?: string;
        };
        UsageView: {
            /**
             * Format: int64
             * @description Of the originals of documents that are not deleted. The same content counts once.
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
             * @description Rows a page.
             */
            limit: number;
            /** @description Where the next page begins; `null` on the last one. */
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
            /** @description Searches can use it while it is active. */
            is_searchable?: boolean;
            /** Format: uuid */
            run_id: string;
            version_label: string;
        };
        WordView: {
            /** @description Left, top, right, bottom, in points from the top left corner. */
            box?: number[] | null;
            /**
             * Format: int32
             * @description Of 100.
             */
            confidence: number;
            origin: components["schemas"]["OriginView"];
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
        /** @description Not in the present state; `code` says why */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The role does not allow this; `code` says why */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is not valid; `detail` says why, `field` names the field at fault */
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
        /** @description There is no such link, or the document was deleted */
        LinkNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The metrics are not for this client */
        MetricsNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such thing, or not for this caller */
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
        /** @description The Idempotency-Key belongs to a different request */
        OtherRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The range starts behind the end */
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
        /** @description The database is not available at the moment */
        SignInUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The database or the object store is not available at the moment */
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
        /** @description Not available at the moment; `code` says why, Retry-After says when to try again */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The file or the rest of the form is larger than is taken, or the storage quota is used up; `code` says which */
        UploadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Nothing arrived for too long */
        UploadTooSlow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Wrong address or password */
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
            /** @description How the server is */
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
            /** @description How the server is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthView"];
                };
            };
            /** @description Something it depends on is away */
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
                /** @description Rows a page. */
                limit?: number;
                /** @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. */
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
            /** @description The key that was made, with its secret */
            201: {
                headers: {
                    /** @description The key's address */
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
            /** @description The answer with its sources, or that the documents do not say */
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
                 * @description A user's email address or id, the name of an API key or `api_key:` and its id, or `system`. Nobody who is called
                 *     so: no rows.
                 * @example ada@example.com
                 */
                actor?: string;
                entity_type?: string;
                entity_id?: string;
                /** @description From this moment on. */
                from?: string;
                /** @description Before this moment. */
                to?: string;
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows a page. */
                limit?: number;
                /** @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. */
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
                /** @description Only those with a higher number. */
                after?: number;
                /** @description At most this many. */
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
            /** @description What the check found */
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
            /** @description A token, and who it is for */
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
                /** @description Rows a page. */
                limit?: number;
                /** @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. */
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
                /** @description A repeated request with the same key and the same content has its effect once */
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
                    /** @description `true` when it was done before */
                    "idempotent-replayed"?: string;
                    /** @description The batch's address */
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
            422: components["responses"]["OtherRequest"];
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
                /** @description A repeated request with the same key and the same content has its effect once */
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
            /** @description None was accepted; each says why */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchUploadResponse"];
                };
            };
            /** @description At least one was accepted */
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
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows a page. */
                limit?: number;
                /** @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. */
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
            /** @description A page of the batch's documents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResultPage"];
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
    list_documents: {
        parameters: {
            query?: {
                /** @description Only those that are served (`active`) when left out; `all` for every state. */
                status?: "active" | "uploaded" | "processing" | "failed" | "inactive" | "rejected" | "all";
                /**
                 * @description The kind of file: pdf, docx, …
                 * @example pdf
                 */
                type?: string;
                /**
                 * @description Which way it came in: manual, batch, attachment, …
                 * @example manual
                 */
                source?: string;
                tag?: string;
                batch_id?: string;
                /** @description A part of the title or of the file's name, in capitals or not. */
                search?: string;
                /** @description Not before this moment. */
                from?: string;
                /** @description Before this moment. */
                to?: string;
                /**
                 * @description `newest` (the latest upload first, when left out), `oldest`, `title` (A to Z, in capitals or not), `title_desc`
                 *     or `updated` (the latest change first).
                 */
                sort?: "newest" | "oldest" | "title" | "title_desc" | "updated";
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows a page. */
                limit?: number;
                /**
                 * @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. It belongs to the
                 *     `sort` it was made with.
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
                /** @description A repeated request with the same key and the same content has its effect once */
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
            /** @description Nothing to do: it is served already */
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
                    /** @description The run's address */
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
            422: components["responses"]["OtherRequest"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    count_facets: {
        parameters: {
            query?: {
                /** @description Only those that are served (`active`) when left out; `all` for every state. */
                status?: "active" | "uploaded" | "processing" | "failed" | "inactive" | "rejected" | "all";
                /**
                 * @description The kind of file: pdf, docx, …
                 * @example pdf
                 */
                type?: string;
                /**
                 * @description Which way it came in: manual, batch, attachment, …
                 * @example manual
                 */
                source?: string;
                tag?: string;
                batch_id?: string;
                /** @description A part of the title or of the file's name, in capitals or not. */
                search?: string;
                /** @description Not before this moment. */
                from?: string;
                /** @description Before this moment. */
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
                /** @description Rows a page. */
                limit?: number;
                /** @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. */
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
            /** @description Out of service */
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
                /** @description How long the link lasts. */
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
                /** @description Pixels across, of a picture: 320, 800, 1280 or 2000. */
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
            /** @description The picture */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": components["schemas"]["FileContent"];
                };
            };
            /** @description The picture has the tag that `If-None-Match` names */
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
                /** @description How long the link lasts. */
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
                /** @description A repeated request with the same key and the same content has its effect once */
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
            422: components["responses"]["OtherRequest"];
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
            /** @description The tags that the document has now */
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
            /** @description The text, in the format that was asked for */
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
            /** @description The title that the document has now */
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
            /** @description The events, as they happen */
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
            /** @description The range that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": components["schemas"]["FileContent"];
                };
            };
            /** @description The original is at the object store */
            307: {
                headers: {
                    /** @description Its address there */
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
    ingest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key and the same content has its effect once */
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
            /** @description Nothing to do: it is served already */
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
                    /** @description The run's address */
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
            422: components["responses"]["OtherRequest"];
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
                /** @description Rows a page. */
                limit?: number;
                /** @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. */
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
            /** @description The file that the stage left */
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
                /** @description `DEAD` gives the dead jobs that need attention, as `/v1/jobs/dead` does. */
                status?: "PENDING" | "PROCESSING" | "COMPLETED" | "DEAD";
                stage?: string;
                run_id?: string;
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows a page. */
                limit?: number;
                /** @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. */
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
                /** @description Rows a page. */
                limit?: number;
                /** @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. */
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
                /** @description A repeated request with the same key and the same content has its effect once */
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
            /** @description How many failures were discarded */
            200: {
                headers: {
                    /** @description `true` when it was done before */
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
            422: components["responses"]["OtherRequest"];
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
                /** @description Rows a page. */
                limit?: number;
                /** @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the documents that answers are made from */
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
            /** @description The answer, or a JSON-RPC error */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description A notification was taken */
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
            /** @description A token, and who it is for */
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
                /** @description A kind of file: pdf, docx, … */
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
            /** @description The passages that were found, the best first */
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
            /** @description The passages that were found, the best first */
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
    list_users: {
        parameters: {
            query?: {
                /** @description The page, counted from 1. */
                page?: number;
                /** @description Rows a page. */
                limit?: number;
                /** @description `next_cursor` of the page before: quicker than a page number, and steady while rows are added. */
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
                /** @description A repeated request with the same key and the same content has its effect once */
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
                    /** @description `true` when it was done before */
                    "idempotent-replayed"?: string;
                    /** @description The user's address */
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
            422: components["responses"]["OtherRequest"];
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
}

//! Finds the records that describe the same thing as the fields of a document. No I/O and no SQL: callers store what this
//! crate computes, and load what it asks for.
//!
//! # How a store uses it
//!
//! **On write** of a record, [`keys::keys`] gives about fifteen hashes (never more than [`keys::MAX_KEYS`]). Store each as a row
//! `(tenant, record type, key bigint, record)` with an index over exactly these columns in this order, so that a lookup reads
//! the index only. Replace the rows of a record in the transaction that changes it: the next search sees it. Store
//! [`keys::KEY_VERSION`] with the type; when it differs from the program's, compute the keys again.
//!
//! **To search**, four steps:
//! 1. [`keys::query_keys`]: the keys of the query.
//! 2. One statement that looks up all of them, each limited to [`search::Limits::postings_per_key`] + 1 rows (`unnest` of the keys
//!    with a `LATERAL … LIMIT`). The number of rows of a key is its frequency in [`search::Frequencies`]: one above the limit
//!    means "too many". No key costs more than the limit, whether ten records have it or 50,000.
//! 3. [`search::plan`] chooses the rarest keys within the limits, and [`search::shortlist`] at most
//!    [`search::Limits::records`] records by what they have in common with the query. Load these by primary key.
//! 4. [`search::rank`] compares them field by field and returns the best twenty with reasons;
//!    [`search::clear_winner`] decides at the accepted error rate. For several queries of one kind that cannot mean the same record
//!    (the trades of a document), [`search::one_to_one`] assigns them together.
//!
//! **Weights** belong to one tenant and type: [`weights::Model`], stored as JSON. A new type starts with
//! [`weights::Model::built_in`]. From a few hundred records on, a periodic task can search some records against the others
//! and give the patterns to [`weights::estimate`]. What a user links is given to [`weights::Model::learn`].
//!
//! # Terms
//!
//! A *key* is what records are found by; a *level* is how much two values agree; a *pattern* is the levels of all fields; a *match
//! weight* is the evidence of a level in bits; *postings* are the index rows of a key. `docs/decisions/matching-method.md` says why
//! it is done so.

pub mod compare;
pub mod keys;
pub mod names;
pub mod normalise;
pub mod roles;
pub mod search;
pub mod weights;

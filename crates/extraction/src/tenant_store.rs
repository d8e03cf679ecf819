//! What extraction needs to know of a tenant. The stages read it through [`ExtractionStore`], because they contain no SQL.

use std::pin::Pin;

use domain::{Failure, TenantId};

use crate::acceptance::TenantAcceptance;
use crate::memory::{Fingerprint, MemoryEntry};
use crate::types::DocumentType;

/// A document type in one of its versions.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeVersion {
    /// Counted from 1 for the tenant's own types; 0 for a built-in one.
    pub version: u32,
    pub document_type: DocumentType,
}

/// Gives the stages a tenant's document types, layout memory and chosen error rate.
pub trait ExtractionStore: Send + Sync {
    /// The tenant's document types and the built-in ones, each in its current version.
    fn types(&self, tenant_id: TenantId) -> ExtractionStoreFuture<'_, Vec<TypeVersion>>;

    /// A version of a document type, which need not be the current one. `None` when there is no such type any more.
    fn type_version<'a>(
        &'a self,
        tenant_id: TenantId,
        name: &'a str,
        version: u32,
    ) -> ExtractionStoreFuture<'a, Option<DocumentType>>;

    /// What the tenant's reviewers confirmed on documents with a similar layout.
    fn memory<'a>(
        &'a self,
        tenant_id: TenantId,
        fingerprint: &'a Fingerprint,
    ) -> ExtractionStoreFuture<'a, Vec<MemoryEntry>>;

    /// The error rate that the tenant chose for a document type, and the evidence for it.
    fn acceptance<'a>(
        &'a self,
        tenant_id: TenantId,
        document_type: &'a str,
    ) -> ExtractionStoreFuture<'a, TenantAcceptance>;
}

pub type ExtractionStoreFuture<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

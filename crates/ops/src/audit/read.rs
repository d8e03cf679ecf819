//! Reading the audit log.

use domain::{Action, AuditFilter, AuditRecord, Caller};
use store::After;

use crate::{Audit, OpsError, Page, PageRequest};

impl Audit {
    /// Newest first.
    pub async fn read_audit(
        &self,
        caller: &Caller,
        filter: &AuditFilter,
        request: &PageRequest,
    ) -> Result<Page<AuditRecord>, OpsError> {
        let scope = caller.permit(Action::ReadAudit)?;
        let mut tx = self.store.read(&scope).await?;
        let records = tx.list_audit(filter, &request.window()).await?;
        tx.commit().await?;
        Ok(request.page_of(records, |record| After { moment: record.ts, id: record.audit_id.0 }))
    }
}

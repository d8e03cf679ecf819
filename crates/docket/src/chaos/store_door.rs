//! Documents go straight into the database: for as long as the server takes none over HTTP.

use domain::{
    Action, Caller, DocId, IdGen, JobId, Pipeline, RetryPolicy, RunId, RunState, TenantId,
};
use serde_json::json;
use store::{NewRun, Store, StoreError};
use uuid::Uuid;

use super::door::{FrontDoor, NoWord, Paper, Receipt};
use crate::drill;
use crate::system;

#[derive(Debug)]
pub(super) struct StoreDoor {
    store: Store,
    tenant_id: TenantId,
    pipeline: Pipeline,
}

impl StoreDoor {
    pub(super) async fn open(store: Store) -> anyhow::Result<Self> {
        let mut across = store.across_tenants().await?;
        let tenants = across.list_tenants().await?;
        across.rollback().await?;
        let Some(tenant) = tenants.first() else { anyhow::bail!("the first start made no tenant") };
        let stages: Result<Vec<_>, _> = drill::NAMES.iter().map(|name| name.parse()).collect();
        Ok(Self { store, tenant_id: tenant.tenant_id, pipeline: Pipeline::try_from(stages?)? })
    }

    async fn start_run(&self, paper: Paper, ids: &dyn IdGen) -> Result<Receipt, StoreError> {
        let new = NewRun {
            run_id: RunId(ids.next()),
            job_id: JobId(ids.next()),
            // The same content is the same document.
            doc_id: DocId(Uuid::from_u64_pair(paper.seed, paper.number as u64)),
            pipeline: self.pipeline.clone(),
            priority: 0,
            retries: RetryPolicy::PIPELINE.retries(),
            parent_run_id: None,
            reason: None,
            config: json!({}),
            trace_parent: None,
            content: None,
            batch_id: None,
        };
        let scope = match Caller::system(self.tenant_id).permit(Action::UploadDocuments) {
            Ok(scope) => scope,
            Err(error) => {
                let value = error.to_string();
                return Err(StoreError::NotUnderstood { what: "permission", value });
            }
        };
        let mut tx = self.store.begin(&scope).await?;
        tx.start_run(&new).await?;
        tx.commit().await?;
        Ok(Receipt { doc_id: new.doc_id, run_id: Some(new.run_id) })
    }
}

impl FrontDoor for StoreDoor {
    async fn hand_in(&self, paper: Paper) -> Result<Receipt, NoWord> {
        self.start_run(paper, system::environment().ids.as_ref()).await.map_err(|_| NoWord)
    }

    async fn state_of(&self, run_id: RunId) -> Result<RunState, NoWord> {
        let look = async {
            let mut across = self.store.across_tenants().await?;
            let runs = across.prove_runs().await?;
            across.rollback().await?;
            Ok::<_, StoreError>(runs)
        };
        let runs = look.await.map_err(|_| NoWord)?;
        runs.iter().find(|run| run.run_id == run_id).map(|run| run.state).ok_or(NoWord)
    }
}

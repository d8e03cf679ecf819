//! What people do while workers work: submit, cancel, retry.

use domain::{
    Action, Caller, DocId, JobId, JobState, RunConfig, RunId, RunType, Scope, StageName, Tenant,
    TenantId,
};
use store::{JobFilter, NewRun, Window};

use super::seed::Seed;
use super::worker::refused;

pub(crate) const STAGES: [&str; 3] = ["sim_a", "sim_b", "sim_c"];

impl Seed<'_> {
    pub(crate) async fn make_tenants(&mut self, count: usize) -> Result<(), String> {
        let mut across = self.store().across_tenants().await.map_err(refused)?;
        for _ in 0..count {
            let tenant_id = TenantId(self.ids().next());
            let tenant = Tenant { tenant_id, name: tenant_id.to_string(), created_at: self.now() };
            across.insert_tenant(&tenant).await.map_err(refused)?;
            self.tenants.push(tenant_id);
        }
        across.commit().await.map_err(refused)
    }

    pub(crate) fn scope(tenant_id: TenantId) -> Scope {
        Caller::system(tenant_id).permit(Action::RetryDeadJobs).expect("the system may")
    }

    pub(crate) async fn submit(&mut self) -> Result<(), String> {
        let tenant_id = self.tenants[self.dice.below(self.tenants.len())];
        let first = self.dice.below(STAGES.len());
        let stages: Vec<StageName> =
            STAGES[first..].iter().map(|stage| stage.parse().expect("a stage")).collect();
        let new = NewRun {
            run_id: RunId(self.ids().next()),
            job_id: JobId(self.ids().next()),
            doc_id: DocId(self.ids().next()),
            pipeline: stages.try_into().expect("a pipeline"),
            priority: i16::from(self.dice.percent(20)),
            retries: 4,
            parent_run_id: None,
            reason: None,
            config: RunConfig::default(),
            run_type: RunType::default(),
            trace_parent: None,
            content: None,
            batch_id: None,
            password: None,
            reused: None,
        };
        let mut tx = self.store().begin(&Self::scope(tenant_id)).await.map_err(refused)?;
        tx.start_run(&new).await.map_err(refused)?;
        tx.commit().await.map_err(refused)?;
        self.note(format!("{} is submitted", new.run_id));
        self.runs.push((tenant_id, new.run_id));
        self.originals.push((self.now(), self.passed.now()));
        Ok(())
    }

    pub(crate) async fn cancel(&mut self) -> Result<(), String> {
        let Some((tenant_id, run_id)) = self.any_run() else { return Ok(()) };
        let mut tx = self.store().begin(&Self::scope(tenant_id)).await.map_err(refused)?;
        let cancelled = tx.cancel_run(run_id).await.map_err(refused)?;
        tx.commit().await.map_err(refused)?;
        self.note(format!("{run_id} is cancelled: {cancelled}"));
        if cancelled {
            self.model.cancelled(run_id);
        }
        Ok(())
    }

    pub(crate) async fn retry(&mut self) -> Result<(), String> {
        let Some((tenant_id, run_id)) = self.any_run() else { return Ok(()) };
        let mut tx = self.store().begin(&Self::scope(tenant_id)).await.map_err(refused)?;
        let dead = JobFilter { status: Some(JobState::Dead), stage: None, run_id: Some(run_id) };
        let window = Window { after: None, skip: 0, limit: 1 };
        for job in tx.list_jobs(&dead, &window).await.map_err(refused)? {
            let retried = tx.retry_job(job.job_id).await.map_err(refused)?;
            self.note(format!("{} is retried: {retried}", job.job_id));
        }
        tx.commit().await.map_err(refused)
    }

    fn any_run(&mut self) -> Option<(TenantId, RunId)> {
        let count = self.runs.len();
        (count > 0).then(|| self.runs[self.dice.below(count)])
    }
}

//! Runs one job: run the stage, report the outcome, continue with the next stage when possible.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use domain::{
    Artifact, Dependency, EarlierArtifacts, Failure, JobId, LeaseToken, SpanId, StageName,
    StageOutput, TraceContext, Tries, panic_message,
};
use futures_util::FutureExt;
use store::{ClaimedJob, Lease, LeaseRef, NextJob, Outcome, Report};
use tokio::sync::OwnedSemaphorePermit;
use tracing::Instrument;

use crate::failure_outcome::{after_failure, panicked, timed_out};
use crate::held_leases::LeaseGuard;
use crate::source::Message;
use crate::stage::{Registered, StageInput};
use crate::worker::WorkerShared;

/// How a stage ended.
enum StageEnd {
    Done(Result<Arc<StageOutput>, Failure>),
    /// The lease was lost.
    Lost,
    /// The worker stops and its grace period is over.
    Aborted,
}

/// The job of the next stage, and the slot to run it in; a stage without work needs none.
type FollowingJob = (ClaimedJob, Option<OwnedSemaphorePermit>);

/// Runs a job and the following stages of its run, as far as this worker can. A job in a reserved slot has no `slot`. The
/// message that named the job is acknowledged as soon as the job has ended; otherwise it is delivered again.
pub(crate) async fn run_job(
    shared: Arc<WorkerShared>,
    mut job: ClaimedJob,
    mut message: Option<Box<dyn Message>>,
    mut guard: LeaseGuard,
    mut slot: Option<OwnedSemaphorePermit>,
) {
    while let Some(registered) = shared.stages.find(&job.stage) {
        let begun = shared.environment.clock.elapsed();
        let trace = trace_of(&job);
        let span = stage_span(&job, trace);
        let ended =
            run_stage(&shared, registered, &job, &guard, trace).instrument(span.clone()).await;
        let took = shared.environment.clock.elapsed().saturating_sub(begun);
        span.in_scope(|| record_stage_end(&job, &ended, took));
        let (outcome, following) = match ended {
            StageEnd::Lost => break,
            StageEnd::Aborted => (Outcome::Released, None),
            StageEnd::Done(Err(failure)) => {
                tracing::info!(job_id = %job.job_id, stage = %job.stage, class = %failure.class, error = failure.error, "a stage failed");
                let policy = &registered.stage.settings().policy;
                let (now, jitter) = (shared.environment.clock.now(), shared.environment.jitter());
                (after_failure(failure, policy, job.tries, now, jitter), None)
            }
            StageEnd::Done(Ok(output)) => {
                let (next, following) = prepare_next(&shared, &mut job, &output.artifacts).await;
                (Outcome::Succeeded { output, next }, following)
            }
        };
        let lease = LeaseRef { job_id: job.job_id, token: job.token };
        let has_ended = matches!(outcome, Outcome::Succeeded { .. } | Outcome::Failed { .. });
        guard.begin_settling();
        let accepted = shared.committer.settle(Report { lease, outcome }).await;
        let following = following.filter(|_| accepted);
        // Hold the next lease before anything that takes time: it has begun.
        let next_guard = following.as_ref().map(|(next, _)| shared.hold(next));
        // The stages that follow have messages of their own.
        if let Some(message) = message.take().filter(|_| accepted && has_ended) {
            message.acknowledge().await;
        }
        let (Some((next, next_slot)), Some(next_guard)) = (following, next_guard) else {
            break;
        };
        guard = next_guard;
        (job, slot) = (next, next_slot);
    }
    drop((guard, slot));
}

/// The span of this attempt in the job's trace. Its id follows from the lease token, which is unique to the attempt.
fn trace_of(job: &ClaimedJob) -> Option<TraceContext> {
    let trace = TraceContext::from_traceparent(job.trace_parent.as_deref()?)?;
    let (high, low) = job.token.0.as_u64_pair();
    Some(trace.child(SpanId::from_random(high ^ low)))
}

fn stage_span(job: &ClaimedJob, trace: Option<TraceContext>) -> tracing::Span {
    tracing::info_span!(
        "stage",
        trace_id = trace.map(|trace| tracing::field::display(trace.trace_id())),
        span_id = trace.map(|trace| tracing::field::display(trace.span_id())),
        tenant_id = %job.tenant_id,
        run_id = %job.run_id,
        stage = %job.stage,
    )
}

/// Logs and counts how long the stage waited and took, and how it ended.
fn record_stage_end(job: &ClaimedJob, end: &StageEnd, took: Duration) {
    let outcome = match end {
        StageEnd::Done(Ok(_)) => "succeeded",
        StageEnd::Done(Err(failure)) => failure.class.as_str(),
        StageEnd::Lost => "lost",
        StageEnd::Aborted => "released",
    };
    tracing::info!(
        event = "stage_ended",
        tenant_id = %job.tenant_id,
        job_id = %job.job_id,
        run_id = %job.run_id,
        doc_id = %job.doc_id,
        stage = %job.stage,
        outcome,
        attempt = job.tries.retries + 1,
        duration_ms = took.as_millis(),
        queue_wait_ms = job.waited.as_millis(),
        trace_parent = job.trace_parent,
        "a stage ended"
    );
    let stage = job.stage.as_str().to_owned();
    metrics::histogram!("docket_stage_seconds", "stage" => stage.clone()).record(took);
    metrics::histogram!("docket_queue_wait_seconds", "stage" => stage.clone()).record(job.waited);
    metrics::counter!("docket_stages_total", "stage" => stage, "outcome" => outcome).increment(1);
}

async fn run_stage(
    shared: &WorkerShared,
    registered: &Registered,
    job: &ClaimedJob,
    guard: &LeaseGuard,
    trace: Option<TraceContext>,
) -> StageEnd {
    // Without its password the stage would fail permanently; a worker that has the key may run the next attempt.
    if job.is_password_sealed {
        return StageEnd::Done(Err(Failure::unavailable(
            Dependency::SecretsKey,
            "this worker has no key for document passwords: set secrets_key to the one that the server uses",
        )));
    }
    let config = match &job.config {
        Ok(config) => Arc::clone(config),
        // A worker of a newer version may be able to read it.
        Err(unreadable) => return StageEnd::Done(Err(Failure::retry(unreadable.to_string()))),
    };
    let deadline = registered.stage.settings().deadline;
    let input = StageInput {
        tenant_id: job.tenant_id,
        run_id: job.run_id,
        doc_id: job.doc_id,
        content: job.content,
        config,
        password: job.password.clone(),
        earlier: Arc::clone(&job.earlier),
        stage: job.stage.clone(),
        attempt: job.tries.retries + 1,
        trace_parent: trace.map(TraceContext::to_traceparent),
        deadline: shared.environment.clock.now() + deadline,
        cancelled: guard.lost.child_token(),
        progress: guard.progress.clone(),
    };
    let run = AssertUnwindSafe(async { registered.stage.run(&input).await }).catch_unwind();
    let ended = tokio::select! {
        biased;
        () = guard.lost.cancelled() => StageEnd::Lost,
        result = tokio::time::timeout(deadline, run) => StageEnd::Done(match result {
            Ok(Ok(result)) => result.map(Arc::new),
            Ok(Err(panic)) => Err(panicked(&job.stage, panic_message(panic.as_ref()))),
            Err(_) => Err(timed_out(&job.stage, deadline)),
        }),
        () = shared.abort.cancelled() => StageEnd::Aborted,
    };
    input.cancelled.cancel();
    ended
}

/// The next stage's job, leased to this worker when it has the stage and a free slot.
async fn prepare_next(
    shared: &WorkerShared,
    job: &mut ClaimedJob,
    artifacts: &[Artifact],
) -> (Option<NextJob>, Option<FollowingJob>) {
    let Some(stage) = job.pipeline.after(&job.stage) else { return (None, None) };
    let job_id = JobId(shared.environment.ids.next());
    let retries = shared.stages.retries_of(stage);
    // The stage has ended, so this is the only reference and nothing is copied.
    let mut earlier = std::mem::take(&mut job.earlier);
    Arc::make_mut(&mut earlier).insert(job.stage.clone(), artifacts.to_vec());
    let Some((slot, length)) = take_slot(shared, stage, &earlier).await else {
        return (Some(NextJob { stage: stage.clone(), job_id, lease: None, retries }), None);
    };
    let token = LeaseToken(shared.environment.ids.next());
    let lease = Lease { token, until: shared.environment.clock.now() + length };
    let next = NextJob { stage: stage.clone(), job_id, lease: Some(lease), retries };
    let following = ClaimedJob {
        job_id,
        token,
        stage: stage.clone(),
        tries: Tries::none(retries),
        waited: Duration::ZERO,
        earlier,
        ..job.clone()
    };
    (Some(next), Some((following, slot)))
}

/// A slot of the stage, if it needs one, and the length of a lease; `None` when this worker cannot run the stage.
async fn take_slot(
    shared: &WorkerShared,
    stage: &StageName,
    earlier: &EarlierArtifacts,
) -> Option<(Option<OwnedSemaphorePermit>, Duration)> {
    let Registered { stage, slots, .. } = shared.stages.find(stage)?;
    let length = stage.settings().lease;
    // A stage without work ends at once, even in a worker that stops.
    if !stage.has_work(earlier) {
        return Some((None, length));
    }
    if shared.stopping.is_cancelled() {
        return None;
    }
    if let Ok(slot) = Arc::clone(slots).try_acquire_owned() {
        return Some((Some(slot), length));
    }
    // A claim holds all free slots until it knows which jobs it got: wait for it.
    drop(shared.claim_lock.lock().await);
    Arc::clone(slots).try_acquire_owned().ok().map(|slot| (Some(slot), length))
}

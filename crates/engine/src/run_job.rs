//! One job's way through a worker: run the stage, report, go on with the next stage when it can.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use domain::{
    Artifact, Dependency, EarlierArtifacts, Failure, JobId, LeaseToken, SpanId, StageName,
    StageOutput, TraceContext, Tries, panic_message,
};
use futures_util::FutureExt;
use store::{ClaimedJob, Held, Lease, Next, Outcome, Report};
use tokio::sync::OwnedSemaphorePermit;
use tracing::Instrument;

use crate::decide::{after_failure, panicked, timed_out};
use crate::held_leases::LeaseGuard;
use crate::source::Message;
use crate::stage::{Registered, StageInput};
use crate::worker::WorkerShared;

/// How a stage ended.
enum Ended {
    Done(Result<Arc<StageOutput>, Failure>),
    /// Somebody else has the job now.
    Lost,
    /// The worker stops and its grace period is over.
    CutOff,
}

/// The job of the next stage, and the slot to run it in; a stage that has nothing to do needs none.
type Following = (ClaimedJob, Option<OwnedSemaphorePermit>);

/// Carries a job as far as this worker can. In a reserved slot it has no slot of its stage. The message that named it is
/// acknowledged as soon as the job has ended; in all other cases it is delivered again.
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
        span.in_scope(|| tell(&job, &ended, took));
        let (outcome, following) = match ended {
            Ended::Lost => break,
            Ended::CutOff => (Outcome::Released, None),
            Ended::Done(Err(failure)) => {
                tracing::info!(job_id = %job.job_id, stage = %job.stage, class = %failure.class, error = failure.error, "a stage failed");
                let policy = &registered.stage.settings().policy;
                let (now, jitter) = (shared.environment.clock.now(), shared.environment.jitter());
                (after_failure(failure, policy, job.tries, now, jitter), None)
            }
            Ended::Done(Ok(output)) => {
                let (next, following) = prepare_next(&shared, &mut job, &output.artifacts).await;
                (Outcome::Succeeded { output, next }, following)
            }
        };
        let held = Held { job_id: job.job_id, token: job.token };
        let has_ended = matches!(outcome, Outcome::Succeeded { .. } | Outcome::GivenUp { .. });
        guard.begin_settling();
        let counted = shared.committer.settle(Report { held, outcome }).await;
        let following = following.filter(|_| counted);
        // Before anything that takes time: the next lease has begun.
        let next_guard = following.as_ref().map(|(next, _)| shared.hold(next));
        // The stages that follow have messages of their own.
        if let Some(message) = message.take().filter(|_| counted && has_ended) {
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

/// This try of the stage as a span of the trace that the job belongs to. A lease token names a try and nothing else.
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

/// How long stages wait and take, and how they end, for whoever watches this process.
fn tell(job: &ClaimedJob, ended: &Ended, took: Duration) {
    let outcome = match ended {
        Ended::Done(Ok(_)) => "succeeded",
        Ended::Done(Err(failure)) => failure.class.as_str(),
        Ended::Lost => "lost",
        Ended::CutOff => "handed_back",
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
) -> Ended {
    // Without its password the stage would fail for good; a worker with the key may take the next try.
    if job.is_password_sealed {
        return Ended::Done(Err(Failure::unavailable(
            Dependency::SecretsKey,
            "this worker has no key for document passwords: set secrets_key to the one that the server uses",
        )));
    }
    let config = match &job.config {
        Ok(config) => Arc::clone(config),
        // A newer worker may be able to read it.
        Err(unreadable) => return Ended::Done(Err(Failure::retry(unreadable.to_string()))),
    };
    let deadline = registered.stage.settings().deadline;
    let work = StageInput {
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
    let run = AssertUnwindSafe(async { registered.stage.run(&work).await }).catch_unwind();
    let ended = tokio::select! {
        biased;
        () = guard.lost.cancelled() => Ended::Lost,
        result = tokio::time::timeout(deadline, run) => Ended::Done(match result {
            Ok(Ok(result)) => result.map(Arc::new),
            Ok(Err(panic)) => Err(panicked(&job.stage, panic_message(panic.as_ref()))),
            Err(_) => Err(timed_out(&job.stage, deadline)),
        }),
        () = shared.cut_off.cancelled() => Ended::CutOff,
    };
    work.cancelled.cancel();
    ended
}

/// The next stage's job, leased to this worker when it has the stage and room for it.
async fn prepare_next(
    shared: &WorkerShared,
    job: &mut ClaimedJob,
    artifacts: &[Artifact],
) -> (Option<Next>, Option<Following>) {
    let Some(stage) = job.pipeline.after(&job.stage) else { return (None, None) };
    let job_id = JobId(shared.environment.ids.next());
    let retries = shared.stages.retries_of(stage);
    // The stage is over: nobody else has them any more, and nothing is copied.
    let mut earlier = std::mem::take(&mut job.earlier);
    Arc::make_mut(&mut earlier).insert(job.stage.clone(), artifacts.to_vec());
    let Some((slot, length)) = take_slot(shared, stage, &earlier).await else {
        return (Some(Next { stage: stage.clone(), job_id, lease: None, retries }), None);
    };
    let token = LeaseToken(shared.environment.ids.next());
    let lease = Lease { token, until: shared.environment.clock.now() + length };
    let next = Next { stage: stage.clone(), job_id, lease: Some(lease), retries };
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

/// A slot of the stage, if it needs one, and the length of a lease; `None` when this worker cannot go on with it.
async fn take_slot(
    shared: &WorkerShared,
    stage: &StageName,
    earlier: &EarlierArtifacts,
) -> Option<(Option<OwnedSemaphorePermit>, Duration)> {
    let Registered { stage, slots, .. } = shared.stages.find(stage)?;
    let length = stage.settings().lease;
    // It is over before anybody could wait for it, even in a worker that stops.
    if !stage.has_work(earlier) {
        return Some((None, length));
    }
    if shared.stopping.is_cancelled() {
        return None;
    }
    if let Ok(slot) = Arc::clone(slots).try_acquire_owned() {
        return Some((Some(slot), length));
    }
    // A claim under way keeps the slots it may fill to itself until it knows what it got.
    drop(shared.claiming.lock().await);
    Arc::clone(slots).try_acquire_owned().ok().map(|slot| (Some(slot), length))
}

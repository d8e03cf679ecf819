//! Whether this process can serve, with each thing it depends on by name.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use blob::Blobs;
use domain::Clock;
use store::Store;

use crate::Ops;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub name: &'static str,
    /// `None` when it answers.
    pub problem: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Readiness {
    pub dependencies: Vec<Dependency>,
}

impl Readiness {
    pub fn is_ready(&self) -> bool {
        self.dependencies.iter().all(|dependency| dependency.problem.is_none())
    }
}

/// What every process of Docket depends on, a worker too.
#[derive(Clone)]
pub struct Vitals {
    pub store: Store,
    pub blobs: Blobs,
    pub clock: Arc<dyn Clock>,
}

impl Vitals {
    /// A probe must answer before the one who probes gives up.
    const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

    pub async fn check_readiness(&self) -> Readiness {
        let database = match tokio::time::timeout(Self::PROBE_TIMEOUT, self.store.check()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("no answer within {} s", Self::PROBE_TIMEOUT.as_secs())),
        };
        let objects = self.blobs.check().await.err().map(|error| error.to_string());
        Readiness {
            dependencies: vec![
                Dependency { name: "database", problem: database },
                Dependency { name: "objects", problem: objects },
            ],
        }
    }
}

impl Ops {
    /// Of a process that serves: what it knows of revocations must be fresh as well.
    pub async fn check_readiness(&self) -> Readiness {
        let mut readiness = self.vitals().check_readiness().await;
        let problem = (!self.access.is_fresh(self.clock.as_ref()))
            .then(|| "revocations were not read for more than a minute".to_owned());
        readiness.dependencies.push(Dependency { name: "access", problem });
        readiness
    }

    pub(crate) fn vitals(&self) -> Vitals {
        let (store, blobs) = (self.store.clone(), self.blobs.clone());
        Vitals { store, blobs, clock: Arc::clone(&self.clock) }
    }
}

impl fmt::Debug for Vitals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vitals").finish_non_exhaustive()
    }
}

//! Whether this process can serve, with each thing it depends on by name.

use std::time::Duration;

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

impl Ops {
    /// A probe must answer before the one who probes gives up.
    const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

    pub async fn check_readiness(&self) -> Readiness {
        let database = match tokio::time::timeout(Self::PROBE_TIMEOUT, self.store.check()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("no answer within {} s", Self::PROBE_TIMEOUT.as_secs())),
        };
        let objects = self.blobs.check().await.err().map(|error| error.to_string());
        let access = (!self.access.is_fresh(self.clock.as_ref()))
            .then(|| "revocations were not read for more than a minute".to_owned());
        Readiness {
            dependencies: vec![
                Dependency { name: "database", problem: database },
                Dependency { name: "objects", problem: objects },
                Dependency { name: "access", problem: access },
            ],
        }
    }
}

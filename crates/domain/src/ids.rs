//! Typed ids: a user id cannot be passed where a tenant id is expected.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

typed_id!(
    /// A customer whose data is isolated from that of all others.
    TenantId
);
typed_id!(
    /// A person who signs in.
    UserId
);
typed_id!(
    /// An API key.
    ApiKeyId
);
typed_id!(
    /// One row of the audit log.
    AuditId
);
typed_id!(
    /// One sign-in: the `jti` of its token.
    TokenId
);
typed_id!(
    /// A document.
    DocId
);
typed_id!(
    /// Documents that were submitted together.
    BatchId
);
typed_id!(
    /// What one confirmed document taught the layout memory.
    MemoryId
);
typed_id!(
    /// One processing of one version of a document.
    RunId
);
typed_id!(
    /// The queued work of one stage of a run.
    JobId
);
typed_id!(
    /// Proves that a worker holds the lease of a job: new with every claim.
    LeaseToken
);
typed_id!(
    /// One version of the result of a document.
    ResultId
);
typed_id!(
    /// A trade of a document's current result.
    TradeId
);

//! Typed ids: a user id cannot be passed where a tenant id is meant.

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
    /// A customer whose data is kept apart from everyone else's.
    TenantId
);
typed_id!(
    /// A person who signs in.
    UserId
);
typed_id!(
    /// A machine's key.
    ApiKeyId
);
typed_id!(
    /// One row of the audit log.
    AuditId
);
typed_id!(
    /// One sign-in: the `jti` of the token it was answered with.
    TokenId
);
typed_id!(
    /// The identity of a document.
    DocId
);
typed_id!(
    /// Documents that were handed in together.
    BatchId
);
typed_id!(
    /// One processing of one version of a document.
    RunId
);
typed_id!(
    /// The queued work of one stage.
    JobId
);
typed_id!(
    /// What a worker shows to prove that a job is still its own: new with every claim.
    LeaseToken
);

/// The W3C trace id that ties a request, its log lines, its audit rows and its jobs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceId(pub u128);

impl TraceId {
    /// The header for work that this trace began; its parent is the trace itself.
    ///
    /// ```
    /// let trace = domain::TraceId(0x4bf92f3577b34da6a3ce929d0e0e4736);
    /// assert_eq!(domain::TraceId::from_traceparent(&trace.to_traceparent()), Some(trace));
    /// ```
    pub fn to_traceparent(self) -> String {
        #[expect(clippy::cast_possible_truncation, reason = "half of it is meant")]
        let parent = (self.0 as u64).max(1);
        format!("00-{self}-{parent:016x}-01")
    }

    /// Reads the trace id out of a `traceparent` header; `None` when the header is not one.
    ///
    /// ```
    /// let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    /// let trace = domain::TraceId::from_traceparent(header).unwrap();
    /// assert_eq!(trace.to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
    /// assert!(domain::TraceId::from_traceparent("00-0-0-0").is_none());
    /// ```
    pub fn from_traceparent(header: &str) -> Option<Self> {
        let mut parts = header.split('-');
        let version = parts.next()?;
        let trace = parts.next()?;
        let parent = parts.next()?;
        let well_formed = is_lower_hex(version, 2)
            && version != "ff"
            && is_lower_hex(trace, 32)
            && is_lower_hex(parent, 16);
        if !well_formed {
            return None;
        }
        match u128::from_str_radix(trace, 16) {
            Ok(0) | Err(_) => None,
            Ok(id) => Some(Self(id)),
        }
    }
}

fn is_lower_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

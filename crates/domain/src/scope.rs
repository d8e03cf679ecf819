//! Tenancy as a type.
//!
//! A [`Caller`] is a user or an API key whose credentials were verified, or Docket itself. A [`Scope`] is the caller's
//! permission for one action: the tenant, the reach of the action, and the actor. The store requires a `Scope` for every
//! read and write, and only [`Caller::permit`] creates one: code without authorisation does not compile.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use thiserror::Error;
use uuid::Uuid;

use crate::{
    Action, ApiKeyId, Reach, Role, TenantId, TokenId, TraceContext, TraceId, User, UserId,
};

/// Who acts. Every audit row names the actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    User(UserId),
    ApiKey(ApiKeyId),
    /// Docket itself: first start, periodic tasks, the operator at the command line.
    System,
}

impl Actor {
    /// The user, when the actor is one.
    pub fn user_id(self) -> Option<UserId> {
        match self {
            Self::User(id) => Some(id),
            Self::ApiKey(_) | Self::System => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(id) => id.fmt(f),
            Self::ApiKey(id) => write!(f, "api_key:{id}"),
            Self::System => f.write_str("system"),
        }
    }
}

/// Reads what [`Actor`]'s `Display` writes.
impl FromStr for Actor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "system" {
            return Ok(Self::System);
        }
        let id = |text: &str| text.parse::<Uuid>().map_err(|_| ());
        match text.strip_prefix("api_key:") {
            Some(key) => Ok(Self::ApiKey(ApiKeyId(id(key)?))),
            None => Ok(Self::User(UserId(id(text)?))),
        }
    }
}

/// A verified caller.
#[derive(Clone, Debug)]
pub struct Caller {
    pub tenant_id: TenantId,
    pub actor: Actor,
    pub role: Role,
    /// An email address, or the name of a key.
    pub name: String,
    /// The sign-in of the request; a key has none.
    pub session: Option<Session>,
    /// The trace of the request.
    pub trace: Option<TraceContext>,
}

/// One sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    pub token_id: TokenId,
    pub expires_at: DateTime<Utc>,
    /// The user's session epoch at sign-in.
    pub epoch: i64,
}

impl Caller {
    /// Docket acting on its own behalf inside one tenant.
    pub fn system(tenant_id: TenantId) -> Self {
        Self {
            tenant_id,
            actor: Actor::System,
            role: Role::Admin,
            name: "system".to_owned(),
            session: None,
            trace: None,
        }
    }

    /// A user whose password or token was verified.
    pub fn of_user(user: &User) -> Self {
        Self {
            tenant_id: user.tenant_id,
            actor: Actor::User(user.user_id),
            role: user.role,
            name: user.email.to_string(),
            session: None,
            trace: None,
        }
    }

    /// The only authorisation check: looks `action` up in the permission table.
    pub fn permit(&self, action: Action) -> Result<Scope, NotPermitted> {
        match self.role.reach(action) {
            Reach::Nothing => Err(NotPermitted { role: self.role, action }),
            reach => {
                Ok(Scope { tenant_id: self.tenant_id, actor: self.actor, reach, trace: self.trace })
            }
        }
    }
}

/// The permission for one action in one tenant.
#[derive(Clone, Debug)]
pub struct Scope {
    tenant_id: TenantId,
    actor: Actor,
    reach: Reach,
    trace: Option<TraceContext>,
}

impl Scope {
    pub fn tenant_id(&self) -> TenantId {
        self.tenant_id
    }

    pub fn actor(&self) -> Actor {
        self.actor
    }

    /// The request's position in its trace.
    pub fn trace(&self) -> Option<TraceContext> {
        self.trace
    }

    /// The id of the request, for the audit log.
    pub fn trace_id(&self) -> Option<TraceId> {
        self.trace.map(TraceContext::request_id)
    }

    /// `Some` when the scope is limited to this actor's own documents.
    pub fn only_own(&self) -> Option<Actor> {
        match self.reach {
            Reach::All => None,
            Reach::Own | Reach::Nothing => Some(self.actor),
        }
    }
}

#[derive(Debug, Error)]
#[error("The {role} role can't {}.", .action.phrase())]
pub struct NotPermitted {
    pub role: Role,
    pub action: Action,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(role: Role) -> Caller {
        Caller { role, ..Caller::system(TenantId(uuid::Uuid::from_u128(1))) }
    }

    #[test]
    fn a_permitted_action_yields_a_scope_of_the_callers_tenant() {
        let caller = caller(Role::Auditor);
        let scope = caller.permit(Action::ReadAudit).unwrap();
        assert_eq!(scope.tenant_id(), caller.tenant_id);
        assert_eq!(scope.only_own(), None);
    }

    #[test]
    fn a_user_sees_only_their_own_documents() {
        let caller = caller(Role::User);
        let scope = caller.permit(Action::SeeDocuments).unwrap();
        assert_eq!(scope.only_own(), Some(caller.actor));
    }

    #[test]
    fn a_denied_action_yields_no_scope() {
        let denied = caller(Role::Viewer).permit(Action::ManageUsers).unwrap_err();
        assert_eq!(denied.to_string(), "The viewer role can't manage users.");
    }
}

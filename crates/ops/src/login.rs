//! Signing in.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{
    Action, Actor, AuditAction, AuditEntry, Caller, Clock, EmailAddress, Entity, TokenId, TraceId,
    User,
};
use serde_json::json;

use crate::{Limiter, Ops, OpsError, TooMany};

/// Somebody who has just signed in.
#[derive(Debug)]
pub struct SignedIn {
    pub token: String,
    pub expires_at: DateTime<Utc>,
    pub user: User,
}

/// Slows down guessing: per address that is tried, and per client that tries.
#[derive(Debug)]
pub(crate) struct LoginThrottle {
    by_email: Limiter<EmailAddress>,
    by_client: Limiter<IpAddr>,
}

impl LoginThrottle {
    const CLIENT_FACTOR: u32 = 10;

    pub(crate) fn new(attempts_per_minute: u32, clock: &Arc<dyn Clock>) -> Self {
        let per_minute = |attempts: u32| {
            let attempts = NonZeroU32::new(attempts).unwrap_or(NonZeroU32::MIN);
            (attempts, Duration::from_mins(1) / attempts.get())
        };
        let (by_email, email_refill) = per_minute(attempts_per_minute);
        let (by_client, client_refill) =
            per_minute(attempts_per_minute.saturating_mul(Self::CLIENT_FACTOR));
        Self {
            by_email: Limiter::new(by_email, email_refill, clock),
            by_client: Limiter::new(by_client, client_refill, clock),
        }
    }

    fn admit(&self, email: &EmailAddress, client: IpAddr) -> Result<(), OpsError> {
        let refusal = |refused: TooMany| OpsError::TooManyAttempts(refused.retry_after);
        self.by_client.check(&client).map_err(refusal)?;
        self.by_email.check(email).map_err(refusal)?;
        Ok(())
    }

    pub(crate) fn forget_idle(&self) {
        self.by_email.forget_idle();
        self.by_client.forget_idle();
    }
}

impl Ops {
    /// Checks the password and answers with a token. Who is unknown, deactivated or has the
    /// password wrong gets the same answer in the same time.
    pub async fn login(
        &self,
        email: &str,
        password: String,
        client: IpAddr,
        trace_id: TraceId,
    ) -> Result<SignedIn, OpsError> {
        let email: EmailAddress = email.parse().map_err(|_| OpsError::WrongCredentials)?;
        self.login_throttle.admit(&email, client)?;
        let mut across = self.store.across_tenants().await?;
        let found = across.find_user_for_login(&email).await?;
        across.commit().await?;
        let (user, hash) = found.map(|login| (login.user, login.password_hash)).unzip();
        let matches = self.passwords.matches(password, hash).await?;
        match user {
            Some(user) if matches && user.is_active() => self.sign_in(user, trace_id).await,
            Some(user) => {
                self.record_failed_login(&user, trace_id).await?;
                Err(OpsError::WrongCredentials)
            }
            None => Err(OpsError::WrongCredentials),
        }
    }

    async fn sign_in(&self, user: User, trace_id: TraceId) -> Result<SignedIn, OpsError> {
        let caller = Caller {
            tenant_id: user.tenant_id,
            actor: Actor::User(user.user_id),
            role: user.role,
            name: user.email.to_string(),
            token_id: None,
            trace_id: Some(trace_id),
        };
        let scope = caller.permit(Action::UseOwnSession)?;
        let token_id = TokenId(self.ids.next());
        let mut tx = self.store.begin(&scope).await?;
        tx.append_audit(&AuditEntry {
            action: AuditAction::UserLogin,
            entity: Entity::User(user.user_id),
            detail: json!({ "token_id": token_id }),
        })
        .await?;
        let (token, expires_at) = self.tokens.issue(&user, token_id, tx.now())?;
        tx.commit().await?;
        Ok(SignedIn { token, expires_at, user })
    }

    async fn record_failed_login(&self, user: &User, trace_id: TraceId) -> Result<(), OpsError> {
        let caller = Caller { trace_id: Some(trace_id), ..Caller::system(user.tenant_id) };
        let scope = caller.permit(Action::UseOwnSession)?;
        let mut tx = self.store.begin(&scope).await?;
        tx.append_audit(&AuditEntry {
            action: AuditAction::UserLoginFailed,
            entity: Entity::User(user.user_id),
            detail: json!({ "active": user.is_active() }),
        })
        .await?;
        Ok(tx.commit().await?)
    }
}

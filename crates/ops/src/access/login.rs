//! Signing in.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use domain::{
    Action, AuditAction, AuditEntry, Caller, EmailAddress, Entity, Secret, TokenId, TraceContext,
    User,
};
use serde_json::json;
use store::LoginUser;

use crate::{Access, OpsError};

/// A new session.
#[derive(Debug)]
pub struct SignedIn {
    pub token: Secret,
    pub expires_at: DateTime<Utc>,
    pub user: User,
}

impl Access {
    /// Checks the password and returns a token. An unknown address, a deactivated user and a wrong password get the same
    /// response in the same time.
    pub async fn login(
        &self,
        email: &str,
        password: Secret,
        client: IpAddr,
        trace: TraceContext,
    ) -> Result<SignedIn, OpsError> {
        let email: EmailAddress = email.parse().map_err(|_| OpsError::WrongCredentials)?;
        let slot = self.login_throttle.admit(&email, client, &self.passwords)?;
        let mut across = self.store.across_tenants().await?;
        let found = across.find_user_for_login(&email).await?;
        across.commit().await?;
        let hash = found.as_ref().map(|login| login.password_hash.clone());
        let matches = self.passwords.matches(password, hash, slot).await?;
        match found {
            Some(login) if matches && login.user.is_active() => {
                self.login_throttle.signed_in(email, client);
                self.sign_in(login, trace).await
            }
            Some(login) => {
                self.record_failed_login(&login.user, trace)?;
                Err(OpsError::WrongCredentials)
            }
            None => Err(OpsError::WrongCredentials),
        }
    }

    /// Issues the token after the password was verified. The user may have changed since `login` was read: the token
    /// carries the session epoch of that read, and a later epoch invalidates it.
    pub async fn sign_in(
        &self,
        login: LoginUser,
        trace: TraceContext,
    ) -> Result<SignedIn, OpsError> {
        let LoginUser { user, session_epoch, .. } = login;
        let caller = Caller { trace: Some(trace), ..Caller::of_user(&user) };
        let scope = caller.permit(Action::UseOwnSession)?;
        let token_id = TokenId(self.store.ids().next());
        let mut tx = self.store.begin(&scope).await?;
        tx.append_audit(AuditEntry {
            action: AuditAction::UserLogin,
            entity: Entity::User(user.user_id),
            detail: json!({ "token_id": token_id }),
        })
        .await?;
        let (token, expires_at) = self.tokens.issue(&user, session_epoch, token_id, tx.now())?;
        tx.commit().await?;
        Ok(SignedIn { token: Secret::new(token), expires_at, user })
    }

    /// Runs after the response: the time it takes would reveal that the address exists.
    fn record_failed_login(&self, user: &User, trace: TraceContext) -> Result<(), OpsError> {
        let caller = Caller { trace: Some(trace), ..Caller::system(user.tenant_id) };
        let scope = caller.permit(Action::UseOwnSession)?;
        let entry = AuditEntry {
            action: AuditAction::UserLoginFailed,
            entity: Entity::User(user.user_id),
            detail: json!({ "active": user.is_active() }),
        };
        let store = self.store.clone();
        self.background.spawn(async move {
            let recorded = async {
                let mut tx = store.begin(&scope).await?;
                tx.append_audit(entry).await?;
                tx.commit().await
            };
            if let Err(error) = recorded.await {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, trace_id = %trace.request_id(), "cannot record a failed sign-in");
            }
        });
        Ok(())
    }
}

//! Signing out: the token ends before its time.

use domain::{Action, AuditAction, AuditEntry, Caller, Entity, Revocation, Session};
use serde_json::json;

use crate::{Access, OpsError};

impl Access {
    pub async fn logout(&self, caller: &Caller) -> Result<(), OpsError> {
        let scope = caller.permit(Action::UseOwnSession)?;
        let (Some(session), Some(user_id)) = (caller.session, caller.actor.user_id()) else {
            return Err(OpsError::Conflict {
                code: "not_a_session",
                problem: "an API key has no session to end; revoke the key instead".to_owned(),
            });
        };
        let mut tx = self.store.begin(&scope).await?;
        let Session { token_id, expires_at, .. } = session;
        tx.revoke_token(token_id, user_id, expires_at).await?;
        tx.append_audit(AuditEntry {
            action: AuditAction::UserLogout,
            entity: Entity::User(user_id),
            detail: json!({ "token_id": token_id }),
        })
        .await?;
        let now = tx.now();
        tx.commit().await?;
        self.directory.apply(&[Revocation::Token { token_id, expires_at }], now);
        Ok(())
    }

    /// Ends every session of the caller, this one included. API keys stay valid.
    pub async fn logout_everywhere(&self, caller: &Caller) -> Result<(), OpsError> {
        let scope = caller.permit(Action::UseOwnSession)?;
        let (Some(_), Some(user_id)) = (caller.session, caller.actor.user_id()) else {
            return Err(OpsError::Conflict {
                code: "not_a_session",
                problem: "an API key has no sessions to end; revoke the key instead".to_owned(),
            });
        };
        let mut tx = self.store.begin(&scope).await?;
        // An update without a change ends the sessions that began before it.
        let (_, epoch) =
            tx.update_user(user_id, None, None, None).await?.ok_or(OpsError::NotFound("user"))?;
        tx.append_audit(AuditEntry {
            action: AuditAction::UserLogout,
            entity: Entity::User(user_id),
            detail: json!({ "everywhere": true }),
        })
        .await?;
        let now = tx.now();
        tx.commit().await?;
        self.directory.apply(&[Revocation::SessionsBefore { user_id, epoch }], now);
        Ok(())
    }
}

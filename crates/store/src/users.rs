//! The users of a tenant.

use chrono::{DateTime, Utc};
use domain::{EmailAddress, PasswordHash, Role, TenantId, User, UserId};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, Tx, Window, sql};

/// A user to be inserted.
#[derive(Debug)]
pub struct NewUser {
    pub user_id: UserId,
    pub email: EmailAddress,
    pub password_hash: PasswordHash,
    pub role: Role,
}

/// The data of a user that signing in needs.
#[derive(Debug)]
pub struct LoginUser {
    pub user: User,
    pub password_hash: PasswordHash,
    /// Part of the token: a later epoch invalidates it.
    pub session_epoch: i64,
}

#[derive(FromRow)]
struct UserRow {
    user_id: Uuid,
    tenant_id: Uuid,
    email: String,
    role: String,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    deactivated_at: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct LoginRow {
    #[sqlx(flatten)]
    user: UserRow,
    password_hash: String,
    session_epoch: i64,
}

#[derive(FromRow)]
struct UpdatedRow {
    #[sqlx(flatten)]
    user: UserRow,
    session_epoch: i64,
}

impl TryFrom<UserRow> for User {
    type Error = StoreError;

    fn try_from(row: UserRow) -> Result<Self, StoreError> {
        Ok(Self {
            user_id: UserId(row.user_id),
            tenant_id: TenantId(row.tenant_id),
            role: parse_role(row.role)?,
            email: row.email.parse().map_err(|_| StoreError::Unreadable {
                what: "email address",
                value: row.email.clone(),
            })?,
            created_at: row.created_at,
            updated_at: row.updated_at,
            deactivated_at: row.deactivated_at,
        })
    }
}

pub(crate) fn parse_role(text: String) -> Result<Role, StoreError> {
    text.parse().map_err(|_| StoreError::Unreadable { what: "role", value: text })
}

impl Tx {
    /// Inserts a user; `None` when the address is taken.
    pub async fn insert_user(&mut self, new: NewUser) -> Result<Option<User>, StoreError> {
        let row: Option<UserRow> = sqlx::query_as(sql!("users/insert"))
            .bind(new.user_id.0)
            .bind(self.tenant_id().0)
            .bind(new.email.as_str())
            .bind(&new.password_hash.0)
            .bind(new.role.as_str())
            .bind(self.now())
            .fetch_optional(self.connection())
            .await?;
        row.map(User::try_from).transpose()
    }

    pub async fn find_user(&mut self, user_id: UserId) -> Result<Option<User>, StoreError> {
        let row: Option<UserRow> = sqlx::query_as(sql!("users/find"))
            .bind(self.tenant_id().0)
            .bind(user_id.0)
            .fetch_optional(self.connection())
            .await?;
        row.map(User::try_from).transpose()
    }

    pub async fn list_users(&mut self, window: &Window) -> Result<Vec<User>, StoreError> {
        let rows: Vec<UserRow> = sqlx::query_as(sql!("users/page"))
            .bind(self.tenant_id().0)
            .bind(window.moment())
            .bind(window.id())
            .bind(window.skip)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(User::try_from).collect()
    }

    /// Changes the given fields and ends the user's sessions; `None` when the user does not exist. Also returns the first
    /// session epoch that is valid.
    pub async fn update_user(
        &mut self,
        user_id: UserId,
        role: Option<Role>,
        password_hash: Option<PasswordHash>,
        active: Option<bool>,
    ) -> Result<Option<(User, i64)>, StoreError> {
        let row: Option<UpdatedRow> = sqlx::query_as(sql!("users/update"))
            .bind(self.tenant_id().0)
            .bind(user_id.0)
            .bind(role.map(Role::as_str))
            .bind(password_hash.map(|hash| hash.0))
            .bind(active)
            .bind(self.now())
            .fetch_optional(self.connection())
            .await?;
        let Some(row) = row else { return Ok(None) };
        self.notify_revocation().await?;
        Ok(Some((row.user.try_into()?, row.session_epoch)))
    }

    /// The tenant's active administrators, locked until this transaction ends.
    pub async fn lock_active_admins(&mut self) -> Result<Vec<UserId>, StoreError> {
        let ids: Vec<Uuid> = sqlx::query_scalar(sql!("users/lock_active_admins"))
            .bind(self.tenant_id().0)
            .fetch_all(self.connection())
            .await?;
        Ok(ids.into_iter().map(UserId).collect())
    }
}

impl AcrossTenants {
    pub async fn find_user_for_login(
        &mut self,
        email: &EmailAddress,
    ) -> Result<Option<LoginUser>, StoreError> {
        let row: Option<LoginRow> = sqlx::query_as(sql!("users/find_for_login"))
            .bind(email.as_str())
            .fetch_optional(self.connection())
            .await?;
        row.map(|row| {
            Ok(LoginUser {
                user: row.user.try_into()?,
                password_hash: PasswordHash(row.password_hash),
                session_epoch: row.session_epoch,
            })
        })
        .transpose()
    }

    /// Whether there is any user; there is none before the first start has completed.
    pub async fn has_users(&mut self) -> Result<bool, StoreError> {
        Ok(sqlx::query_scalar("SELECT EXISTS (SELECT FROM users)")
            .fetch_one(self.connection())
            .await?)
    }
}

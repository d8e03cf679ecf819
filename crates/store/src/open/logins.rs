//! The logins that Docket uses on a database.
//!
//! Rights and policies belong to two *roles*: `docket_app` (the work of one tenant) and
//! `docket_system` (the work that spans tenants). A *login* is what connections are made as: the
//! role itself, or a member of it.
//!
//! Docket creates the logins if its own user may. Otherwise, or if the server accepts no other login, all connections log
//! in as the user of the URL and use `SET ROLE`. Row-level security applies there too, but injected SQL could reset the
//! role: Docket reports this *weakness* to the operator.

use std::time::Duration;

use sqlx::error::DatabaseError;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection};

use super::error::{OpenError, brief};
use super::password::DerivedPassword;
use super::prepare::connect;
use crate::sql;

/// Each role with the role that its login must not be able to assume.
pub(super) const APP: Role = Role { name: "docket_app", must_not_become: Some("docket_system") };
pub(super) const SYSTEM: Role = Role { name: "docket_system", must_not_become: None };

#[derive(Clone, Copy, Debug)]
pub(super) struct Role {
    pub(super) name: &'static str,
    must_not_become: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub(super) struct Logins {
    pub(super) app: Login,
    pub(super) system: Login,
    weakness: Option<String>,
}

/// How the connections of a pool log in.
#[derive(Clone, Debug)]
pub(super) struct Login {
    pub(super) options: PgConnectOptions,
    /// The role for `SET ROLE`, unless the login is a member of it only.
    set_role: Option<&'static str>,
}

impl Login {
    /// The first statements of every connection.
    pub(super) fn opening(&self, statement_timeout: Duration) -> String {
        let limit = format!("SET statement_timeout = {}", statement_timeout.as_millis());
        match self.set_role {
            Some(role) => format!("{limit}; SET ROLE {role}"),
            None => limit,
        }
    }
}

impl Logins {
    pub(super) fn weakness(&self) -> Option<&str> {
        self.weakness.as_deref()
    }

    /// Logins that the operator created; each must have the right rights.
    pub(super) async fn given(
        app: PgConnectOptions,
        system: PgConnectOptions,
    ) -> Result<Self, OpenError> {
        for (options, role, setting) in
            [(&app, APP, "database_url"), (&system, SYSTEM, "system_database_url")]
        {
            let mut connection = connect(options).await?;
            if let Err(problem) = judge(&mut connection, role).await? {
                return Err(OpenError::UnfitLogin { setting, problem });
            }
            connection.close().await.map_err(OpenError::statement)?;
        }
        Ok(Self::separate(app, system))
    }

    /// Logins that `connection`'s user creates, or that user for all connections if it cannot.
    pub(super) async fn made(
        connection: &mut PgConnection,
        options: &PgConnectOptions,
        user: &User,
    ) -> Result<Self, OpenError> {
        let weakness = if user.may_make_roles {
            let [app, system] = [APP, SYSTEM].map(|role| MadeLogin::new(role, options, user));
            match ensure(connection, &app, &system).await? {
                Ok(()) => return Ok(Self::separate(app.options, system.options)),
                Err(reason) => reason,
            }
        } else {
            format!("{} may not create other logins", user.name)
        };
        step_down(connection, user).await?;
        let as_user = |role: Role| Login { options: options.clone(), set_role: Some(role.name) };
        Ok(Self { app: as_user(APP), system: as_user(SYSTEM), weakness: Some(weakness) })
    }

    fn separate(app: PgConnectOptions, system: PgConnectOptions) -> Self {
        let login = |options| Login { options, set_role: None };
        Self { app: login(app), system: login(system), weakness: None }
    }
}

/// The user of the connection that migrates.
#[derive(Debug)]
pub(super) struct User {
    pub(super) name: String,
    pub(super) may_make_roles: bool,
}

impl User {
    pub(super) async fn of(connection: &mut PgConnection) -> Result<Self, OpenError> {
        let (name, may_make_roles) = sqlx::query_as(
            "SELECT rolname::text, rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user",
        )
        .fetch_one(connection)
        .await
        .map_err(OpenError::statement)?;
        Ok(Self { name, may_make_roles })
    }
}

/// Creates the roles if they are missing; the error says what an administrator must do.
pub(super) async fn make_roles(
    connection: &mut PgConnection,
    user: &User,
) -> Result<(), OpenError> {
    let missing = |reason| Err(OpenError::RolesMissing { user: user.name.clone(), reason });
    match sqlx::raw_sql(sql!("setup/make_roles")).execute(&mut *connection).await {
        Ok(_) => {}
        Err(error) if is_not_allowed(&error) => return missing(brief(&error)),
        Err(error) => return Err(OpenError::statement(error)),
    }
    if user.may_make_roles {
        return Ok(());
    }
    let is_member: bool = sqlx::query_scalar(
        "SELECT pg_has_role('docket_app', 'MEMBER') AND pg_has_role('docket_system', 'MEMBER')",
    )
    .fetch_one(connection)
    .await
    .map_err(OpenError::statement)?;
    if is_member { Ok(()) } else { missing("they are not granted to it".to_owned()) }
}

/// A login that Docket creates.
///
/// A user without a password logs in by other means (`peer`, a certificate), and then the role itself may do so too.
/// Otherwise the password of the login is derived from the user's, so that every process that knows the one knows the
/// other. The login has the user's name in its name, because another Docket on the same server may have another user.
#[derive(Debug)]
struct MadeLogin {
    role: Role,
    name: String,
    password: Option<DerivedPassword>,
    options: PgConnectOptions,
}

impl MadeLogin {
    fn new(role: Role, options: &PgConnectOptions, user: &User) -> Self {
        let named = format!("{}_{}", role.name, user.name);
        match DerivedPassword::new(options, &named) {
            Some(password) => Self {
                role,
                options: options.clone().username(&named).password(password.reveal()),
                name: named,
                password: Some(password),
            },
            None => Self {
                role,
                options: options.clone().username(role.name),
                name: role.name.to_owned(),
                password: None,
            },
        }
    }

    async fn exists(&self, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
        let found = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1 AND rolcanlogin)";
        sqlx::query_scalar(found).bind(&self.name).fetch_one(connection).await
    }

    async fn make(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let name = format!("\"{}\"", self.name.replace('"', "\"\""));
        let (role, exists) = (self.role.name, self.exists(&mut *connection).await?);
        // Neither a base64 hash nor the name of Docket's role can contain a quote.
        let statement = match &self.password {
            None => format!("ALTER ROLE {name} LOGIN"),
            Some(password) if exists => {
                format!("ALTER ROLE {name} PASSWORD '{}'", password.verifier())
            }
            Some(password) => format!(
                "CREATE ROLE {name} LOGIN PASSWORD '{}' IN ROLE {role}",
                password.verifier()
            ),
        };
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await?;
        Ok(())
    }
}

/// Ensures that both logins exist and can log in; otherwise returns why not.
async fn ensure(
    connection: &mut PgConnection,
    app: &MadeLogin,
    system: &MadeLogin,
) -> Result<Result<(), String>, OpenError> {
    for login in [app, system] {
        let exists = login.exists(connection).await.map_err(OpenError::statement)?;
        if exists && try_login(login).await?.is_ok() {
            continue;
        }
        // New, or the user's password has changed.
        if let Err(error) = make_among_others(connection, login).await {
            return Ok(Err(format!(
                "the login {} cannot be created: {}",
                login.name,
                brief(&error)
            )));
        }
        if let Err(reason) = try_login(login).await? {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(()))
}

/// Another process may be creating the same login from another database, which the lock does not cover.
async fn make_among_others(
    connection: &mut PgConnection,
    login: &MadeLogin,
) -> Result<(), sqlx::Error> {
    const TRIES: usize = 5;
    let mut tries = 1;
    loop {
        match login.make(connection).await {
            Err(error) if tries < TRIES && is_concurrent(&error) => tries += 1,
            made => return made,
        }
    }
}

async fn try_login(login: &MadeLogin) -> Result<Result<(), String>, OpenError> {
    let mut connection = match connect(&login.options).await {
        Ok(connection) => connection,
        Err(OpenError::Unreachable { reason, .. }) => {
            return Ok(Err(format!(
                "the server does not accept the login {}: {reason}",
                login.name
            )));
        }
        Err(other) => return Err(other),
    };
    let judged = judge(&mut connection, login.role).await?;
    connection.close().await.map_err(OpenError::statement)?;
    Ok(judged)
}

/// Whether a login can do the work of `role`, and no more.
async fn judge(connection: &mut PgConnection, role: Role) -> Result<Result<(), String>, OpenError> {
    let (user, has_role, can_become, has_more): (String, bool, bool, bool) =
        sqlx::query_as(sql!("setup/judge_login"))
            .bind(role.name)
            .bind(role.must_not_become)
            .fetch_one(connection)
            .await
            .map_err(OpenError::statement)?;
    let name = role.name;
    Ok(match (has_role, can_become, has_more) {
        (false, ..) => Err(format!("{user} is not a member of {name}")),
        (_, true, _) => Err(format!("{user} can assume the role docket_system")),
        (.., true) => Err(format!(
            "{user} is a superuser, owns tables or may create roles, databases or replicas"
        )),
        _ => Ok(()),
    })
}

/// Checks `SET ROLE` once, with a helpful error, instead of failing on every later connection.
async fn step_down(connection: &mut PgConnection, user: &User) -> Result<(), OpenError> {
    let missing = |error: sqlx::Error| OpenError::RolesMissing {
        user: user.name.clone(),
        reason: brief(&error),
    };
    // The creator of a role may not always assume it.
    let try_it = "SET ROLE docket_app; SET ROLE docket_system; RESET ROLE";
    if sqlx::raw_sql(try_it).execute(&mut *connection).await.is_ok() {
        return Ok(());
    }
    let grant = "GRANT docket_app, docket_system TO CURRENT_USER";
    sqlx::raw_sql(grant).execute(&mut *connection).await.map_err(missing)?;
    sqlx::raw_sql(try_it).execute(connection).await.map_err(missing)?;
    Ok(())
}

pub(super) fn is_not_allowed(error: &sqlx::Error) -> bool {
    const INSUFFICIENT_PRIVILEGE: &str = "42501";
    error.as_database_error().and_then(DatabaseError::code).as_deref()
        == Some(INSUFFICIENT_PRIVILEGE)
}

/// "Duplicate role", the unique violation that two creations at once run into, or "tuple
/// concurrently updated".
fn is_concurrent(error: &sqlx::Error) -> bool {
    matches!(
        error.as_database_error().and_then(DatabaseError::code).as_deref(),
        Some("42710" | "23505" | "XX000")
    )
}

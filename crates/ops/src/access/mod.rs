//! Who may use Docket: people, their passwords and tokens, and the keys of machines.

pub(crate) mod authenticate;
pub(crate) mod change_own_password;
pub(crate) mod continued_access;
pub(crate) mod create_api_key;
pub(crate) mod create_user;
pub(crate) mod directory;
pub(crate) mod list_api_keys;
pub(crate) mod list_users;
pub(crate) mod login;
pub(crate) mod login_throttle;
pub(crate) mod logout;
pub(crate) mod passwords;
pub(crate) mod revoke_api_key;
pub(crate) mod tokens;
pub(crate) mod update_user;

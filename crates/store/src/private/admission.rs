//! Who may log in to the server: `pg_hba.conf` and `pg_ident.conf`, which Docket writes at every start.
//!
//! The server asks the kernel for the user at the other end of the socket (`peer`). The user that runs Docket, and root,
//! may log in as Docket's roles; no other user may. There is no password, and access to the socket is not enough.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::process::geteuid;

use super::SUPERUSER;
use super::account::{Account, user_name};
use super::error::{Attempt, PrivateServerError, Result};

/// The superuser migrates; `crate::open` creates the others.
const LOGINS: [&str; 3] = [SUPERUSER, "docket_app", "docket_system"];
const BACKUP: &str = "docket_backup";
const MAP: &str = "docket";
const HEADER: &str = "# Docket writes this file at every start.\n";

/// Who may log in.
#[derive(Debug)]
pub(super) struct Admission {
    /// Users of the machine who may log in as Docket's roles.
    users: Vec<String>,
    /// Whether any role with a password may log in as well.
    passwords: bool,
}

impl Admission {
    /// The user that runs Docket, the owner of the server's folder, and root.
    pub(super) fn for_owner_of(folder: &Path, passwords: bool) -> Result<Self> {
        let own = geteuid().as_raw();
        let owner = fs::metadata(folder).attempt("look at", folder)?.uid();
        let name = user_name(own)?.ok_or(PrivateServerError::NamelessUser { uid: own })?;
        let others = [user_name(owner)?, user_name(0)?];
        let mut users: Vec<String> = others.into_iter().flatten().chain([name]).collect();
        // Always in the same order, so that different users do not rewrite the files.
        users.sort_unstable();
        users.dedup();
        Ok(Self { users, passwords })
    }

    /// Returns whether a file changed, so that a running server must reload.
    pub(super) fn write(&self, data: &Path, account: Account) -> Result<bool> {
        let rules = replace(&data.join("pg_hba.conf"), &self.rules(), account)?;
        let map = replace(&data.join("pg_ident.conf"), &self.map(), account)?;
        Ok(rules || map)
    }

    fn rules(&self) -> String {
        let mut rules = format!(
            "{HEADER}\
             local  all          {}  peer map={MAP}\n\
             local  replication  {BACKUP}  peer map={MAP}\n",
            LOGINS.join(",")
        );
        if self.passwords {
            rules.push_str("local  all          all  scram-sha-256\n");
        }
        rules
    }

    fn map(&self) -> String {
        let logins = LOGINS.iter().chain([&BACKUP]);
        let lines = self.users.iter().flat_map(|user| {
            logins.clone().map(move |login| format!("{MAP}  \"{user}\"  {login}\n"))
        });
        [HEADER.to_owned()].into_iter().chain(lines).collect()
    }
}

/// Writes a new file and renames it. The folder belongs to the server's account, which root does not trust, so an existing
/// name is never written through.
fn replace(path: &Path, content: &str, account: Account) -> Result<bool> {
    match fs::read(path) {
        Ok(current) if current == content.as_bytes() => return Ok(false),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).attempt("read", path);
        }
        _ => {}
    }
    let draft = path.with_extension("conf.new");
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).attempt("remove", &draft);
        }
        _ => {}
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .attempt("write", &draft)?;
    file.write_all(content.as_bytes()).attempt("write", &draft)?;
    file.sync_all().attempt("write", &draft)?;
    account.own_open(&file, &draft)?;
    fs::rename(&draft, path).attempt("replace", path)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_users_may_log_in_and_only_as_roles_of_docket() {
        let admission = Admission { users: vec!["ada".into(), "root".into()], passwords: false };
        assert_eq!(
            admission.rules(),
            "# Docket writes this file at every start.\n\
             local  all          docket,docket_app,docket_system  peer map=docket\n\
             local  replication  docket_backup  peer map=docket\n"
        );
        let map = admission.map();
        assert_eq!(map.lines().count(), 1 + 2 * 4, "{map}");
        assert!(map.contains("docket  \"ada\"  docket_system\n"), "{map}");
    }

    #[test]
    fn a_file_is_replaced_only_when_it_differs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pg_hba.conf");
        fs::write(&path, "local all all trust\n").unwrap();
        assert!(replace(&path, "# none\n", Account::Own).unwrap());
        assert!(!replace(&path, "# none\n", Account::Own).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "# none\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_symbolic_link_with_the_name_of_the_draft_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (folder.path().join("pg_hba.conf"), folder.path().join("shadow"));
        fs::write(&elsewhere, "untouched").unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder.path().join("pg_hba.conf.new")).unwrap();
        assert!(replace(&path, "# none\n", Account::Own).unwrap());
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "untouched");
    }
}

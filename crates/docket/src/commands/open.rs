//! `docket open`

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode, Stdio};

use api_types::DocumentDetailView;

use crate::cli::OpenArgs;
use crate::client::{Kind, Session};
use crate::say::{complain, say};

pub(crate) async fn run(args: &OpenArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let doc_id = client.resolve(Kind::Document, &args.id).await?;
    let _: DocumentDetailView = client.get(&format!("/v1/documents/{doc_id}")).await?;
    let server = client.server().as_str().trim_end_matches('/');
    let address = format!("{server}/documents/{doc_id}");
    say(&address);
    if args.print {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(program) = browser(&|name| std::env::var_os(name)) {
        let started = Command::new(&program)
            .arg(&address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if let Err(error) = started {
            let program = program.display();
            complain(format_args!("cannot start {program} to open it: {error}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The program that opens web addresses: what BROWSER names, else the desktop's. `None` without a display.
fn browser(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<OsString> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(browser) = set("BROWSER") {
        // A list, separated by colons: the first one.
        let first = browser.as_encoded_bytes().split(|byte| *byte == b':').next()?;
        return std::str::from_utf8(first).ok().map(OsString::from);
    }
    if cfg!(target_os = "macos") {
        return Some(OsStr::new("open").to_owned());
    }
    let has_display = set("DISPLAY").or_else(|| set("WAYLAND_DISPLAY")).is_some();
    has_display.then(|| OsStr::new("xdg-open").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(environment: &[(&str, &str)]) -> Option<OsString> {
        browser(&|name| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn a_browser_is_started_where_there_is_a_display() {
        assert_eq!(chosen(&[]), None);
        assert_eq!(chosen(&[("DISPLAY", "")]), None);
        assert_eq!(chosen(&[("DISPLAY", ":0")]), Some("xdg-open".into()));
        assert_eq!(chosen(&[("WAYLAND_DISPLAY", "wayland-0")]), Some("xdg-open".into()));
        assert_eq!(chosen(&[("BROWSER", "firefox:lynx")]), Some("firefox".into()));
    }
}

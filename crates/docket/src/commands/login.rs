//! `docket login`, `docket logout` and `docket password`

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Context;
use api_types::{ChangePasswordRequest, LoginRequest, LoginResponse};
use domain::Secret;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::client::{ClientError, Credentials, CredentialsFile, Session};
use crate::config::ConfigError;
use crate::say::{complain, say};
use crate::signals::StopSignals;

/// Signs in and keeps the token.
pub(crate) async fn log_in(server: Option<&str>, email: &str) -> anyhow::Result<ExitCode> {
    let session = Session::find(server)?;
    let file = CredentialsFile::find()?;
    let prompt = format!("Password of {email} at {}: ", session.server);
    let password = password(&prompt, "DOCKET_PASSWORD").await?;
    let request = LoginRequest { email: email.to_owned(), password };
    let answer: LoginResponse = session.anonymous()?.post("/v1/auth/login", &request).await?;
    let email = answer.user.email.clone();
    let token = answer.token.reveal().to_owned();
    file.write(&Credentials { server: session.server.to_string(), token, email: email.clone() })?;
    let until = answer.expires_at.format("%Y-%m-%d %H:%M UTC");
    say(format_args!("Signed in at {} as {email} until {until}", session.server));
    Ok(ExitCode::SUCCESS)
}

/// Ends the sign-in on the server and forgets it here, whatever the server says.
pub(crate) async fn log_out() -> anyhow::Result<ExitCode> {
    let file = CredentialsFile::find()?;
    let Some(kept) = file.read()? else {
        say("You were not signed in");
        return Ok(ExitCode::SUCCESS);
    };
    let told = Session::of(&kept)?.signed_in()?.tell("/v1/auth/logout").await;
    file.remove()?;
    match told {
        // The token had ended before.
        Err(ClientError::Refused(problem)) if problem.status == 401 => {}
        Err(error) => complain(format_args!(
            "the sign-in is forgotten here, but the server was not told, and the token counts until \
             it expires: {error}"
        )),
        Ok(()) => {}
    }
    say(format_args!("Signed out of {}", kept.server));
    Ok(ExitCode::SUCCESS)
}

/// Replaces the caller's password, and the token of this sign-in with the one that the server returns.
pub(crate) async fn change_password(server: Option<&str>) -> anyhow::Result<ExitCode> {
    let session = Session::find(server)?;
    let client = session.signed_in()?;
    let current_password = password("Current password: ", "DOCKET_PASSWORD").await?;
    let new_password = password("New password: ", NEW_PASSWORD).await?;
    if std::env::var(NEW_PASSWORD).is_err() && io::stdin().is_terminal() {
        let repeated = password("New password again: ", NEW_PASSWORD).await?;
        anyhow::ensure!(
            repeated.reveal() == new_password.reveal(),
            "the two new passwords differ; nothing was changed"
        );
    }
    let request = ChangePasswordRequest { current_password, new_password };
    let answer: LoginResponse = client.put("/v1/me/password", &request).await?;
    let file = CredentialsFile::find()?;
    if file.read()?.is_some_and(|kept| kept.server == session.server.as_str()) {
        let (token, email) = (answer.token.reveal().to_owned(), answer.user.email);
        file.write(&Credentials { server: session.server.to_string(), token, email })?;
    }
    say("Your password was changed. Your other sessions are signed out.");
    Ok(ExitCode::SUCCESS)
}

const NEW_PASSWORD: &str = "DOCKET_NEW_PASSWORD";

/// From an environment variable, or a line from the terminal, unseen, or from whatever standard input is.
async fn password(prompt: &str, variable: &str) -> anyhow::Result<Secret> {
    if let Ok(given) = std::env::var(variable) {
        return Ok(Secret::new(given));
    }
    let hidden = if io::stdin().is_terminal() { Some(HiddenTyping::begin(prompt)?) } else { None };
    let mut signals = StopSignals::listen().context("cannot listen for signals")?;
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map(|_| line)
    });
    let line = tokio::select! {
        line = read => line?.context("the password cannot be read")?,
        () = signals.next() => {
            drop(hidden);
            std::process::exit(130);
        }
    };
    drop(hidden);
    let line = line.trim_end_matches(['\r', '\n']);
    if line.is_empty() {
        let problem = format_args!("no password was given; type it, pipe it in, or set {variable}");
        return Err(ConfigError::argument(problem).into());
    }
    Ok(Secret::new(line))
}

/// While it lives, the terminal shows nothing of what is typed.
struct HiddenTyping {
    before: rustix::termios::Termios,
}

impl HiddenTyping {
    fn begin(prompt: &str) -> anyhow::Result<Self> {
        let mut terminal = io::stderr();
        write!(terminal, "{prompt}").and_then(|()| terminal.flush()).ok();
        let before = tcgetattr(io::stdin()).context("the terminal does not answer")?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Now, &hidden)
            .context("the terminal would show the password")?;
        Ok(Self { before })
    }
}

impl Drop for HiddenTyping {
    fn drop(&mut self) {
        tcsetattr(io::stdin(), OptionalActions::Now, &self.before).ok();
        writeln!(io::stderr()).ok();
    }
}

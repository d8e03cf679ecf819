//! One document in each state, and callers of every role: owners of all of them, and others.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};

use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use domain::{AttachedFile, Caller, DocId, Role, RunId, TraceContext};
use serde_json::{Value, json};
use testkit::{Library, TestApp, TestTenant};

/// The state of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// Its second run is active.
    Active,
    Withdrawn,
    Deleted,
    /// A mask was added before its second run.
    Masked,
    /// Its owners presented its password, except the one who has it as an attachment.
    Password,
}

impl State {
    pub(super) const ALL: [Self; 5] =
        [Self::Active, Self::Withdrawn, Self::Deleted, Self::Masked, Self::Password];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Withdrawn => "withdrawn",
            Self::Deleted => "deleted",
            Self::Masked => "masked",
            Self::Password => "password",
        }
    }
}

/// The caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Principal {
    AdminOwn,
    Admin,
    ReviewerOwn,
    Reviewer,
    Viewer,
    Auditor,
    UserOwn,
    /// Has the documents as attachments of a mail.
    UserByMail,
    User,
    KeyOwn,
    Key,
    /// An administrator of another tenant.
    Stranger,
}

impl Principal {
    pub(super) const ALL: [Self; 12] = [
        Self::AdminOwn,
        Self::Admin,
        Self::ReviewerOwn,
        Self::Reviewer,
        Self::Viewer,
        Self::Auditor,
        Self::UserOwn,
        Self::UserByMail,
        Self::User,
        Self::KeyOwn,
        Self::Key,
        Self::Stranger,
    ];
    /// Those who upload each document, in this order.
    const OWNERS: [Self; 4] = [Self::UserOwn, Self::AdminOwn, Self::ReviewerOwn, Self::KeyOwn];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::AdminOwn => "admin/own",
            Self::Admin => "admin/other",
            Self::ReviewerOwn => "reviewer/own",
            Self::Reviewer => "reviewer/other",
            Self::Viewer => "viewer/other",
            Self::Auditor => "auditor/other",
            Self::UserOwn => "user/own",
            Self::UserByMail => "user/by_mail",
            Self::User => "user/other",
            Self::KeyOwn => "key/own",
            Self::Key => "key/other",
            Self::Stranger => "stranger",
        }
    }

    fn role(self) -> Role {
        match self {
            Self::AdminOwn | Self::Admin | Self::Stranger => Role::Admin,
            Self::ReviewerOwn | Self::Reviewer => Role::Reviewer,
            Self::Viewer => Role::Viewer,
            Self::Auditor => Role::Auditor,
            Self::UserOwn | Self::UserByMail | Self::User => Role::User,
            Self::KeyOwn | Self::Key => Role::ApiClient,
        }
    }
}

/// A document, with everything that is needed to read it.
pub(super) struct Subject {
    pub(super) doc_id: String,
    pub(super) title: String,
    pub(super) run_id: String,
    pub(super) older_run_id: String,
    /// A trade of the current result.
    pub(super) trade_id: String,
    /// The mail that it is attached to.
    pub(super) mail_id: String,
    /// A word of its text that no other document has.
    pub(super) marker: &'static str,
    batches: HashMap<Principal, String>,
    /// Created before the document got its state; `None` if the principal could not create one.
    pub(super) links: HashMap<Principal, Option<String>>,
}

impl Subject {
    /// The batch that the principal put it into, or else the first owner's.
    pub(super) fn batch_of(&self, principal: Principal) -> &str {
        self.batches.get(&principal).unwrap_or_else(|| &self.batches[&Principal::UserOwn])
    }
}

pub(super) struct World {
    pub(super) library: Library,
    acme: TestTenant,
    tokens: HashMap<Principal, String>,
    subjects: HashMap<State, Subject>,
    /// The documents whose events each principal receives.
    events: HashMap<Principal, Vec<String>>,
}

const PASSWORD: &str = "sesame";

impl World {
    pub(super) async fn build() -> Self {
        let library = Library::with_results().await;
        let acme = library.app.tenant("acme").await;
        let tokens = sign_in_all(&library.app, &acme).await;
        let mut world =
            Self { library, acme, tokens, subjects: HashMap::new(), events: HashMap::new() };
        for state in State::ALL {
            let subject = world.make(state).await;
            world.subjects.insert(state, subject);
        }
        world.collect_events().await;
        world
    }

    pub(super) fn app(&self) -> &TestApp {
        &self.library.app
    }

    pub(super) fn token(&self, principal: Principal) -> &str {
        &self.tokens[&principal]
    }

    pub(super) fn subject(&self, state: State) -> &Subject {
        &self.subjects[&state]
    }

    pub(super) fn receives_events_of(&self, principal: Principal, state: State) -> bool {
        self.events[&principal].contains(&self.subject(state).doc_id)
    }

    /// A document that all owners uploaded, each into a batch of their own; processed twice.
    async fn make(&self, state: State) -> Subject {
        let marker = match state {
            State::Active => "Almdorf",
            State::Withdrawn => "Birkenau",
            State::Deleted => "Celle",
            State::Masked => "Dornbirn",
            State::Password => "Eisenach",
        };
        let title = format!("insurance-{}.txt", state.as_str());
        let password = (state == State::Password).then_some(PASSWORD);
        let lock = password.map_or_else(String::new, |word| format!("locked by {word}\n\n"));
        let text = format!(
            "{lock}The landlord insures the building in {marker} against fire.\n\nIBAN of {state:?}"
        );
        let (mut batches, mut first) = (HashMap::new(), None);
        for owner in Principal::OWNERS {
            let batch = self.post("/v1/batches", json!({}), owner).await;
            let batch = text_of(&batch, "batch_id");
            let added = self.add(&batch, owner, &title, &text, password).await;
            batches.insert(owner, batch);
            first.get_or_insert(added);
            self.library.work_off().await;
        }
        let added = first.unwrap();
        let (doc_id, older_run_id) = (text_of(&added, "doc_id"), text_of(&added, "run_id"));
        let mail_id = self.attach(&title, &text, state, &older_run_id).await;
        let links = self.create_links(&doc_id).await;
        if state == State::Masked {
            let mask = json!({ "box": [0.0, 0.1, 1.0, 1.0], "file_name_contains": title });
            let rules = self.app().put("/v1/tenant/rules", json!({ "masks": [mask] }));
            assert_eq!(rules.bearer(&self.acme.admin_token).status().await, StatusCode::OK);
        }
        let path = format!("/v1/documents/{doc_id}");
        let rerun = self.post(&format!("{path}/rerun"), json!({}), Principal::Admin).await;
        self.library.work_off().await;
        let admin = self.token(Principal::Admin);
        let detail = self.app().get(&path).bearer(admin).send().await.body;
        let trade_id = text_of(&detail["trades"][0], "trade_id");
        match state {
            State::Withdrawn => {
                self.post(&format!("{path}/deactivate"), json!({}), Principal::Admin).await;
            }
            State::Deleted => {
                let deleted = self.app().request(Method::DELETE, &path);
                let deleted = deleted.bearer(self.token(Principal::Admin));
                assert_eq!(deleted.status().await, StatusCode::NO_CONTENT);
            }
            State::Active | State::Masked | State::Password => {}
        }
        let run_id = text_of(&rerun, "run_id");
        Subject { doc_id, title, run_id, older_run_id, trade_id, mail_id, marker, batches, links }
    }

    /// A mail of all owners, and of one who did not upload what is attached to it.
    async fn attach(&self, title: &str, text: &str, state: State, run_id: &str) -> String {
        let name = format!("mail-{}.txt", state.as_str());
        let mut mail_id = String::new();
        for owner in Principal::OWNERS.into_iter().chain([Principal::UserByMail]) {
            let mail = self.app().upload(&name, &format!("Please find attached: {title}"));
            let mail = mail.bearer(self.token(owner)).send().await.body;
            mail_id = text_of(&mail, "doc_id");
            self.library.work_off().await;
        }
        let attached = AttachedFile {
            tenant_id: self.acme.tenant.tenant_id,
            parent: DocId(mail_id.parse().unwrap()),
            run_id: RunId(run_id.parse().unwrap()),
            name: title.to_owned(),
            content: Bytes::from(text.to_owned()),
            depth: 1,
        };
        self.app().ops.intake().accept_attachment(attached).await.unwrap();
        self.library.work_off().await;
        mail_id
    }

    async fn create_links(&self, doc_id: &str) -> HashMap<Principal, Option<String>> {
        let mut links = HashMap::new();
        for principal in Principal::ALL {
            let link = self.app().get(&format!("/v1/documents/{doc_id}/original"));
            let link = link.bearer(self.token(principal)).send().await.body;
            links.insert(principal, link["url"].as_str().map(str::to_owned));
        }
        links
    }

    /// Replays all events to every principal, up to one that all of them see.
    async fn collect_events(&mut self) {
        let mut last = HashMap::new();
        for principal in Principal::ALL {
            let token = match principal {
                Principal::Viewer | Principal::Auditor => self.token(Principal::Admin),
                other => self.token(other),
            };
            let made = self.app().upload("last.txt", "The last one.").bearer(token).send().await;
            last.insert(principal, text_of(&made.body, "doc_id"));
        }
        self.library.work_off().await;
        for principal in Principal::ALL {
            let token = self.token(principal);
            let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
            let caller: Caller = self
                .app()
                .ops
                .access
                .authenticate(token, here, TraceContext::new(1))
                .await
                .unwrap();
            let beginning = "p0-00000000000000000000000000000000".parse().unwrap();
            let mut following =
                self.app().ops.events.follow_events(&caller, Some(beginning)).await.unwrap();
            let mut heard: Vec<String> = Vec::new();
            while heard.last() != Some(&last[&principal]) {
                let event = following.next().await.unwrap();
                heard.extend(event.payload["doc_id"].as_str().map(str::to_owned));
            }
            self.events.insert(principal, heard);
        }
    }

    async fn post(&self, path: &str, body: Value, principal: Principal) -> Value {
        let answer = self.app().post(path, body).bearer(self.token(principal)).send().await;
        assert!(answer.status.is_success(), "{path} as {principal:?}: {answer:?}");
        answer.body
    }

    async fn add(
        &self,
        batch: &str,
        owner: Principal,
        name: &str,
        text: &str,
        password: Option<&str>,
    ) -> Value {
        let path = format!("/v1/batches/{batch}/documents");
        let request = self.app().request(Method::POST, &path);
        let fields: Vec<(&str, &str)> =
            password.map(|word| ("password", word)).into_iter().collect();
        let request = request.fields_and_files(&fields, [(name, text.as_bytes())]);
        let answer = request.bearer(self.token(owner)).send().await;
        let accepted = &answer.body["files"][0]["accepted"];
        assert!(accepted.is_object(), "{name} as {owner:?}: {answer:?}");
        accepted.clone()
    }
}

fn text_of(body: &Value, field: &str) -> String {
    body[field].as_str().unwrap_or_else(|| panic!("no {field} in {body}")).to_owned()
}

async fn sign_in_all(app: &TestApp, acme: &TestTenant) -> HashMap<Principal, String> {
    let elsewhere = app.tenant("elsewhere").await;
    let mut tokens = HashMap::new();
    for principal in Principal::ALL {
        let role = principal.role();
        let token = match principal {
            Principal::Stranger => elsewhere.admin_token.clone(),
            Principal::KeyOwn | Principal::Key => {
                let body = json!({ "name": principal.as_str(), "role": role });
                let made = app.post("/v1/api-keys", body).bearer(&acme.admin_token).send().await;
                text_of(&made.body, "key")
            }
            _ => app.user(acme, role).await.1,
        };
        tokens.insert(principal, token);
    }
    tokens
}

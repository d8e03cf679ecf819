//! Random uploads, deletions, withdrawals, batches and masks of two users and an administrator who have the same three
//! files, compared with a small model of what each may see. The seeds are fixed; a failure names its seed and step.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use super::Office;

/// Each with a word of its own to be found by; the second one needs a password.
const TEXTS: [(&str, &str); 3] = [
    ("zebra", "The zebra\n\npays its rent.\n\nsecret: DE02"),
    ("walrus", "locked by sesame\n\nThe walrus pays its rent.\n\nsecret: DE02"),
    ("lynx", "The lynx pays its rent."),
];
const NAMES: [&str; 3] = ["scan.txt", "payslip.txt", "letter.txt"];
const TAGS: [&str; 3] = ["rent", "tax", "car"];
const PASSWORDS: [Option<&str>; 4] = [None, Some("sesame"), Some("sesame"), Some("WRONG")];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Ada,
    Bob,
    Admin,
}

impl Who {
    const ALL: [Self; 3] = [Self::Ada, Self::Bob, Self::Admin];

    fn token(self, office: &Office) -> &str {
        match self {
            Self::Ada => &office.ada,
            Self::Bob => &office.bob,
            Self::Admin => office.admin(),
        }
    }
}

#[derive(Clone, Debug)]
struct Upload {
    who: Who,
    text: usize,
    name: &'static str,
    title: String,
    tags: BTreeSet<&'static str>,
    password: Option<&'static str>,
    dedupe: bool,
    only_ingest: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Upload(Upload),
    Delete(usize),
    Withdraw(usize),
    Tag(usize, &'static str),
    Mask(bool),
}

/// The title, name and tags that an owner gave a document.
#[derive(Clone, Debug, Default, PartialEq)]
struct Called {
    title: String,
    name: String,
    tags: BTreeSet<&'static str>,
}

#[derive(Clone, Debug, Default)]
struct Own {
    called: Called,
    password: Option<&'static str>,
}

/// The modelled state of one document.
#[derive(Clone, Debug, Default)]
struct Doc {
    called: Called,
    owners: BTreeMap<Who, Own>,
    names: BTreeSet<&'static str>,
    is_deleted: bool,
    was_served: bool,
    served: Option<Served>,
    /// Whether each processed version was masked. A version is reused under the same masks.
    read_as: BTreeSet<bool>,
    /// The password has opened it.
    is_opened: bool,
    /// The stored passwords, and whether each opened it.
    kept: Vec<(&'static str, bool)>,
}

/// The active version.
#[derive(Clone, Copy, Debug)]
struct Served {
    is_masked: bool,
    is_read: bool,
    is_found: bool,
}

#[derive(Clone, Debug, Default)]
struct Model {
    docs: [Option<Doc>; 3],
    masks_payslips: bool,
}

impl Model {
    /// The expected response to an upload: the result of deduplication, or the code of a problem.
    fn upload(&mut self, upload: &Upload) -> &'static str {
        let is_admin = upload.who == Who::Admin;
        let needs_password = TEXTS[upload.text].1.starts_with("locked by");
        let called = Called {
            title: upload.title.clone(),
            name: upload.name.to_owned(),
            tags: upload.tags.clone(),
        };
        let (masks, is_new) = (self.masks_payslips, self.docs[upload.text].is_none());
        let doc = self.docs[upload.text].get_or_insert_default();
        let answer = if is_new {
            doc.called = called.clone();
            "new"
        } else if let Some(code) = doc.refusal(upload, is_admin) {
            return code;
        } else {
            doc.answer(upload, is_admin, masks)
        };
        doc.is_deleted = false;
        doc.names.insert(upload.name);
        let own = doc.owners.entry(upload.who).or_default();
        let tags = if upload.tags.is_empty() { own.called.tags.clone() } else { called.tags };
        own.called = Called { tags, ..called };
        own.password = upload.password.or(own.password);
        if answer != "skipped" {
            doc.run(upload, needs_password, masks);
        }
        answer
    }
}

impl Doc {
    fn refusal(&self, upload: &Upload, is_admin: bool) -> Option<&'static str> {
        if !is_admin {
            if self.is_deleted {
                return Some("document_deleted");
            }
            if self.was_served && self.served.is_none() {
                return Some("document_withdrawn");
            }
            if upload.only_ingest || !upload.dedupe && self.served.is_some() {
                return Some("forbidden");
            }
        }
        let before = self.owners.get(&upload.who).and_then(|own| own.password);
        let is_right = upload.password.or(before) == Some("sesame");
        match upload.password {
            _ if !self.is_opened || is_right => None,
            Some(_) => Some("wrong_password"),
            None => Some("password_required"),
        }
    }

    fn answer(&self, upload: &Upload, is_admin: bool, masks: bool) -> &'static str {
        let wants_more = is_admin && (!upload.dedupe || upload.only_ingest);
        let is_payslip = self.is_payslip() || upload.name.contains("payslip");
        match self.served.filter(|_| !self.is_deleted) {
            None => "new",
            Some(_) if wants_more => "new_version",
            Some(served) if masks && is_payslip && !served.is_masked => "new_version",
            Some(_) => "skipped",
        }
    }

    fn is_payslip(&self) -> bool {
        self.names.iter().any(|name| name.contains("payslip"))
    }

    fn run(&mut self, upload: &Upload, needs_password: bool, masks: bool) {
        let opened_first = self.kept.iter().rev().find(|(_, opened)| *opened);
        let password =
            upload.password.or(opened_first.or(self.kept.last()).map(|(password, _)| *password));
        let opens = needs_password && !upload.only_ingest && password == Some("sesame");
        self.kept.extend(password.map(|password| (password, opens)));
        if needs_password && !upload.only_ingest && !opens {
            return;
        }
        self.is_opened |= opens;
        self.was_served = true;
        let is_masked = masks && self.is_payslip();
        let is_read = !upload.only_ingest;
        if is_read {
            self.read_as.insert(is_masked);
        }
        let is_found = self.read_as.contains(&is_masked);
        self.served = Some(Served { is_masked, is_read, is_found });
    }

    fn take_out(&mut self) {
        self.served = None;
    }

    /// The metadata that a caller sees, if they see the document.
    fn seen_by(&self, who: Who) -> Option<&Called> {
        match who {
            _ if self.is_deleted => None,
            Who::Admin => Some(&self.called),
            who => self.owners.get(&who).map(|own| &own.called),
        }
    }

    fn is_locked_for(&self, who: Who) -> bool {
        let own = self.owners.get(&who).and_then(|own| own.password);
        who != Who::Admin && self.is_opened && own != Some("sesame")
    }

    /// The active version, if the caller may read it.
    fn read_by(&self, who: Who) -> Option<Served> {
        self.seen_by(who)?;
        self.served.filter(|served| served.is_read && !self.is_locked_for(who))
    }

    fn is_found_by(&self, who: Who) -> bool {
        let is_found = self.served.is_some_and(|served| served.is_found);
        self.seen_by(who).is_some() && is_found && !self.is_locked_for(who)
    }
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    fn step(&mut self, number: usize) -> Step {
        let text = self.below(TEXTS.len());
        match self.below(14) {
            0 => Step::Delete(text),
            1 => Step::Withdraw(text),
            2 => Step::Tag(text, self.one_of(&TAGS)),
            3 => Step::Mask(self.below(3) > 0),
            _ => Step::Upload(Upload {
                who: self.one_of(&[Who::Ada, Who::Ada, Who::Bob, Who::Bob, Who::Admin]),
                text,
                name: self.one_of(&NAMES),
                title: format!("title {number}"),
                tags: (0..self.below(3)).map(|_| self.one_of(&TAGS)).collect(),
                password: self.one_of(&PASSWORDS),
                dedupe: self.below(4) > 0,
                only_ingest: self.below(8) == 0,
            }),
        }
    }
}

/// The application, the ids that its documents got, and the model.
struct Play {
    office: Office,
    ids: [Option<String>; 3],
    model: Model,
}

impl Play {
    async fn take(&mut self, step: &Step) {
        match step {
            Step::Upload(upload) => {
                let expected = self.model.upload(upload);
                let answer = self.upload(upload).await;
                assert_eq!(answer, expected);
            }
            Step::Delete(text) => {
                self.act(*text, |id| (Method::DELETE, format!("/v1/documents/{id}"))).await;
                if let Some(doc) = &mut self.model.docs[*text] {
                    doc.take_out();
                    doc.is_deleted = true;
                    doc.kept.clear();
                }
            }
            Step::Withdraw(text) => {
                self.act(*text, |id| (Method::POST, format!("/v1/documents/{id}/deactivate")))
                    .await;
                if let Some(doc) = &mut self.model.docs[*text]
                    && !doc.is_deleted
                {
                    doc.take_out();
                }
            }
            Step::Tag(text, tag) => self.tag(*text, tag).await,
            Step::Mask(on) => {
                self.office.mask(if *on { "payslip" } else { "no such name" }).await;
                self.model.masks_payslips = *on;
            }
        }
    }

    /// The actual response: the result of deduplication, or the code of a problem.
    async fn upload(&mut self, upload: &Upload) -> String {
        let office = &self.office;
        let token = upload.who.token(office);
        let mut said = vec![("title", upload.title.as_str())];
        said.extend(upload.tags.iter().map(|tag| ("tag", *tag)));
        said.extend(upload.password.map(|password| ("password", password)));
        let app = &office.library.app;
        let text = TEXTS[upload.text].1;
        let is_usual = upload.dedupe && !upload.only_ingest;
        let path = if is_usual {
            "/v1/ingest".to_owned()
        } else {
            let mut batch = json!({ "dedupe": upload.dedupe });
            if upload.only_ingest {
                batch["pipeline"] = json!(["ingest"]);
            }
            let made = app.post("/v1/batches", batch).bearer(token).send().await.body;
            format!("/v1/batches/{}/documents", made["batch_id"].as_str().unwrap())
        };
        let request = app.request(Method::POST, &path).file_with(&said, upload.name, text);
        let answer = request.bearer(token).send().await.body;
        office.library.work_off().await;
        let file = if is_usual { None } else { Some(&answer["files"][0]) };
        let accepted = file.map_or(&answer, |file| &file["accepted"]);
        if let Some(id) = accepted["doc_id"].as_str() {
            self.ids[upload.text] = Some(id.to_owned());
            return accepted["dedup_result"].as_str().unwrap().to_owned();
        }
        file.map_or(&answer, |file| &file["problem"])["code"].as_str().unwrap().to_owned()
    }

    async fn act(&self, text: usize, request: impl Fn(&str) -> (Method, String)) {
        if let Some(id) = &self.ids[text] {
            let (method, path) = request(id);
            let status = self.office.act(self.office.admin(), method, &path).await;
            assert!(
                status == StatusCode::NO_CONTENT || status == StatusCode::NOT_FOUND,
                "{status}"
            );
        }
    }

    async fn tag(&mut self, text: usize, tag: &'static str) {
        let Some(id) = &self.ids[text] else { return };
        let path = format!("/v1/documents/{id}/tags");
        let request = self.office.library.app.put(&path, json!({ "tags": [tag] }));
        request.bearer(self.office.admin()).send().await;
        if let Some(doc) = self.model.docs[text].as_mut().filter(|doc| !doc.is_deleted) {
            doc.called.tags = [tag].into();
            for own in doc.owners.values_mut() {
                own.called.tags = [tag].into();
            }
        }
    }

    /// All search results of a caller, as bytes.
    async fn searches(&self, who: Who) -> Vec<String> {
        let mut found = Vec::new();
        for (word, _) in TEXTS {
            found.push(
                self.search(who, json!({ "query": word, "mode": "lexical" })).await.to_string(),
            );
        }
        for tag in TAGS {
            let query = json!({ "query": "pays rent", "filters": { "tags": [tag] } });
            found.push(self.search(who, query).await.to_string());
        }
        found
    }

    async fn search(&self, who: Who, body: Value) -> Value {
        self.office.search(who.token(&self.office), body).await
    }

    async fn check(&self) {
        for who in Who::ALL {
            for text in 0..TEXTS.len() {
                self.check_one(who, text).await;
            }
        }
    }

    async fn check_one(&self, who: Who, text: usize) {
        let Some(id) = &self.ids[text] else { return };
        let doc = self.model.docs[text].as_ref().unwrap();
        let token = who.token(&self.office);
        let place = format!("{who:?} looks at {}", TEXTS[text].0);

        let shown = self.office.get(token, &format!("/v1/documents/{id}")).await;
        let seen = doc.seen_by(who).map(|called| {
            json!({
                "title": called.title, "filename": called.name, "tags": called.tags,
                "content_locked": doc.is_locked_for(who), "active": doc.served.is_some(),
            })
        });
        let shown = (shown.status == StatusCode::OK).then(|| {
            let body = &shown.body;
            json!({
                "title": body["title"], "filename": body["filename"], "tags": body["tags"],
                "content_locked": body["content_locked"], "active": body["status"] == "active",
            })
        });
        assert_eq!(shown, seen, "{place}");

        let list = self.office.get(token, "/v1/documents?status=all").await.body;
        let listed =
            list["items"].as_array().unwrap().iter().find(|item| item["doc_id"] == id.as_str());
        let title = seen.as_ref().map(|seen| &seen["title"]);
        assert_eq!(listed.map(|item| &item["title"]), title, "{place} in the list");

        let read = doc.read_by(who);
        let query = json!({ "query": TEXTS[text].0, "mode": "lexical" });
        let hits = self.search(who, query).await["hits"].clone();
        let hits = hits.as_array().unwrap();
        assert_eq!(!hits.is_empty(), doc.is_found_by(who), "{place} by searching");
        for hit in hits {
            assert_eq!(Some(&hit["title"]), title, "{place} by searching");
        }

        let text = self.office.text(token, id).await;
        if let Some(served) = read {
            let content = text.body.to_string();
            assert_eq!(text.status, StatusCode::OK, "{place}: {content}");
            let masked = served.is_masked
                || !TEXTS
                    .iter()
                    .any(|(word, text)| content.contains(word) && text.contains("secret:"));
            assert_eq!(!content.contains("secret:"), masked, "{place}: {content}");
        } else if seen.is_none() || doc.is_locked_for(who) {
            assert_ne!(text.status, StatusCode::OK, "{place}: {}", text.body);
        }
        if seen.is_none() {
            let original = self.office.get(token, &format!("/v1/documents/{id}/original")).await;
            assert_eq!(original.status, StatusCode::NOT_FOUND, "{place}: the original");
        }
    }

    /// Whether a step of one user may change what another one finds: by a mask for a new name, or by retrying failed
    /// content.
    fn changes_what_is_served(&self, before: &Model, step: &Step) -> bool {
        let Step::Upload(Upload { text, .. }) = step else { return true };
        let served = |model: &Model| {
            let doc = model.docs[*text].as_ref()?;
            doc.served.map(|served| (served.is_masked, served.is_read, served.is_found))
        };
        served(before) != served(&self.model)
    }
}

#[expect(clippy::print_stdout, reason = "a run that fails shows how it came there")]
async fn play(seed: u64, steps: usize) {
    let mut dice = Dice(seed);
    let office = Office::open().await;
    let mut play = Play { office, ids: [const { None }; 3], model: Model::default() };
    let mut taken: Vec<Step> = Vec::new();
    for number in 0..steps {
        let step = dice.step(number);
        println!("seed {seed}, step {number}: {step:?}");
        let before = play.model.clone();
        let others = match &step {
            Step::Upload(Upload { who: Who::Ada, .. }) => Some(Who::Bob),
            Step::Upload(Upload { who: Who::Bob, .. }) => Some(Who::Ada),
            _ => None,
        };
        let found = match others {
            Some(other) => play.searches(other).await,
            None => Vec::new(),
        };
        // Runs are ordered by their creation time.
        play.office.library.app.clock.advance(chrono::Duration::seconds(1));
        play.take(&step).await;
        play.check().await;
        if let Some(other) = others
            && !play.changes_what_is_served(&before, &step)
        {
            assert_eq!(play.searches(other).await, found, "{other:?} finds something else now");
        }
        taken.push(step);
    }
    let accepted = play.ids.iter().flatten().count();
    assert_eq!((taken.len(), accepted), (steps, 3), "every text was uploaded");
}

#[tokio::test]
async fn each_user_sees_what_the_model_predicts_first_seed() {
    play(1, 40).await;
}

#[tokio::test]
async fn each_user_sees_what_the_model_predicts_second_seed() {
    play(2, 40).await;
}

#[tokio::test]
async fn each_user_sees_what_the_model_predicts_third_seed() {
    play(3, 40).await;
}

use domain::{FileKind, Role};
use uuid::Uuid;

use super::*;

const EVERYONE: ContentRights = ContentRights { older_runs: false, masked_content: false };
const REVIEWER: ContentRights = ContentRights { older_runs: true, masked_content: false };
const ADMINISTRATOR: ContentRights = ContentRights { older_runs: true, masked_content: true };

fn mask(top: f32) -> MaskRule {
    MaskRule { area: [0.0, top, 1.0, 1.0], ..MaskRule::default() }
}

/// A run with masks `run`, of a document that is served with masks `served`.
fn facts(standing: RunRank, run: &[MaskRule], served: &[MaskRule]) -> ContentFacts {
    ContentFacts {
        doc_id: DocId(Uuid::nil()),
        file_name: "a.pdf".to_owned(),
        media_type: "application/pdf".to_owned(),
        masking: masking(served),
        rules: TenantRules::default(),
        run: Some(RunFacts {
            run_id: RunId(Uuid::nil()),
            rank: standing,
            masks: run.to_vec(),
            content: None,
            knows_password: true,
        }),
    }
}

fn masking(applied: &[MaskRule]) -> Masking {
    let file_names = vec!["a.pdf".to_owned()];
    Masking { kind: FileKind::Pdf, file_names, applied: applied.to_vec() }
}

fn code(decided: Result<(), OpsError>) -> &'static str {
    match decided {
        Ok(()) => "readable",
        Err(OpsError::Withheld { code, .. }) => code,
        Err(OpsError::NotFound(_)) => "not_found",
        Err(_) => "another error",
    }
}

fn artifact(rights: ContentRights, facts: &ContentFacts) -> &'static str {
    code(decide(ReadableObject::Artifact, rights, facts, &[]))
}

#[test]
fn content_rights_follow_the_permission_table() {
    let rights = |role| {
        let caller = Caller { role, ..Caller::system(TenantId(Uuid::nil())) };
        let ContentRights { older_runs, masked_content } = ContentRights::of(&caller);
        (older_runs, masked_content)
    };
    assert_eq!(rights(Role::Admin), (true, true));
    assert_eq!(rights(Role::Reviewer), (true, false));
    for role in [Role::User, Role::Viewer, Role::Auditor, Role::ApiClient] {
        assert_eq!(rights(role), (false, false), "{role}");
    }
}

#[test]
fn older_runs_are_for_administrators_and_reviewers() {
    let older = facts(RunRank::Older, &[], &[]);
    assert_eq!(artifact(EVERYONE, &older), "run_is_older");
    assert_eq!(artifact(REVIEWER, &older), "readable");
    for standing in [RunRank::Active, RunRank::Latest] {
        assert_eq!(artifact(EVERYONE, &facts(standing, &[], &[])), "readable", "{standing:?}");
    }
}

#[test]
fn older_results_are_for_everyone_unless_they_are_from_before_a_mask() {
    let result = |rights, facts: &ContentFacts| {
        code(decide(ReadableObject::OlderResult, rights, facts, &[]))
    };
    assert_eq!(result(EVERYONE, &facts(RunRank::Older, &[], &[])), "readable");
    let before = facts(RunRank::Older, &[], &[mask(0.5)]);
    assert_eq!(result(REVIEWER, &before), "run_is_before_mask");
    assert_eq!(result(ADMINISTRATOR, &before), "readable");
}

#[test]
fn runs_from_before_a_mask_are_for_administrators() {
    let masks = [mask(0.5)];
    let before = facts(RunRank::Older, &[], &masks);
    assert_eq!(artifact(EVERYONE, &before), "run_is_before_mask");
    assert_eq!(artifact(REVIEWER, &before), "run_is_before_mask");
    assert_eq!(artifact(ADMINISTRATOR, &before), "readable");
    let covered = facts(RunRank::Older, &[mask(0.2)], &masks);
    assert_eq!(artifact(REVIEWER, &covered), "readable", "its mask covers the new one");
    let since_removed = facts(RunRank::Older, &[], &[]);
    assert_eq!(artifact(REVIEWER, &since_removed), "readable");
}

#[test]
fn a_new_mask_hides_the_latest_run_of_a_withdrawn_document_and_not_the_active_one() {
    let rules = TenantRules { masks: vec![mask(0.5)], ..TenantRules::default() };
    let with_rules = |standing| ContentFacts { rules: rules.clone(), ..facts(standing, &[], &[]) };
    assert_eq!(artifact(REVIEWER, &with_rules(RunRank::Latest)), "run_is_before_mask");
    assert_eq!(artifact(EVERYONE, &with_rules(RunRank::Active)), "readable");
}

#[test]
fn originals_with_masks_are_for_administrators() {
    let original = |rights, facts: &ContentFacts, within: &[ContainedFile]| {
        code(decide(ReadableObject::Original, rights, facts, within))
    };
    let plain = facts(RunRank::Active, &[], &[]);
    assert_eq!(original(EVERYONE, &plain, &[]), "readable");
    let masked = facts(RunRank::Active, &[mask(0.5)], &[mask(0.5)]);
    assert_eq!(original(REVIEWER, &masked, &[]), "original_is_masked");
    assert_eq!(original(ADMINISTRATOR, &masked, &[]), "readable");
    let by_rule = TenantRules { masks: vec![mask(0.5)], ..TenantRules::default() };
    let not_yet = ContentFacts { rules: by_rule, ..plain.clone() };
    assert_eq!(original(EVERYONE, &not_yet, &[]), "original_is_masked");
    let within = |applied: &[MaskRule], is_deleted| {
        [ContainedFile { masking: masking(applied), is_deleted }]
    };
    assert_eq!(original(EVERYONE, &plain, &within(&[], false)), "readable");
    assert_eq!(original(EVERYONE, &plain, &within(&[mask(0.5)], false)), "original_is_masked");
    assert_eq!(original(REVIEWER, &plain, &within(&[], true)), "original_holds_deleted");
    assert_eq!(original(ADMINISTRATOR, &plain, &within(&[], true)), "readable");
}

#[test]
fn an_owner_without_the_password_reads_only_the_original() {
    let mut locked = facts(RunRank::Active, &[], &[]);
    if let Some(run) = &mut locked.run {
        run.knows_password = false;
    }
    for object in ReadableObject::ALL {
        let expected = match object.needs() {
            ContentNeed::Nothing | ContentNeed::Original => "readable",
            ContentNeed::Run | ContentNeed::AnyRun | ContentNeed::ActiveRun => "password_required",
        };
        assert_eq!(code(decide(*object, ADMINISTRATOR, &locked, &[])), expected, "{object:?}");
    }
}

#[test]
fn search_finds_only_the_active_run() {
    for standing in [RunRank::Latest, RunRank::Older] {
        let facts = facts(standing, &[], &[]);
        let decided = decide(ReadableObject::SearchHit, ADMINISTRATOR, &facts, &[]);
        assert_eq!(code(decided), "not_found", "{standing:?}");
    }
}

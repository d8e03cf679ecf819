//! The permission table, which every route, query and screen applies.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The role of a user or an API key in its tenant. Each has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Admin,
    User,
    Reviewer,
    Viewer,
    Auditor,
    ApiClient,
}

/// One line of the permission table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// See one's own account, sign out.
    UseOwnSession,
    UploadDocuments,
    CreateBatches,
    SeeDocuments,
    /// Read the output of runs before the current one.
    ReadOlderRuns,
    /// Read what masks hide: originals of masked documents, and runs from before a mask.
    ReadMaskedOriginals,
    SeeKnowledgeBase,
    AskQuestions,
    EditResults,
    /// Change a document's title: for everyone, or with [`Reach::Own`] only for the caller.
    RenameDocuments,
    ResearchMatches,
    LinkRecords,
    RerunDocuments,
    PromoteResults,
    RetryDeadJobs,
    DeactivateDocuments,
    ManageSources,
    /// Create, change and withdraw the tenant's own document types.
    ManageDocumentTypes,
    ManageUsers,
    ManageApiKeys,
    ManageWebhooks,
    ManageRetention,
    /// See the tenant's limits and usage, change its rules.
    ManageTenant,
    /// See the server's configuration; in the operator's own tenant only.
    SeeConfiguration,
    ReadAudit,
    ReadDeadJobs,
    /// See how often extracted values are wrong.
    ReadQuality,
}

/// The extent of a role's permission for an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Nothing,
    /// Only the caller's own documents.
    Own,
    /// Everything in the tenant.
    All,
}

use Reach::{All, Nothing, Own};

/// The permission table: one row per action, one column per role, in [`Role::ALL`]'s order.
const TABLE: [(Action, [Reach; 6]); 27] = {
    const ADMIN_ONLY: [Reach; 6] = [All, Nothing, Nothing, Nothing, Nothing, Nothing];
    const OVERSIGHT: [Reach; 6] = [All, Nothing, Nothing, Nothing, All, Nothing];
    const INTAKE: [Reach; 6] = [All, All, All, Nothing, Nothing, All];
    const SEE: [Reach; 6] = [All, Own, All, All, All, Own];
    const REVIEW: [Reach; 6] = [All, Nothing, All, Nothing, Nothing, Nothing];
    [
        //                             admin, user, reviewer, viewer, auditor, api_client
        (Action::UseOwnSession, [All, All, All, All, All, All]),
        (Action::UploadDocuments, INTAKE),
        (Action::CreateBatches, INTAKE),
        (Action::SeeDocuments, SEE),
        (Action::ReadOlderRuns, REVIEW),
        (Action::ReadMaskedOriginals, ADMIN_ONLY),
        (Action::SeeKnowledgeBase, SEE),
        (Action::AskQuestions, [All, All, All, All, Nothing, All]),
        (Action::EditResults, REVIEW),
        (Action::RenameDocuments, [All, Own, All, Nothing, Nothing, Own]),
        (Action::ResearchMatches, REVIEW),
        (Action::LinkRecords, REVIEW),
        (Action::RerunDocuments, ADMIN_ONLY),
        (Action::PromoteResults, ADMIN_ONLY),
        (Action::RetryDeadJobs, ADMIN_ONLY),
        (Action::DeactivateDocuments, ADMIN_ONLY),
        (Action::ManageSources, ADMIN_ONLY),
        (Action::ManageDocumentTypes, ADMIN_ONLY),
        (Action::ManageUsers, ADMIN_ONLY),
        (Action::ManageApiKeys, ADMIN_ONLY),
        (Action::ManageWebhooks, ADMIN_ONLY),
        (Action::ManageRetention, ADMIN_ONLY),
        (Action::ManageTenant, ADMIN_ONLY),
        (Action::SeeConfiguration, ADMIN_ONLY),
        (Action::ReadAudit, OVERSIGHT),
        (Action::ReadDeadJobs, OVERSIGHT),
        (Action::ReadQuality, OVERSIGHT),
    ]
};

impl Role {
    /// Every role, in the order of the table's columns.
    pub const ALL: [Self; 6] =
        [Self::Admin, Self::User, Self::Reviewer, Self::Viewer, Self::Auditor, Self::ApiClient];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::User => "user",
            Self::Reviewer => "reviewer",
            Self::Viewer => "viewer",
            Self::Auditor => "auditor",
            Self::ApiClient => "api_client",
        }
    }

    /// The extent of this role's permission for `action`.
    pub fn reach(self, action: Action) -> Reach {
        TABLE
            .iter()
            .find(|(listed, _)| *listed == action)
            .map_or(Nothing, |(_, columns)| columns[self as usize])
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Debug, Error)]
#[error("'{0}' is not a role; the roles are admin, user, reviewer, viewer, auditor and api_client")]
pub struct UnknownRole(String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| UnknownRole(text.to_owned()))
    }
}

impl Action {
    /// What the action does, for a sentence such as "The viewer role can't upload documents."
    pub fn phrase(self) -> &'static str {
        match self {
            Self::UseOwnSession => "use a session",
            Self::UploadDocuments => "upload documents",
            Self::CreateBatches => "create batches",
            Self::SeeDocuments => "view documents",
            Self::ReadOlderRuns => "read the output of older runs",
            Self::ReadMaskedOriginals => "read masked originals",
            Self::SeeKnowledgeBase => "view the knowledge base",
            Self::AskQuestions => "ask questions",
            Self::EditResults => "edit documents",
            Self::RenameDocuments => "rename documents",
            Self::ResearchMatches => "search for matches",
            Self::LinkRecords => "link records",
            Self::RerunDocuments => "rerun documents",
            Self::PromoteResults => "promote results",
            Self::RetryDeadJobs => "retry or discard failed jobs",
            Self::DeactivateDocuments => "withdraw or delete documents",
            Self::ManageSources => "manage sources",
            Self::ManageDocumentTypes => "manage document types",
            Self::ManageUsers => "manage users",
            Self::ManageApiKeys => "manage API keys",
            Self::ManageWebhooks => "manage webhooks",
            Self::ManageRetention => "manage retention",
            Self::ManageTenant => "manage the tenant",
            Self::SeeConfiguration => "view the server's configuration",
            Self::ReadAudit => "view the audit log",
            Self::ReadDeadJobs => "view failed jobs",
            Self::ReadQuality => "view the quality of extraction",
        }
    }

    /// Every action, in the table's order.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(action, _)| *action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table as the product's description prints it.
    #[test]
    fn the_table_is_the_documented_one() {
        let documented = "
            UseOwnSession       all all all all all all
            UploadDocuments     all all all -   -   all
            CreateBatches       all all all -   -   all
            SeeDocuments        all own all all all own
            ReadOlderRuns       all -   all -   -   -
            ReadMaskedOriginals all -   -   -   -   -
            SeeKnowledgeBase    all own all all all own
            AskQuestions        all all all all -   all
            EditResults         all -   all -   -   -
            RenameDocuments     all own all -   -   own
            ResearchMatches     all -   all -   -   -
            LinkRecords         all -   all -   -   -
            RerunDocuments      all -   -   -   -   -
            PromoteResults      all -   -   -   -   -
            RetryDeadJobs       all -   -   -   -   -
            DeactivateDocuments all -   -   -   -   -
            ManageSources       all -   -   -   -   -
            ManageDocumentTypes all -   -   -   -   -
            ManageUsers         all -   -   -   -   -
            ManageApiKeys       all -   -   -   -   -
            ManageWebhooks      all -   -   -   -   -
            ManageRetention     all -   -   -   -   -
            ManageTenant        all -   -   -   -   -
            SeeConfiguration    all -   -   -   -   -
            ReadAudit           all -   -   -   all -
            ReadDeadJobs        all -   -   -   all -
            ReadQuality         all -   -   -   all -";
        let name = |reach| match reach {
            All => "all",
            Own => "own",
            Nothing => "-",
        };
        let actual: Vec<Vec<String>> = Action::all()
            .map(|action| {
                let reaches = Role::ALL.map(|role| name(role.reach(action)).to_owned());
                [format!("{action:?}")].into_iter().chain(reaches).collect()
            })
            .collect();
        let documented: Vec<Vec<String>> = documented
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect();
        assert_eq!(actual, documented);
    }

    #[test]
    fn every_role_reads_back_from_its_name() {
        for role in Role::ALL {
            assert_eq!(role.as_str().parse::<Role>().unwrap(), role);
        }
        assert!("root".parse::<Role>().is_err());
    }
}

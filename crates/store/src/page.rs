//! Cursors and pages of lists.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// A cursor: the row after which a page begins. Lists are ordered by time, then id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct After {
    pub moment: DateTime<Utc>,
    pub id: Uuid,
}

/// A page of a list: after the cursor, if there is one, skip `skip` rows and return `limit` rows.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub after: Option<After>,
    pub skip: i64,
    pub limit: i64,
}

impl Window {
    pub(crate) fn moment(&self) -> Option<DateTime<Utc>> {
        self.after.map(|after| after.moment)
    }

    pub(crate) fn id(&self) -> Option<Uuid> {
        self.after.map(|after| after.id)
    }
}

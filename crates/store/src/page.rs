//! Which part of a list is wanted.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The row a page begins after: lists are ordered by time, then id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct After {
    pub moment: DateTime<Utc>,
    pub id: Uuid,
}

/// A window on a list: after a row when there is a cursor, then `skip` rows on, then `limit` rows.
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

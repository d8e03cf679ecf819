//! Pages of lists.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{
    ApiKeyView, AuditEntryView, BatchResultView, BatchView, DocumentSort, DocumentView, JobView,
    KnowledgeBaseDocumentView, ResultEntryView, RunView, TradeView, UserView,
};

/// A page of a list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// The page, counted from 1.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1_000_000)]
    pub page: Option<u32>,
    /// Rows per page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page: faster than a page number, and stable while rows are added.
    #[serde(default)]
    pub cursor: Option<String>,
}

macro_rules! page_of {
    ($name:ident, $item:ident) => {
        #[derive(Debug, Serialize, Deserialize, ToSchema)]
        pub struct $name {
            pub items: Vec<$item>,
            /// Rows per page.
            pub limit: u32,
            /// The cursor of the next page; `null` on the last page.
            pub next_cursor: Option<String>,
        }
    };
}

page_of!(UserPage, UserView);
page_of!(ApiKeyPage, ApiKeyView);
page_of!(AuditPage, AuditEntryView);
page_of!(JobPage, JobView);
page_of!(DocumentPage, DocumentView);
page_of!(RunPage, RunView);
page_of!(BatchPage, BatchView);
page_of!(BatchResultPage, BatchResultView);
page_of!(KnowledgeBasePage, KnowledgeBaseDocumentView);
page_of!(ResultPage, ResultEntryView);
page_of!(TradePage, TradeView);

/// Whether the database can store the timestamp: the years 1 to 9999.
pub fn is_storable(moment: DateTime<Utc>) -> bool {
    (1..=9999).contains(&moment.year())
}

/// The same for a date.
pub fn is_storable_date(date: NaiveDate) -> bool {
    (1..=9999).contains(&date.year())
}

/// A position in a list. Opaque to clients.
///
/// ```
/// let cursor = api_types::Cursor { moment: "2026-02-15T12:00:00Z".parse().unwrap(), id: uuid::Uuid::nil() };
/// assert_eq!(cursor.to_string().parse::<api_types::Cursor>().unwrap(), cursor);
/// assert!("no cursor".parse::<api_types::Cursor>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub moment: DateTime<Utc>,
    pub id: Uuid,
}

#[derive(Debug)]
pub struct InvalidCursor;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{}", self.moment.timestamp_micros(), self.id.simple())
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (moment, id) = text.split_once('-').ok_or(InvalidCursor)?;
        let micros = i64::from_str_radix(moment, 16).map_err(|_| InvalidCursor)?;
        let moment = DateTime::from_timestamp_micros(micros).filter(|moment| is_storable(*moment));
        Ok(Self {
            moment: moment.ok_or(InvalidCursor)?,
            id: Uuid::try_parse(id).map_err(|_| InvalidCursor)?,
        })
    }
}

/// A place in a list of documents, which are sorted in several ways. Clients send it back as they got it.
///
/// ```
/// use api_types::{DocumentCursor, DocumentSort, SortKey};
/// let key = SortKey::Title("bill – 2026".to_owned());
/// let cursor = DocumentCursor { sort: DocumentSort::Title, key, id: uuid::Uuid::nil() };
/// assert_eq!(cursor.to_string().parse::<DocumentCursor>().unwrap(), cursor);
/// assert!("title.zz-00000000000000000000000000000000".parse::<DocumentCursor>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentCursor {
    pub sort: DocumentSort,
    pub key: SortKey,
    pub id: Uuid,
}

/// What a list of documents is sorted by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortKey {
    Moment(DateTime<Utc>),
    Title(String),
}

impl fmt::Display for DocumentCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sort != DocumentSort::Newest {
            write!(f, "{}.", self.sort.as_str())?;
        }
        match &self.key {
            SortKey::Moment(moment) => Cursor { moment: *moment, id: self.id }.fmt(f),
            SortKey::Title(title) => {
                title.bytes().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                write!(f, "-{}", self.id.simple())
            }
        }
    }
}

impl FromStr for DocumentCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (sort, place) = text.split_once('.').unwrap_or((DocumentSort::Newest.as_str(), text));
        let sort = DocumentSort::ALL.into_iter().find(|known| known.as_str() == sort);
        let sort = sort.ok_or(InvalidCursor)?;
        if !matches!(sort, DocumentSort::Title | DocumentSort::TitleDesc) {
            let Cursor { moment, id } = place.parse()?;
            return Ok(Self { sort, key: SortKey::Moment(moment), id });
        }
        let (title, id) = place.split_once('-').ok_or(InvalidCursor)?;
        let title = text_of_hexadecimal(title).filter(|title| !title.contains('\0'));
        Ok(Self {
            sort,
            key: SortKey::Title(title.ok_or(InvalidCursor)?),
            id: Uuid::try_parse(id).map_err(|_| InvalidCursor)?,
        })
    }
}

fn text_of_hexadecimal(digits: &str) -> Option<String> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    });
    String::from_utf8(pairs.collect::<Option<_>>()?).ok()
}

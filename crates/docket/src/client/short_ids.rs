//! Turning what a user names into ids.
//!
//! The short form of an id is its end: the first digits of a UUIDv7 are the time, and the same for all that was created
//! within a minute. The server knows which ids end with some digits (`GET /v1/ids/{id}`), and answers only with what
//! the caller may see.

use api_types::{BatchPage, BatchView, FoundIdsView};
use uuid::Uuid;

use super::{Client, ClientError};
use crate::cli::{BatchArg, IdArg};

/// How many of an id's last digits tables show: two of a hundred thousand documents share them in one case out of
/// ten, and then more digits are asked for.
const SHOWN_DIGITS: usize = 8;

/// The short form of an id, which [`Client::resolve`] understands.
pub(crate) fn short_id(id: Uuid) -> String {
    let mut digits = id.simple().to_string();
    digits.split_off(digits.len() - SHOWN_DIGITS)
}

/// How tables show ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdStyle {
    Short,
    Full,
}

impl IdStyle {
    pub(crate) fn show(self, id: Uuid) -> String {
        match self {
            Self::Short => short_id(id),
            Self::Full => id.to_string(),
        }
    }
}

/// What an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Document,
    Run,
    Batch,
    Job,
}

impl Kind {
    fn singular(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Run => "run",
            Self::Batch => "batch",
            Self::Job => "failed job",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Document => "documents",
            Self::Run => "runs",
            Self::Batch => "batches",
            Self::Job => "failed jobs",
        }
    }

    fn of(self, found: FoundIdsView) -> Vec<Uuid> {
        match self {
            Self::Document => found.documents,
            Self::Run => found.runs,
            Self::Batch => found.batches,
            Self::Job => found.jobs,
        }
    }
}

impl Client {
    /// The id that is meant. A full id costs no request.
    pub(crate) async fn resolve(&self, kind: Kind, id: &IdArg) -> Result<Uuid, ClientError> {
        let digits = match id {
            IdArg::Full(id) => return Ok(*id),
            IdArg::Short(digits) => digits,
        };
        let (ids, is_complete) = self.ids_ending_with(kind, digits).await?;
        match ids.as_slice() {
            _ if !is_complete => {
                let problem = format!(
                    "too many {} have an id that ends with {digits}; give more digits",
                    kind.plural()
                );
                Err(ClientError::WrongName(problem))
            }
            [id] => Ok(*id),
            [] => Err(ClientError::WrongName(format!(
                "there is no {} whose id ends with {digits}. It was deleted, or you don't have access",
                kind.singular()
            ))),
            several => {
                let all: Vec<String> = several.iter().map(Uuid::to_string).collect();
                Err(ClientError::WrongName(format!(
                    "{} {} have an id that ends with {digits}; give more digits: {}",
                    several.len(),
                    kind.plural(),
                    all.join(", ")
                )))
            }
        }
    }

    pub(crate) async fn resolve_all(
        &self,
        kind: Kind,
        ids: &[IdArg],
    ) -> Result<Vec<Uuid>, ClientError> {
        let mut resolved = Vec::with_capacity(ids.len());
        for id in ids {
            let id = self.resolve(kind, id).await?;
            if !resolved.contains(&id) {
                resolved.push(id);
            }
        }
        Ok(resolved)
    }

    /// The id of a batch that is named by its name, its id or the end of its id.
    pub(crate) async fn resolve_batch(&self, batch: &BatchArg) -> Result<Uuid, ClientError> {
        let BatchArg(text) = batch;
        if let Ok(id) = Uuid::try_parse(text) {
            return Ok(id);
        }
        let named = self.batches_called(text).await?;
        match named.as_slice() {
            [batch] => return Ok(batch.batch_id),
            [] => {}
            several => {
                let all: Vec<String> = several
                    .iter()
                    .map(|batch| {
                        let created = batch.created_at.format("%Y-%m-%d %H:%M");
                        format!("{} (created {created})", short_id(batch.batch_id))
                    })
                    .collect();
                return Err(ClientError::WrongName(format!(
                    "{} batches are called '{text}'; name one by its id: {}",
                    several.len(),
                    all.join(", ")
                )));
            }
        }
        match text.parse::<IdArg>() {
            Ok(id) => self.resolve(Kind::Batch, &id).await.map_err(|error| match error {
                ClientError::WrongName(problem) => ClientError::WrongName(format!(
                    "{problem}, and no batch is called that. `docket batches` lists them"
                )),
                error => error,
            }),
            Err(_) => Err(ClientError::WrongName(format!(
                "no batch is called '{text}'. `docket batches` lists them"
            ))),
        }
    }

    async fn ids_ending_with(
        &self,
        kind: Kind,
        digits: &str,
    ) -> Result<(Vec<Uuid>, bool), ClientError> {
        match self.get::<FoundIdsView>(&format!("/v1/ids/{digits}")).await {
            Ok(found) => {
                let is_complete = found.is_complete;
                Ok((kind.of(found), is_complete))
            }
            Err(ClientError::Refused(problem)) if problem.status == 404 => Ok((Vec::new(), true)),
            Err(error) => Err(error),
        }
    }

    async fn batches_called(&self, name: &str) -> Result<Vec<BatchView>, ClientError> {
        let mut named = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut query = vec![("limit", "100".to_owned())];
            query.extend(cursor.map(|cursor| ("cursor", cursor)));
            let page: BatchPage = self.get_by("/v1/batches", &query).await?;
            named.extend(page.items.into_iter().filter(|it| it.name.as_deref() == Some(name)));
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(named);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_form_of_an_id_is_its_end() {
        let id = Uuid::try_parse("01a1e13b-ba5d-77ed-b170-2bb85921a8f5").unwrap();
        assert_eq!(short_id(id), "5921a8f5");
        assert_eq!(IdStyle::Full.show(id), "01a1e13b-ba5d-77ed-b170-2bb85921a8f5");
    }
}

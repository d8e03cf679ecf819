//! `docket search` and `docket ask`

use std::process::ExitCode;

use api_types::{
    AskBody, AskResponse, CitationView, HitView, SearchBody, SearchFilters, SearchMode,
    SearchResponse,
};
use serde_json::json;

use crate::cli::{AskArgs, SearchArgs, SearchBy, WithinArgs};
use crate::client::{Client, ClientError, Kind, Session, short_id};
use crate::say::{complain, say};

/// Exits with 1 when nothing is found.
pub(crate) async fn search(args: &SearchArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let body = SearchBody {
        query: args.query.join(" "),
        limit: Some(args.limit),
        mode: match args.mode {
            SearchBy::Hybrid => SearchMode::Hybrid,
            SearchBy::Lexical => SearchMode::Lexical,
            SearchBy::Vector => SearchMode::Vector,
        },
        filters: filters(&client, &args.within).await?,
    };
    let found: SearchResponse = client.post("/v1/search", &body).await?;
    if args.json {
        say(json!(found));
    } else {
        found.warnings.iter().for_each(complain);
        if found.hits.is_empty() {
            say("No passage matches.");
        }
        found.hits.iter().for_each(show);
    }
    Ok(if found.hits.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Exits with 1 when the documents do not answer the question.
pub(crate) async fn ask(args: &AskArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let filters = filters(&client, &args.within).await?;
    let body = AskBody { question: args.question.join(" "), filters };
    let answered: AskResponse = client.post("/v1/ask", &body).await?;
    if args.json {
        say(json!(answered));
    } else {
        answered.warnings.iter().for_each(complain);
        print_answer(&answered);
    }
    Ok(if answered.abstained { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn filters(client: &Client, within: &WithinArgs) -> Result<SearchFilters, ClientError> {
    let batch_id = match &within.batch {
        Some(batch) => Some(client.resolve_batch(batch).await?),
        None => None,
    };
    Ok(SearchFilters {
        document_ids: client.resolve_all(Kind::Document, &within.documents).await?,
        types: within.kinds.clone(),
        batch_id,
        tags: within.tags.clone(),
        ..SearchFilters::default()
    })
}

fn print_answer(answered: &AskResponse) {
    if answered.abstained {
        say("I don't know.");
        answered.reason.iter().for_each(|reason| say(format_args!("  {reason}")));
        if !answered.nearest.is_empty() {
            say("Nearest passages:");
        }
        answered.nearest.iter().for_each(show);
        return;
    }
    for sentence in &answered.sentences {
        let marks: Vec<String> =
            sentence.citations.iter().map(|number| format!(" [{number}]")).collect();
        let marks = marks.concat();
        say(format_args!("{}{marks}", sentence.text));
    }
    answered.citations.iter().for_each(cite);
}

fn cite(citation: &CitationView) {
    let CitationView { number, title, doc_id, pages, .. } = citation;
    let doc_id = short_id(*doc_id);
    say(format_args!("  [{number}] {title}, {}  {doc_id}", page_numbers(pages)));
}

fn show(hit: &HitView) {
    let place = match hit.heading.as_slice() {
        [] => String::new(),
        heading => format!("  {}", heading.join(" › ")),
    };
    let HitView { rank, title, doc_id, score, pages, .. } = hit;
    let doc_id = short_id(*doc_id);
    say(format_args!("{rank}. {title}, {}  ({score:.2})  {doc_id}{place}", page_numbers(pages)));
    for line in hit.snippet.lines().filter(|line| !line.trim().is_empty()) {
        say(format_args!("   {line}"));
    }
}

fn page_numbers(pages: &[u32]) -> String {
    match pages {
        [] => "no page".to_owned(),
        [one] => format!("page {one}"),
        [first, .., last] => format!("pages {first}–{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::page_numbers;

    #[test]
    fn page_numbers_are_short() {
        assert_eq!(page_numbers(&[3]), "page 3");
        assert_eq!(page_numbers(&[3, 4, 5]), "pages 3–5");
    }
}

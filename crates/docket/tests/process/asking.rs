//! `/v1/ask` with a real language model, end to end: `make test-llm` starts one and passes its address.
//!
//! The model is small and says what it likes. So nothing is asserted of its words, only of what Docket makes of them:
//! an answer rests on citations that hold, or there is none.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::reading::with_tools;
use crate::support::{Client, DataFolder, Docket, Papers, Person, Server};

const MODEL: &str = "SmolLM2-135M";
const PAPERS: [(&str, &str); 3] = [
    (
        "lease.txt",
        "The landlord insures the building against fire. The rent is 1,250 EUR a month.\n",
    ),
    ("order.txt", "Acme ordered forty chairs on 3 May. They are delivered by Northwind in June.\n"),
    ("minutes.txt", "The meeting was chaired by Ms Okafor. The next one is in Lisbon.\n"),
];

/// A server that asks the model, with the papers taken in.
async fn library(folder: &DataFolder) -> (Server, Client) {
    let [url, key] =
        ["DOCKET_TEST_LLM_URL", "DOCKET_TEST_LLM_KEY"].map(|name| std::env::var(name).unwrap());
    let server = with_tools(Docket::serve(folder))
        .env("DOCKET_LLM_PROVIDER", "openai")
        .env("DOCKET_LLM_URL", &url)
        .env("DOCKET_LLM_MODEL", MODEL)
        .env("DOCKET_LLM_API_KEY", &key)
        .start()
        .await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::new();
    for (name, text) in PAPERS {
        papers.with(name, text);
    }
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let client = Client::admin(&server).await;
    (server, client)
}

/// The documents by their ids, with what they say.
async fn texts(client: &Client) -> HashMap<String, &'static str> {
    let listed = client.get("/v1/documents").await.body;
    let documents = listed["items"].as_array().unwrap().iter();
    let text = |document: &Value| {
        let name = document["filename"].as_str().unwrap();
        let (_, text) = PAPERS.iter().find(|(paper, _)| *paper == name).unwrap();
        (document["doc_id"].as_str().unwrap().to_owned(), *text)
    };
    documents.map(text).collect()
}

async fn ask(client: &Client, question: &str) -> Value {
    let answer = client.post("/v1/ask", json!({ "question": question })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    println!("{question}\n{:#}", answer.body);
    answer.body
}

/// There is no answer, and it says why; or there is one, and all that it cites is there.
fn is_honest(answer: &Value, texts: &HashMap<String, &str>) {
    let citations = answer["citations"].as_array().unwrap();
    if answer["abstained"].as_bool().unwrap() {
        assert!(answer["answer"].is_null() && citations.is_empty(), "{answer}");
        assert!(!answer["reason"].as_str().unwrap().is_empty(), "{answer}");
        return;
    }
    assert!(!answer["answer"].as_str().unwrap().is_empty(), "{answer}");
    for sentence in answer["sentences"].as_array().unwrap() {
        let numbers = sentence["citations"].as_array().unwrap();
        assert!(!numbers.is_empty(), "{sentence} rests on nothing");
        for number in numbers {
            assert!(citations.iter().any(|cited| cited["number"] == *number), "{answer}");
        }
    }
    for cited in citations {
        let text = texts[cited["doc_id"].as_str().unwrap()];
        assert!(text.contains(cited["quote"].as_str().unwrap().trim()), "{cited} of {text}");
    }
}

#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn an_answer_of_a_real_model_rests_on_what_it_cites_or_is_not_given() {
    let folder = DataFolder::new();
    let (server, client) = library(&folder).await;
    let texts = texts(&client).await;
    assert_eq!(texts.len(), PAPERS.len());
    let mut answered = 0;
    for question in [
        "Who insures the building against fire?",
        "Who delivers the forty chairs that Acme ordered?",
        "Who chaired the meeting?",
    ] {
        let answer = ask(&client, question).await;
        is_honest(&answer, &texts);
        let unsupported = answer["warnings"].to_string().contains("passages did not support");
        answered += usize::from(answer["provider"] != "extractive" || unsupported);
    }
    assert!(answered > 0, "the model was asked, and what it wrote was understood");
    let unknown = ask(&client, "Which chemical element has the atomic number 79?").await;
    assert_eq!(unknown["abstained"], true, "{unknown}");
    is_honest(&unknown, &texts);
    server.stop().await.succeeded();
}

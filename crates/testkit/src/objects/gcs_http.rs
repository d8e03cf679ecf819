//! The requests of the XML protocol.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, Response};
use bytes::Bytes;
use percent_encoding::percent_decode_str;
use url::form_urlencoded;

use super::BUCKET;
use super::gcs::{ACCOUNT, TOKEN};
use super::gcs_objects::{Object, Objects, Refusal};
use crate::Steps;

/// Small, so that a listing has several pages.
const PAGE: usize = 3;

type Answer = Result<Response<Body>, Refusal>;

type Served = (Arc<Mutex<Objects>>, Steps);

pub(super) fn router(objects: Arc<Mutex<Objects>>, steps: Steps) -> Router {
    Router::new().fallback(answer).with_state((objects, steps))
}

/// A request, taken apart.
struct Asked {
    method: Method,
    bucket: String,
    key: String,
    query: BTreeMap<String, String>,
    headers: HeaderMap,
    body: Bytes,
}

impl Asked {
    async fn of(request: Request) -> Self {
        let (parts, body) = request.into_parts();
        let path = percent_decode_str(parts.uri.path()).decode_utf8().expect("a path is text");
        let (bucket, key) = path[1..].split_once('/').unwrap_or((&path[1..], ""));
        let query = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
        // A client that goes away in the middle has sent nothing.
        let body = axum::body::to_bytes(body, usize::MAX).await;
        Self {
            method: parts.method,
            bucket: bucket.to_owned(),
            key: key.to_owned(),
            query: query.into_owned().collect(),
            headers: parts.headers,
            body: body.unwrap_or_default(),
        }
    }

    fn query(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    fn content_type(&self) -> &str {
        self.header("content-type").unwrap_or("application/octet-stream")
    }

    /// The length that was announced is there: what a cut connection leaves is not an object.
    fn is_whole(&self) -> bool {
        let length = self.header("content-length").and_then(|text| text.parse().ok());
        length.is_none_or(|length: usize| length == self.body.len())
    }
}

async fn answer(State((objects, steps)): State<Served>, request: Request) -> Response<Body> {
    let asked = Asked::of(request).await;
    let answer = || authorise(&asked).and_then(|()| dispatch(&asked, &mut objects.lock().unwrap()));
    // A refusal is not repeated by the client.
    let answer = steps.take(answer).await.unwrap_or(Err((403, "AccessDenied")));
    answer.unwrap_or_else(|(status, code)| {
        let body = format!("<?xml version='1.0'?><Error><Code>{code}</Code></Error>");
        let body = if asked.method == Method::HEAD { Body::empty() } else { body.into() };
        Response::builder().status(status).body(body).expect("a response")
    })
}

fn authorise(asked: &Asked) -> Result<(), Refusal> {
    match asked.header("authorization") {
        Some(token) if token == format!("Bearer {TOKEN}") => Ok(()),
        Some(_) => Err((401, "AuthenticationRequired")),
        None if is_signed(asked) => Ok(()),
        None => Err((403, "AccessDenied")),
    }
}

/// By its shape: the parameters of a V4 signature, for reading, by the right account, with a
/// signature as long as the key.
fn is_signed(asked: &Asked) -> bool {
    let is = |name: &str, holds: &dyn Fn(&str) -> bool| asked.query(name).is_some_and(holds);
    asked.method == Method::GET
        && is("X-Goog-Algorithm", &|text| text == "GOOG4-RSA-SHA256")
        && is("X-Goog-Credential", &|text| text.starts_with(&format!("{ACCOUNT}/")))
        && is("X-Goog-Date", &|text| text.len() == 16 && text.ends_with('Z'))
        && is("X-Goog-Expires", &|text| text.parse().is_ok_and(|s: u32| (1..=604_800).contains(&s)))
        && is("X-Goog-SignedHeaders", &|text| text == "host")
        && is("X-Goog-Signature", &|text| {
            text.len() == 512 && text.bytes().all(|digit| digit.is_ascii_hexdigit())
        })
}

fn dispatch(asked: &Asked, objects: &mut Objects) -> Answer {
    if asked.bucket != BUCKET {
        return Err((404, "NoSuchBucket"));
    }
    if !asked.is_whole() {
        return Err((400, "IncompleteBody"));
    }
    let upload = asked.query("uploadId");
    match asked.method.as_str() {
        "GET" if asked.key.is_empty() => Ok(list(asked, objects)),
        "GET" | "HEAD" => get(asked, objects.get(&asked.key)?),
        "PUT" => match upload {
            Some(id) => put_part(asked, objects, id),
            None => put(asked, objects),
        },
        "POST" => match upload {
            Some(id) => complete(asked, objects, id),
            None if asked.query("uploads").is_some() => Ok(begin_upload(asked, objects)),
            None => Err((400, "InvalidArgument")),
        },
        "DELETE" => {
            match upload {
                Some(id) => objects.abort(id)?,
                None => objects.delete(&asked.key)?,
            }
            Ok(Response::builder().status(204).body(Body::empty()).expect("a response"))
        }
        _ => Err((405, "MethodNotAllowed")),
    }
}

fn put(asked: &Asked, objects: &mut Objects) -> Answer {
    let if_generation = asked.header("x-goog-if-generation-match");
    let if_generation = if_generation.map(|text| text.parse().expect("a generation"));
    let (content, content_type, body) = match asked.header("x-goog-copy-source") {
        None => (asked.body.clone(), asked.content_type().to_owned(), ""),
        Some(source) => {
            let source = percent_decode_str(source).decode_utf8().expect("a key is text");
            let key = source.strip_prefix(&format!("{BUCKET}/")).ok_or((404, "NoSuchBucket"))?;
            let Object { content, content_type, .. } = objects.get(key)?.clone();
            (content, content_type, "<CopyObjectResult/>")
        }
    };
    let object = objects.put(&asked.key, content, &content_type, if_generation)?;
    Ok(described(&object).body(body.into()).expect("a response"))
}

fn get(asked: &Asked, object: &Object) -> Answer {
    let size = object.content.len();
    let range = asked.header("range").and_then(|text| read_range(text, size));
    let content = match &range {
        Some(range) if range.start >= size => return Err((416, "InvalidRange")),
        Some(range) => object.content.slice(range.clone()),
        None => object.content.clone(),
    };
    let media_type = asked.query("response-content-type").unwrap_or(&object.content_type);
    let mut response = described(object)
        .header("content-type", media_type)
        .header("content-length", content.len());
    if let Some(disposition) = asked.query("response-content-disposition") {
        response = response.header("content-disposition", disposition);
    }
    if let Some(range) = range {
        let content_range = format!("bytes {}-{}/{size}", range.start, range.end - 1);
        response = response.status(206).header("content-range", content_range);
    }
    let body = if asked.method == Method::HEAD { Body::empty() } else { content.into() };
    Ok(response.body(body).expect("a response"))
}

/// `bytes=first-last` or `bytes=first-`.
fn read_range(text: &str, size: usize) -> Option<std::ops::Range<usize>> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    let first: usize = first.parse().ok()?;
    let end = last.parse().map_or(size, |last: usize| size.min(last + 1));
    Some(first..end.max(first))
}

fn list(asked: &Asked, objects: &Objects) -> Response<Body> {
    let after = asked.query("continuation-token").or(asked.query("start-after"));
    let most = asked.query("max-keys").and_then(|text| text.parse().ok()).unwrap_or(PAGE);
    let prefix = asked.query("prefix").unwrap_or_default();
    let (page, has_more) = objects.list(prefix, after.unwrap_or_default(), most.min(PAGE));
    let mut body = String::from("<?xml version='1.0' encoding='UTF-8'?><ListBucketResult>");
    for (key, object) in &page {
        let modified = object.last_modified().format("%Y-%m-%dT%H:%M:%S.000Z");
        let size = object.content.len();
        let etag = object.generation;
        write!(
            body,
            "<Contents><Key>{}</Key><Size>{size}</Size><LastModified>{modified}</LastModified>\
             <ETag>{etag}</ETag></Contents>",
            escaped(key)
        )
        .expect("a text grows");
    }
    if let (true, Some((last, _))) = (has_more, page.last()) {
        write!(body, "<NextContinuationToken>{}</NextContinuationToken>", escaped(last))
            .expect("a text grows");
    }
    body.push_str("</ListBucketResult>");
    Response::builder().body(body.into()).expect("a response")
}

fn begin_upload(asked: &Asked, objects: &mut Objects) -> Response<Body> {
    let id = objects.begin_upload(&asked.key, asked.content_type());
    let body = format!(
        "<InitiateMultipartUploadResult><Bucket>{BUCKET}</Bucket><Key>{}</Key><UploadId>{id}</UploadId>\
         </InitiateMultipartUploadResult>",
        escaped(&asked.key)
    );
    Response::builder().body(body.into()).expect("a response")
}

fn put_part(asked: &Asked, objects: &mut Objects, id: &str) -> Answer {
    let number = asked.query("partNumber").and_then(|text| text.parse().ok());
    let number = number.ok_or((400, "InvalidArgument"))?;
    let etag = objects.put_part(id, number, asked.body.clone())?;
    Ok(Response::builder().header("etag", etag).body(Body::empty()).expect("a response"))
}

fn complete(asked: &Asked, objects: &mut Objects, id: &str) -> Answer {
    let text = std::str::from_utf8(&asked.body).map_err(|_| (400, "MalformedXML"))?;
    let named = text.split("<Part>").skip(1).map(|part| {
        let number = between(part, "PartNumber")?.parse().ok()?;
        Some((number, between(part, "ETag")?.to_owned()))
    });
    let named: Option<Vec<_>> = named.collect();
    let object = objects.complete(id, &named.ok_or((400, "MalformedXML"))?)?;
    let body = format!(
        "<CompleteMultipartUploadResult><ETag>{}</ETag></CompleteMultipartUploadResult>",
        object.generation
    );
    Ok(described(&object).body(body.into()).expect("a response"))
}

fn between<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    rest.split_once(&format!("</{tag}>")).map(|(value, _)| value)
}

fn described(object: &Object) -> axum::http::response::Builder {
    Response::builder()
        .header("etag", object.etag())
        .header(
            "last-modified",
            object.last_modified().format("%a, %d %b %Y %H:%M:%S GMT").to_string(),
        )
        .header("x-goog-generation", object.generation)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

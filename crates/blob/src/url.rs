//! URLs of object stores.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use object_store::path::Path;
use thiserror::Error;
use url::Url;

/// `file:///folder`, `s3://bucket/prefix` or `gs://bucket/prefix`; the prefix may be left out.
/// Contains no credentials: those come from the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlobUrl {
    Folder(PathBuf),
    S3(BucketUrl),
    Gcs(BucketUrl),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketUrl {
    pub bucket: String,
    /// Without slashes around it; empty for the whole bucket.
    pub prefix: String,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum InvalidBlobUrl {
    #[error("it must look like file:///folder, s3://bucket/prefix or gs://bucket/prefix")]
    Shape,
    #[error(
        "a folder is given by its absolute path, after three slashes, as in file:///var/lib/docket/objects"
    )]
    RelativeFolder,
    #[error("it names no bucket: write {scheme}://bucket or {scheme}://bucket/prefix")]
    NoBucket { scheme: &'static str },
    #[error(
        "it must contain neither credentials, port, query nor fragment: Docket reads the credentials and \
         the endpoint from {variables}"
    )]
    TooMuch { variables: &'static str },
    #[error("the prefix contains an empty part, '.', '..' or a character that a key cannot have")]
    Prefix,
}

impl FromStr for BlobUrl {
    type Err = InvalidBlobUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|error| match error {
            url::ParseError::EmptyHost if text.starts_with("s3:") => {
                InvalidBlobUrl::NoBucket { scheme: "s3" }
            }
            url::ParseError::EmptyHost if text.starts_with("gs:") => {
                InvalidBlobUrl::NoBucket { scheme: "gs" }
            }
            _ => InvalidBlobUrl::Shape,
        })?;
        match url.scheme() {
            "file" => folder(&url, text).map(Self::Folder),
            "s3" => bucket(&url, "s3", "AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, …").map(Self::S3),
            "gs" => bucket(&url, "gs", "GOOGLE_APPLICATION_CREDENTIALS, …").map(Self::Gcs),
            _ => Err(InvalidBlobUrl::Shape),
        }
    }
}

fn folder(url: &Url, text: &str) -> Result<PathBuf, InvalidBlobUrl> {
    if !text.starts_with("file:///") || url.query().is_some() || url.fragment().is_some() {
        return Err(InvalidBlobUrl::RelativeFolder);
    }
    url.to_file_path().map_err(|()| InvalidBlobUrl::RelativeFolder)
}

fn bucket(
    url: &Url,
    scheme: &'static str,
    variables: &'static str,
) -> Result<BucketUrl, InvalidBlobUrl> {
    let bucket = url.host_str().filter(|host| !host.is_empty());
    let bucket = bucket.ok_or(InvalidBlobUrl::NoBucket { scheme })?.to_owned();
    let plain = url.username().is_empty()
        && url.password().is_none()
        && url.port().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !plain {
        return Err(InvalidBlobUrl::TooMuch { variables });
    }
    let prefix = Path::from_url_path(url.path()).map_err(|_| InvalidBlobUrl::Prefix)?;
    Ok(BucketUrl { bucket, prefix: prefix.to_string() })
}

impl fmt::Display for BlobUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(root) => match Url::from_directory_path(root) {
                Ok(url) => f.write_str(url.as_str().trim_end_matches('/')),
                Err(()) => write!(f, "file://{}", root.display()),
            },
            Self::S3(at) => write!(f, "s3://{at}"),
            Self::Gcs(at) => write!(f, "gs://{at}"),
        }
    }
}

impl fmt::Display for BucketUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.bucket)?;
        if self.prefix.is_empty() { Ok(()) } else { write!(f, "/{}", self.prefix) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match text.parse::<BlobUrl>() {
            Ok(url) => url.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_three_kinds() {
        for text in ["file:///var/lib/docket", "s3://bucket", "s3://b/a/b", "gs://bucket/prefix"] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown("s3://bucket/prefix/"), "s3://bucket/prefix");
        let spaced = "file:///with%20space".parse();
        assert_eq!(spaced, Ok(BlobUrl::Folder(PathBuf::from("/with space"))));
    }

    #[test]
    fn anything_else_says_what_to_write() {
        assert_eq!(
            shown("/var/lib"),
            "it must look like file:///folder, s3://bucket/prefix or gs://bucket/prefix"
        );
        assert_eq!(shown("http://bucket"), shown("/var/lib"));
        assert_eq!(
            shown("file://objects"),
            "a folder is given by its absolute path, after three slashes, as in \
             file:///var/lib/docket/objects"
        );
        for text in ["s3://", "s3:///prefix"] {
            assert_eq!(
                shown(text),
                "it names no bucket: write s3://bucket or s3://bucket/prefix",
                "{text}"
            );
        }
        assert!(shown("s3://key:secret@bucket").contains("AWS_ACCESS_KEY_ID"));
        assert!(shown("gs://bucket?project=x").contains("GOOGLE_APPLICATION_CREDENTIALS"));
        assert!(shown("s3://bucket/a//b").contains("prefix"));
    }
}

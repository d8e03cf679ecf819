//! Opens a bucket: environment variables and timeouts.

use std::sync::Arc;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{BackoffConfig, ClientOptions, RetryConfig};

use super::failure::BucketLocation;
use super::{Bucket, Client};
use crate::error::{BlobError, Result};
use crate::settings::{Settings, Timeouts};
use crate::url::BucketUrl;

impl Bucket {
    pub(crate) fn open_s3(at: &BucketUrl, settings: &Settings) -> Result<Self> {
        crate::install_tls_provider();
        let mut builder = AmazonS3Builder::new()
            // One request per object: its status is clear, and every server supports it.
            .with_disable_bulk_delete(true)
            .with_client_options(client_options(settings.timeouts))
            .with_retry(retries(settings.timeouts));
        let mut is_plain_http = false;
        for (name, value) in &settings.environment {
            if name.starts_with("AWS_")
                && let Ok(key) = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>()
            {
                let is_endpoint =
                    matches!(key, AmazonS3ConfigKey::Endpoint | AmazonS3ConfigKey::S3Endpoint);
                is_plain_http |= is_endpoint && value.starts_with("http://");
                builder = builder.with_config(key, value);
            }
        }
        if is_plain_http {
            // The operator named an http endpoint.
            builder = builder.with_allow_http(true);
        }
        let location = BucketLocation {
            at: format!("s3://{at}"),
            fix: "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, and that they may list, \
                  read, write and delete there",
        };
        let built = builder.with_bucket_name(&at.bucket).build();
        Self::of(built.map(|client| Arc::new(client) as _), at, location, "AWS_…", settings)
    }

    pub(crate) fn open_gcs(at: &BucketUrl, settings: &Settings) -> Result<Self> {
        crate::install_tls_provider();
        let mut builder = GoogleCloudStorageBuilder::new()
            // The metadata server that issues tokens has no TLS.
            .with_client_options(client_options(settings.timeouts).with_allow_http(true))
            .with_retry(retries(settings.timeouts));
        for (name, value) in &settings.environment {
            if (name.starts_with("GOOGLE_") || name == "SERVICE_ACCOUNT")
                && let Ok(key) = name.to_ascii_lowercase().parse::<GoogleConfigKey>()
            {
                builder = builder.with_config(key, value);
            }
        }
        let location = BucketLocation {
            at: format!("gs://{at}"),
            fix: "Check GOOGLE_APPLICATION_CREDENTIALS, and that its account may list, read, write and \
                  delete there",
        };
        let built = builder.with_bucket_name(&at.bucket).build();
        Self::of(built.map(|client| Arc::new(client) as _), at, location, "GOOGLE_…", settings)
    }

    fn of(
        built: object_store::Result<Arc<dyn Client>>,
        at: &BucketUrl,
        location: BucketLocation,
        variables: &'static str,
        settings: &Settings,
    ) -> Result<Self> {
        let client = built.map_err(|error| BlobError::Misconfigured {
            at: location.at.clone(),
            variables,
            source: Box::new(error),
        })?;
        let check_within = settings.timeouts.check;
        Ok(Self { client, prefix: at.prefix.clone(), location, check_within })
    }
}

/// No limit on a whole request: a large object may take long as long as bytes arrive.
fn client_options(timeouts: Timeouts) -> ClientOptions {
    ClientOptions::new()
        .with_timeout_disabled()
        .with_connect_timeout(timeouts.connect)
        .with_read_timeout(timeouts.response)
}

fn retries(timeouts: Timeouts) -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            max_backoff: timeouts.response.min(std::time::Duration::from_secs(5)),
            ..BackoffConfig::default()
        },
        max_retries: timeouts.retries,
        retry_timeout: timeouts.retry_for,
    }
}

//! A large upload, sent in parts while it arrives.

use std::fmt;

use bytes::Bytes;
use object_store::MultipartUpload;
use tokio::task::JoinSet;

use super::failure::BucketLocation;
use crate::error::Result;

/// Parts in flight; a third one is filled meanwhile.
const IN_FLIGHT: usize = 2;

/// Dropping it before it is finished aborts the upload, if the store answers.
pub(crate) struct PartUploader {
    upload: Option<Box<dyn MultipartUpload>>,
    in_flight: JoinSet<object_store::Result<()>>,
    location: BucketLocation,
}

impl PartUploader {
    pub(super) fn new(upload: Box<dyn MultipartUpload>, location: BucketLocation) -> Self {
        Self { upload: Some(upload), in_flight: JoinSet::new(), location }
    }

    /// Starts to send the part when a slot is free. So a failure may show one call later.
    pub(crate) async fn write(&mut self, part: Bytes) -> Result<()> {
        self.wait_until_in_flight(IN_FLIGHT - 1).await?;
        if let Some(upload) = &mut self.upload {
            self.in_flight.spawn(upload.put_part(part.into()));
        }
        Ok(())
    }

    pub(crate) async fn finish(mut self) -> Result<()> {
        self.wait_until_in_flight(0).await?;
        if let Some(upload) = &mut self.upload {
            let completed = upload.complete().await;
            completed.map_err(|error| self.location.failed("complete an upload", error))?;
        }
        self.upload = None;
        Ok(())
    }

    async fn wait_until_in_flight(&mut self, max: usize) -> Result<()> {
        while self.in_flight.len() > max {
            match self.in_flight.join_next().await {
                None | Some(Ok(Ok(()))) => {}
                Some(Ok(Err(error))) => return Err(self.location.failed("take an upload", error)),
                Some(Err(gone)) => {
                    return Err(self.location.unavailable("take an upload", Box::new(gone)));
                }
            }
        }
        Ok(())
    }
}

impl Drop for PartUploader {
    fn drop(&mut self) {
        let Some(mut upload) = self.upload.take() else { return };
        let mut in_flight = std::mem::take(&mut self.in_flight);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            // A part that arrives after the abort would stay.
            in_flight.shutdown().await;
            if let Err(error) = upload.abort().await {
                tracing::warn!(%error, "the parts of an aborted upload may be left in the bucket");
            }
        });
    }
}

impl fmt::Debug for PartUploader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartUploader").field("location", &self.location).finish_non_exhaustive()
    }
}

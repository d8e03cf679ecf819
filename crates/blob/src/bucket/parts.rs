//! A large upload, sent in parts while it comes in.

use std::fmt;

use bytes::Bytes;
use object_store::MultipartUpload;
use tokio::task::JoinSet;

use super::failure::Place;
use crate::error::Result;

/// Parts that are sent at the same time; a third one fills meanwhile.
const IN_FLIGHT: usize = 2;

/// Dropped before it is finished, the upload is aborted, as far as the store answers.
pub(crate) struct Parts {
    upload: Option<Box<dyn MultipartUpload>>,
    in_flight: JoinSet<object_store::Result<()>>,
    place: Place,
}

impl Parts {
    pub(super) fn new(upload: Box<dyn MultipartUpload>, place: Place) -> Self {
        Self { upload: Some(upload), in_flight: JoinSet::new(), place }
    }

    /// Begins to send it when there is room. So a failure may show one call later.
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
            completed.map_err(|error| self.place.failed("complete an upload", error))?;
        }
        self.upload = None;
        Ok(())
    }

    async fn wait_until_in_flight(&mut self, most: usize) -> Result<()> {
        while self.in_flight.len() > most {
            match self.in_flight.join_next().await {
                None | Some(Ok(Ok(()))) => {}
                Some(Ok(Err(error))) => return Err(self.place.failed("take an upload", error)),
                Some(Err(gone)) => {
                    return Err(self.place.unavailable("take an upload", Box::new(gone)));
                }
            }
        }
        Ok(())
    }
}

impl Drop for Parts {
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

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("place", &self.place).finish_non_exhaustive()
    }
}

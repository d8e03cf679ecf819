//! Stub.
use crate::{ReadError, Sink, Source};
pub fn read(_source: &Source, _sink: &mut dyn Sink) -> Result<(), ReadError> {
    Err(ReadError::unsupported("yet"))
}

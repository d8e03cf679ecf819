//! Traces in the format of the W3C Trace Context recommendation (`traceparent`).
//!
//! A *trace* is everything that one request causes; a *span* is one operation in it. A request continues the trace of a
//! caller who sent a `traceparent`; its jobs and its calls of models belong to the same trace. This module creates no
//! random numbers and exports no traces.

use std::fmt;
use std::num::NonZeroU64;

/// The id of a trace, or of a request (see [`TraceContext::request_id`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceId(pub u128);

/// The id of a span within its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpanId(NonZeroU64);

/// The position of an operation in its trace, and whether the trace is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceContext {
    trace_id: TraceId,
    span_id: SpanId,
    is_sampled: bool,
}

impl TraceContext {
    /// A new trace from a random number.
    pub fn new(random: u128) -> Self {
        let span_id = SpanId::from_random(low_half(random));
        let trace_id = TraceId(random >> 64 << 64 | u128::from(span_id.0.get()));
        Self { trace_id, span_id, is_sampled: true }
    }

    /// A child span: in the same trace, and recorded if this one is.
    #[must_use]
    pub fn child(self, span_id: SpanId) -> Self {
        Self { span_id, ..self }
    }

    pub fn trace_id(self) -> TraceId {
        self.trace_id
    }

    pub fn span_id(self) -> SpanId {
        self.span_id
    }

    pub fn is_sampled(self) -> bool {
        self.is_sampled
    }

    /// The id in audit rows and problem documents. No caller can choose it: it is the trace id if the trace began here
    /// ([`new`](Self::new) puts the span id into the second half of the trace id), otherwise the span id.
    ///
    /// ```
    /// use domain::{SpanId, TraceContext};
    ///
    /// let own = TraceContext::new(0x4bf92f3577b34da6a3ce929d0e0e4736);
    /// assert_eq!(own.request_id().to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
    /// let continued = own.child(SpanId::from_random(0xb7ad6b7169203331));
    /// assert_eq!(continued.request_id().to_string(), "0000000000000000b7ad6b7169203331");
    /// ```
    pub fn request_id(self) -> TraceId {
        let span = self.span_id.0.get();
        if low_half(self.trace_id.0) == span { self.trace_id } else { TraceId(span.into()) }
    }

    /// The header for a callee that continues the trace; this span is its parent.
    pub fn to_traceparent(self) -> String {
        let Self { trace_id, span_id, is_sampled } = self;
        format!("00-{trace_id}-{span_id}-{:02x}", u8::from(is_sampled))
    }

    /// Parses a `traceparent` header; `None` when it is not valid. A later version may have more fields; version 00 may
    /// not.
    ///
    /// ```
    /// use domain::TraceContext;
    ///
    /// let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    /// let caller = TraceContext::from_traceparent(header).unwrap();
    /// assert_eq!(caller.trace_id().to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
    /// assert_eq!(caller.to_traceparent(), header);
    /// ```
    pub fn from_traceparent(header: &str) -> Option<Self> {
        let mut parts = header.split('-');
        let (version, trace, parent, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let well_formed = is_lower_hex(version, 2)
            && version != "ff"
            && is_lower_hex(trace, 32)
            && is_lower_hex(parent, 16)
            && is_lower_hex(flags, 2)
            && (version != "00" || parts.next().is_none());
        if !well_formed {
            return None;
        }
        let trace = u128::from_str_radix(trace, 16).ok().filter(|id| *id != 0)?;
        let parent = u64::from_str_radix(parent, 16).ok().and_then(NonZeroU64::new)?;
        let flags = u8::from_str_radix(flags, 16).ok()?;
        Some(Self { trace_id: TraceId(trace), span_id: SpanId(parent), is_sampled: flags & 1 == 1 })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "only the low half is needed")]
fn low_half(number: u128) -> u64 {
    number as u64
}

fn is_lower_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

impl SpanId {
    /// An id from a unique random number.
    pub fn from_random(random: u64) -> Self {
        Self(NonZeroU64::new(random).unwrap_or(NonZeroU64::MIN))
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const PARENT: &str = "00f067aa0ba902b7";

    #[test]
    fn a_child_keeps_the_trace_and_the_flag_of_its_caller() {
        for flags in ["00", "01"] {
            let header = format!("00-{TRACE}-{PARENT}-{flags}");
            let caller = TraceContext::from_traceparent(&header).unwrap();
            assert_eq!(
                (caller.span_id().to_string(), caller.to_traceparent()),
                (PARENT.into(), header)
            );
            let child = caller.child(SpanId::from_random(0xab));
            assert_eq!(child.to_traceparent(), format!("00-{TRACE}-00000000000000ab-{flags}"));
        }
    }

    #[test]
    fn flags_and_fields_of_later_versions_are_ignored() {
        let later =
            TraceContext::from_traceparent(&format!("cc-{TRACE}-{PARENT}-03-more")).unwrap();
        assert_eq!(later.to_traceparent(), format!("00-{TRACE}-{PARENT}-01"));
    }

    #[test]
    fn an_invalid_header_is_refused() {
        let zeros = "0".repeat(32);
        let wrong = [
            String::new(),
            "00-0-0-0".to_owned(),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}-{PARENT}-1"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("00-{zeros}-{PARENT}-01"),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{}-{PARENT}-01", TRACE.to_uppercase()),
        ];
        for header in wrong {
            assert_eq!(TraceContext::from_traceparent(&header), None, "{header}");
        }
    }

    #[test]
    fn no_caller_chooses_the_id_of_a_request() {
        let own = TraceContext::new(u128::from_str_radix(TRACE, 16).unwrap());
        assert_eq!(own.request_id(), own.trace_id());
        let read_back = TraceContext::from_traceparent(&own.to_traceparent()).unwrap();
        assert_eq!(read_back.request_id(), own.trace_id(), "also after it was stored");
        let continued = own.child(SpanId::from_random(0xab));
        assert_eq!((continued.trace_id(), continued.request_id()), (own.trace_id(), TraceId(0xab)));
        assert_eq!(TraceContext::new(0).to_traceparent().len(), own.to_traceparent().len());
    }
}

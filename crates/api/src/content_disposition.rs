//! The header that makes a browser save a file under a name (RFC 6266).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything except the `attr-char` of RFC 8187 is escaped.
const NOT_IN_A_PARAMETER: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// An ASCII name for old browsers, and the name in UTF-8 if it differs. Characters that could inject a header are replaced.
pub(crate) fn content_disposition(file_name: &str) -> String {
    let plain = |c: char| match c {
        ' '..='~' if !"\"\\%/".contains(c) => c,
        _ => '_',
    };
    let fallback: String = file_name.chars().map(plain).collect();
    let mut header = format!("attachment; filename=\"{fallback}\"");
    if fallback != file_name {
        header.push_str("; filename*=UTF-8''");
        header.extend(utf8_percent_encode(file_name, NOT_IN_A_PARAMETER));
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_sent_in_ascii_and_in_utf_8() {
        assert_eq!(content_disposition("a.pdf"), "attachment; filename=\"a.pdf\"");
        assert_eq!(
            content_disposition("Übersicht.pdf"),
            "attachment; filename=\"_bersicht.pdf\"; filename*=UTF-8''%C3%9Cbersicht.pdf"
        );
    }

    #[test]
    fn a_file_name_cannot_inject_headers() {
        assert_eq!(
            content_disposition("a\"; x=\"b\r\nSet-Cookie: c/d%41.pdf"),
            "attachment; filename=\"a_; x=_b__Set-Cookie: c_d_41.pdf\"; \
             filename*=UTF-8''a%22%3B%20x%3D%22b%0D%0ASet-Cookie%3A%20c%2Fd%2541.pdf"
        );
    }
}

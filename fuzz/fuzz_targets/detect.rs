//! What kind of file something is: decided for every upload, on its first bytes, in the server itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use reading::detect::detect;

const NAMES: [&str; 8] = ["a.pdf", "a.docx", "a.xlsx", "a.pptx", "a.html", "a.md", "a.eml", "a"];

fuzz_target!(|head: &[u8]| {
    for name in NAMES {
        let first = detect(head, name);
        assert_eq!(first, detect(head, name), "the same bytes are the same kind");
    }
    if let Ok(name) = std::str::from_utf8(head) {
        detect(head, name);
    }
});

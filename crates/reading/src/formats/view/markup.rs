//! Writes HTML: the only place that turns text of a document into HTML.

use super::style::Style;

/// The size limit of a view. Renderers stop before the next block when it is reached.
const MAX_BYTES: usize = 20 << 20;

#[derive(Debug)]
pub(super) struct Markup {
    html: String,
    limit: usize,
}

impl Default for Markup {
    fn default() -> Self {
        Self { html: String::new(), limit: MAX_BYTES }
    }
}

impl Markup {
    pub(super) fn unlimited() -> Self {
        Self { html: String::new(), limit: usize::MAX }
    }

    /// Whether the size limit is reached.
    pub(super) fn is_full(&self) -> bool {
        self.html.len() >= self.limit
    }

    pub(super) fn is_empty(&self) -> bool {
        self.html.is_empty()
    }

    /// Bytes that may still be added.
    pub(super) fn room(&self) -> usize {
        self.limit.saturating_sub(self.html.len())
    }

    pub(super) fn len(&self) -> usize {
        self.html.len()
    }

    /// Appends constant markup, never text of a document.
    pub(super) fn raw(&mut self, html: &'static str) {
        self.html.push_str(html);
    }

    /// Appends other markup.
    pub(super) fn append(&mut self, other: Self) {
        self.html.push_str(&other.html);
    }

    pub(super) fn number(&mut self, number: impl Into<u64>) {
        self.html.push_str(&number.into().to_string());
    }

    /// Appends text of the document, escaped.
    pub(super) fn text(&mut self, text: &str) {
        escape(text, &mut self.html);
    }

    /// `<name class="…" style="…">`.
    pub(super) fn open(&mut self, name: &'static str, class: &'static str, style: &Style) {
        self.begin(name);
        if !class.is_empty() {
            self.attribute("class", class);
        }
        self.style(style);
        self.end();
    }

    /// `<name`, to be followed by attributes and [`Markup::end`].
    pub(super) fn begin(&mut self, name: &'static str) {
        self.html.push('<');
        self.html.push_str(name);
    }

    pub(super) fn attribute(&mut self, name: &'static str, value: &str) {
        self.html.push(' ');
        self.html.push_str(name);
        self.html.push_str("=\"");
        escape(value, &mut self.html);
        self.html.push('"');
    }

    pub(super) fn style(&mut self, style: &Style) {
        if !style.is_empty() {
            self.attribute("style", style.as_str());
        }
    }

    pub(super) fn end(&mut self) {
        self.html.push('>');
    }

    pub(super) fn close(&mut self, name: &'static str) {
        self.html.push_str("</");
        self.html.push_str(name);
        self.html.push('>');
    }

    /// Appends a style sheet with rules of [`super::web::css`] or [`Style`]. Rules that could end the element are dropped.
    pub(super) fn sheet(&mut self, rules: &str) {
        if !rules.is_empty() && !rules.contains('<') {
            self.raw("<style>");
            self.html.push_str(rules);
            self.raw("</style>");
        }
    }

    pub(super) fn into_html(self) -> String {
        self.html
    }
}

/// Escapes for text and for attributes in double quotes.
fn escape(text: &str, html: &mut String) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            // Control characters are not allowed in HTML.
            '\0' | '\u{B}' | '\u{7F}' | '\u{1}'..='\u{8}' | '\u{E}'..='\u{1F}' => {}
            other => html.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_cannot_end_what_they_are_in() {
        let mut markup = Markup::default();
        markup.begin("span");
        markup.attribute("title", "\"><script>alert(1)</script>'");
        markup.end();
        markup.text("</span><img src=x onerror=alert(1)>\0");
        markup.close("span");
        assert_eq!(
            markup.into_html(),
            "<span title=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;\">\
             &lt;/span&gt;&lt;img src=x onerror=alert(1)&gt;</span>"
        );
    }

    #[test]
    fn a_sheet_that_could_end_its_element_is_left_out() {
        let mut markup = Markup::default();
        markup.sheet("p{}</style><script>");
        assert!(markup.is_empty());
    }
}

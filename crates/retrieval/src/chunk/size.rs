//! Measures texts in tokens.

/// A token counts for at most this many characters. A tokenizer may turn an unknown word of a thousand letters into one
/// token, but a text of such words is long.
const MAX_CHARACTERS_PER_TOKEN: usize = 8;

/// Measures texts in tokens.
#[derive(Clone, Copy)]
pub(super) struct Ruler<'a> {
    count: &'a dyn Fn(&str) -> usize,
}

impl std::fmt::Debug for Ruler<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Ruler").finish_non_exhaustive()
    }
}

impl<'a> Ruler<'a> {
    pub(super) fn new(count: &'a dyn Fn(&str) -> usize) -> Self {
        Self { count }
    }

    pub(super) fn tokens(&self, text: &str) -> usize {
        (self.count)(text)
    }

    pub(super) fn size(&self, text: &str) -> usize {
        let least = text.chars().count().div_ceil(MAX_CHARACTERS_PER_TOKEN);
        // A text that is too long for any chunk is split anyway, so megabytes need not be tokenised at once.
        if least > super::MAX_TOKENS { least } else { least.max(self.tokens(text)) }
    }
}

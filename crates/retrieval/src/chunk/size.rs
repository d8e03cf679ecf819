//! How large a text is.

/// Tokens never stand for more characters than this, as they are counted here. A tokenizer may make one
/// token of a word of a thousand letters that it does not know, and a text of such words is still long.
const CHARACTERS_OF_A_TOKEN: usize = 8;

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
        let least = text.chars().count().div_ceil(CHARACTERS_OF_A_TOKEN);
        // What is too long for any chunk is cut whatever its exact size: megabytes are not tokenised
        // at one time.
        if least > super::HARD_CAP { least } else { least.max(self.tokens(text)) }
    }
}

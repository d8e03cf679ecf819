//! Tables and times for people.

use chrono::Duration;
use unicode_width::UnicodeWidthStr;

use crate::color::{self, tone_of};

/// Columns as wide as their widest cell; the last one as long as it likes.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    is_right_aligned: Vec<bool>,
    /// The column whose words are coloured by what they mean.
    tone_column: Option<usize>,
}

impl Table {
    /// The heads of the columns; a column whose head begins with `>` is aligned to the right.
    pub(crate) fn with_columns<const N: usize>(heads: [&str; N]) -> Self {
        let heads_only = heads.iter().map(|head| head.trim_start_matches('>').to_owned());
        Self {
            rows: vec![heads_only.collect()],
            is_right_aligned: heads.iter().map(|head| head.starts_with('>')).collect(),
            tone_column: None,
        }
    }

    /// Colours the states in this column, when standard output is coloured.
    pub(crate) fn with_tones(self, column: usize) -> Self {
        Self { tone_column: Some(column), ..self }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    /// The lines of the table, without a line break at the end.
    pub(crate) fn text(&self) -> String {
        self.render(color::is_on())
    }

    fn render(&self, is_coloured: bool) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.is_right_aligned.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let padding = " ".repeat(width - cell.width());
                let (before, after) = if self.is_right_aligned[column] {
                    (padding.as_str(), "")
                } else {
                    ("", padding.as_str())
                };
                let tone =
                    tone_of(cell).filter(|_| is_coloured && self.tone_column == Some(column));
                let shown = tone.map(|tone| color::painted(cell, tone));
                line.extend([before, shown.as_ref().unwrap_or(cell), after, "  "]);
            }
            line.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// `42 s`, `3 min`, `5 h`, `12 d`: one number is enough to see what is the matter.
pub(crate) fn age(age: Duration) -> String {
    match age.num_seconds().max(0) {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

/// `512 B`, `20 kB`, `3.4 MB`.
pub(crate) fn bytes(count: i64) -> String {
    match count.max(0) {
        small @ 0..1000 => format!("{small} B"),
        medium @ 1000..1_000_000 => format!("{} kB", medium / 1000),
        large @ 1_000_000..1_000_000_000 => {
            format!("{}.{} MB", large / 1_000_000, large % 1_000_000 / 100_000)
        }
        huge => format!("{}.{} GB", huge / 1_000_000_000, huge % 1_000_000_000 / 100_000_000),
    }
}

/// The beginning of a long text, on one line.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::with_columns(["STAGE", ">WAITING", "WHY"]);
        table.row(["ocr".to_owned(), "3".to_owned(), String::new()]);
        table.row(["reconcile".to_owned(), "12345678".to_owned(), "it broke".to_owned()]);
        assert_eq!(
            table.text(),
            "STAGE       WAITING  WHY\n\
             ocr               3\n\
             reconcile  12345678  it broke"
        );
    }

    #[test]
    fn states_are_coloured_and_columns_still_line_up() {
        let mut table = Table::with_columns(["STATUS", "TITLE"]).with_tones(0);
        table.row(["Ready".to_owned(), "Failed".to_owned()]);
        table.row(["Withdrawn".to_owned(), "x".to_owned()]);
        assert_eq!(
            table.render(true),
            "STATUS     TITLE\n\
             \u{1b}[32mReady\u{1b}[0m      Failed\n\
             \u{1b}[2mWithdrawn\u{1b}[0m  x"
        );
        assert!(!table.render(false).contains('\u{1b}'));
    }

    #[test]
    fn a_wide_character_takes_two_columns() {
        let mut table = Table::with_columns(["NAME", ">PAGES"]);
        table.row(["請求書".to_owned(), "7".to_owned()]);
        assert_eq!(table.text(), "NAME    PAGES\n請求書      7");
    }

    #[test]
    fn times_and_texts_are_short() {
        let ages = [-5, 0, 119, 120, 7199, 7200, 172_800].map(|s| age(Duration::seconds(s)));
        assert_eq!(ages, ["0 s", "0 s", "119 s", "2 min", "119 min", "2 h", "2 d"]);
        let sizes = [-1, 999, 20_499, 3_450_000, 1_100_000_000].map(bytes);
        assert_eq!(sizes, ["0 B", "999 B", "20 kB", "3.4 MB", "1.1 GB"]);
        assert_eq!(shortened("one\n two", 20), "one two");
        assert_eq!(shortened("one two", 5), "one …");
    }
}

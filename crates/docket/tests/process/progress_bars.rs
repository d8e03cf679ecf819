//! What a person sees who waits for documents at a terminal.

use testkit::samples::{Paper, ScanWriter};

use crate::reading::{library_of, with_tools};
use crate::support::{DataFolder, Docket, Papers};

/// A terminal's screen with everything that has scrolled off it, as far as the bars need one.
struct Screen {
    columns: usize,
    height: usize,
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Screen {
    fn showing(output: &str, columns: usize, height: usize) -> Self {
        let mut screen = Self { columns, height, lines: vec![Vec::new()], row: 0, column: 0 };
        let mut rest = output.chars();
        while let Some(next) = rest.next() {
            match next {
                '\u{1b}' => screen.obey(&mut rest),
                '\r' => screen.column = 0,
                // The terminal begins a line with it, and not only a row.
                '\n' => {
                    screen.column = 0;
                    screen.go_down(1);
                }
                shown if shown.is_control() => {}
                shown => screen.put(shown),
            }
        }
        screen
    }

    fn put(&mut self, shown: char) {
        if self.column == self.columns {
            self.column = 0;
            self.go_down(1);
        }
        let line = &mut self.lines[self.row];
        if line.len() <= self.column {
            line.resize(self.column + 1, ' ');
        }
        line[self.column] = shown;
        self.column += 1;
    }

    fn go_down(&mut self, by: usize) {
        self.row += by;
        if self.lines.len() <= self.row {
            self.lines.resize(self.row + 1, Vec::new());
        }
    }

    /// A control sequence: numbers, then the letter that says what to do.
    fn obey(&mut self, rest: &mut std::str::Chars<'_>) {
        assert_eq!(rest.next(), Some('['), "only control sequences are known");
        let mut number = String::new();
        let order = loop {
            match rest.next() {
                Some(part) if part.is_ascii_digit() || ";?".contains(part) => number.push(part),
                Some(order) => break order,
                None => return,
            }
        };
        let number: usize = number.parse().unwrap_or(1);
        match order {
            'A' => {
                let top = self.lines.len().saturating_sub(self.height);
                self.row = self.row.saturating_sub(number).max(top);
            }
            'B' => self.go_down(number),
            'K' => self.lines[self.row].clear(),
            // Looks.
            'm' | 'h' | 'l' => {}
            other => panic!("this screen does not know the order {other:?}"),
        }
    }

    fn text(&self) -> String {
        let lines = self.lines.iter().map(|line| String::from_iter(line).trim_end().to_owned());
        lines.collect::<Vec<_>>().join("\n")
    }
}

#[tokio::test]
async fn no_bar_is_left_on_the_screen_and_none_counts_nothing() {
    const HEIGHT: usize = 24;
    let folder = DataFolder::new();
    let docket = with_tools(Docket::serve(&folder)).env("DOCKET_OCR_MODELS", "/none");
    let (server, ada, _) = library_of(docket).await;
    for columns in [80, 110] {
        let papers = Papers::new();
        for number in 0..12 {
            let text = format!("letter {number} for a terminal of {columns}");
            papers.with(&format!("letter{number}.txt"), text);
        }
        // Long enough that the bars of all stages are seen.
        let mut scan = ScanWriter::new(Vec::new(), Paper::A6).unwrap();
        for number in 0..6 {
            scan.page(&[&format!("PAGE {number} OF {columns}")]).unwrap();
        }
        papers.with("scan.pdf", scan.finish().unwrap());
        let ingest = ada.types(["ingest", papers.folder(), "--wait"]);
        let seen = ingest.at_a_terminal(columns, HEIGHT).finish().await;
        assert!(seen.stdout.contains("preprocess   "), "no bar was drawn: {seen:?}");
        assert!(!seen.stdout.contains(" 0/0"), "{seen:?}");
        let screen = Screen::showing(&seen.stdout, columns, HEIGHT).text();
        assert!(!screen.contains(['━', '─']), "{screen}");
        let kept = screen.lines().filter(|line| !line.is_empty());
        assert_eq!(kept.count(), 13 + 2, "a line for each file, and the sum:\n{screen}");
    }
    server.stop().await.succeeded();
}

//! Figures, and how they are shown.

use std::fmt::{self, Write};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

/// One line of the report.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) benchmark: &'static str,
    pub(crate) what: &'static str,
    pub(crate) unit: Unit,
    pub(crate) docket: Spread,
    pub(crate) peer: Option<Peer>,
    /// For the ratio where there is a peer, otherwise for Docket's own figure.
    pub(crate) target: Option<Target>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) figure: Spread,
    /// Docket's figure divided by the peer's, round by round.
    pub(crate) ratio: Spread,
}

/// What several rounds gave.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    PerSecond,
    MebibytesPerSecond,
    Milliseconds,
    Microseconds,
    Mebibytes,
    /// Of one core.
    Percent,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    AtLeast(f64),
    AtMost(f64),
}

impl Figure {
    /// A figure of Docket alone.
    pub(crate) fn alone(
        benchmark: &'static str,
        what: &'static str,
        unit: Unit,
        values: &[f64],
    ) -> Self {
        Self { benchmark, what, unit, docket: Spread::of(values), peer: None, target: None }
    }

    /// A figure beside a peer's, measured in the same rounds.
    pub(crate) fn beside(self, name: &'static str, own: &[f64], peers: &[f64]) -> Self {
        let ratios: Vec<f64> = own.iter().zip(peers).map(|(own, peer)| own / peer).collect();
        let peer = Peer { name, figure: Spread::of(peers), ratio: Spread::of(&ratios) };
        Self { peer: Some(peer), ..self }
    }

    pub(crate) fn with_target(self, target: Target) -> Self {
        Self { target: Some(target), ..self }
    }

    fn reaches_target(&self) -> Option<bool> {
        let judged = self.peer.as_ref().map_or(self.docket, |peer| peer.ratio).median;
        self.target.map(|target| match target {
            Target::AtLeast(least) => judged >= least,
            Target::AtMost(most) => judged <= most,
        })
    }
}

impl Spread {
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            at(middle)
        } else {
            f64::midpoint(at(middle.wrapping_sub(1)), at(middle))
        };
        Self { median, least: at(0), most: at(sorted.len().wrapping_sub(1)) }
    }
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// As Markdown, so that it can be read here and pasted into the README.
pub(crate) fn table(figures: &[Figure]) -> String {
    let mut rows = vec![
        ["benchmark", "what", "Docket", "peer", "ratio (least – most)", "target"].map(String::from),
    ];
    rows.extend(figures.iter().map(cells));
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: [usize; 6] = std::array::from_fn(|column| width(column).unwrap_or(0));
    rows.insert(1, widths.map(|width| "-".repeat(width)));
    let mut text = String::new();
    for row in &rows {
        for (cell, width) in row.iter().zip(widths) {
            write!(text, "| {cell:width$} ").ok();
        }
        text.push_str("|\n");
    }
    text
}

fn cells(figure: &Figure) -> [String; 6] {
    let (peer, ratio) = match &figure.peer {
        Some(Peer { name, figure: theirs, ratio: Spread { median, least, most } }) => (
            format!("{} {name}", figure.unit.show(theirs.median)),
            format!("{median:.2} ({least:.2} – {most:.2})"),
        ),
        None => (String::new(), String::new()),
    };
    let own = figure.unit.show(figure.docket.median);
    let Spread { least, most, .. } = figure.docket;
    // Beside a peer, the spread that matters is the ratio's.
    let own = if figure.peer.is_some() || least.total_cmp(&most).is_eq() {
        own
    } else {
        format!("{own} ({} – {})", figure.unit.number(least), figure.unit.number(most))
    };
    let target = match (figure.target, figure.reaches_target()) {
        (Some(target), Some(true)) => format!("{}: reached", target.show(figure)),
        (Some(target), _) => format!("{}: MISSED", target.show(figure)),
        (None, _) => String::new(),
    };
    [figure.benchmark.to_owned(), figure.what.to_owned(), own, peer, ratio, target]
}

impl Target {
    fn show(self, figure: &Figure) -> String {
        let (sign, value) = match self {
            Self::AtLeast(value) => ('≥', value),
            Self::AtMost(value) => ('≤', value),
        };
        if figure.peer.is_some() {
            format!("{sign} {value}")
        } else {
            format!("{sign} {}", figure.unit.show(value))
        }
    }
}

impl Unit {
    fn show(self, value: f64) -> String {
        format!("{}{self}", self.number(value))
    }

    fn number(self, value: f64) -> String {
        match self {
            Self::PerSecond | Self::MebibytesPerSecond => format!("{value:.0}"),
            Self::Milliseconds if value >= 100.0 => format!("{value:.0}"),
            Self::Milliseconds => format!("{value:.2}"),
            Self::Microseconds | Self::Mebibytes => format!("{value:.1}"),
            Self::Percent => format!("{value:.3}"),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PerSecond => "/s",
            Self::MebibytesPerSecond => " MiB/s",
            Self::Milliseconds => " ms",
            Self::Microseconds => " µs",
            Self::Mebibytes => " MiB",
            Self::Percent => " %",
        })
    }
}

/// For programs.
pub(crate) fn document(machine: &str, figures: &[Figure]) -> Value {
    let figures: Vec<Value> = figures
        .iter()
        .map(|figure| {
            let mut value = json!(figure);
            value["reaches_target"] = json!(figure.reaches_target());
            value
        })
        .collect();
    json!({ "machine": machine, "figures": figures })
}

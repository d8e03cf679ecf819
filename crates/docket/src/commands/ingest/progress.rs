//! Progress bars on a terminal, one for each phase.
//!
//! The bar for uploading counts bytes; the others count the documents that have completed the phase.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use uuid::Uuid;

use crate::say::complain;

/// Shows nothing when there is no terminal.
pub(crate) struct Progress {
    bars: Option<Bars>,
    complained: AtomicBool,
}

struct Bars {
    all: MultiProgress,
    uploading: ProgressBar,
    runs: Mutex<Runs>,
}

/// The runs that the command waits for.
#[derive(Default)]
struct Runs {
    /// How many stages each has completed; `None` while it is queued.
    passed: HashMap<Uuid, Option<usize>>,
    ended: u64,
    queued: Option<ProgressBar>,
    stages: Vec<ProgressBar>,
    done: Option<ProgressBar>,
    shown: Option<Instant>,
}

impl Progress {
    pub(crate) fn hidden() -> Self {
        Self { bars: None, complained: AtomicBool::new(false) }
    }

    pub(crate) fn on_terminal(bytes: u64) -> Self {
        let all = MultiProgress::new();
        let numbers = "{bytes}/{total_bytes}  {bytes_per_sec}";
        let uploading = all.add(bar("uploading", numbers, bytes));
        let bars = Bars { all, uploading, runs: Mutex::default() };
        Self { bars: Some(bars), complained: AtomicBool::new(false) }
    }

    pub(crate) fn is_visible(&self) -> bool {
        self.bars.is_some()
    }

    pub(crate) fn sent(&self, bytes: u64) {
        if let Some(bars) = &self.bars {
            bars.uploading.inc(bytes);
        }
    }

    pub(crate) fn unsent(&self, bytes: u64) {
        if let Some(bars) = &self.bars {
            bars.uploading.dec(bytes);
        }
    }

    pub(crate) fn is_uploaded(&self) {
        if let Some(bars) = &self.bars {
            bars.uploading.finish();
        }
    }

    /// Adds a run to wait for.
    pub(crate) fn add_run(&self, run_id: Uuid) {
        self.with_runs(|all, runs| {
            runs.passed.entry(run_id).or_insert(None);
            let documents = runs.passed.len() as u64;
            for (place, name) in [(&mut runs.queued, "queued"), (&mut runs.done, "done")] {
                place.get_or_insert_with(|| all.add(bar(name, "{pos}/{len}", documents)));
            }
        });
    }

    pub(crate) fn started(&self, run_id: Uuid) {
        self.with_runs(|_, runs| {
            if let Some(passed) = runs.passed.get_mut(&run_id) {
                passed.get_or_insert(0);
            }
        });
    }

    pub(crate) fn at(&self, run_id: Uuid, pipeline: &[String], passed: usize) {
        self.with_runs(|all, runs| {
            runs.passed.insert(run_id, Some(passed));
            let documents = runs.passed.len() as u64;
            for (place, name) in pipeline.iter().enumerate().skip(runs.stages.len()) {
                let stage = bar(name, "{pos}/{len}", documents);
                // After the bars for uploading, queued and the earlier stages.
                runs.stages.push(all.insert(place + 2, stage));
            }
        });
    }

    pub(crate) fn ended(&self, run_id: Uuid) {
        self.with_runs(|_, runs| {
            runs.passed.insert(run_id, Some(usize::MAX));
            runs.ended += 1;
        });
    }

    /// Prints above the bars.
    pub(crate) fn print_above(&self, print: impl FnOnce()) {
        match &self.bars {
            Some(bars) => bars.all.suspend(print),
            None => print(),
        }
    }

    /// Prints a problem that affects every file once.
    pub(crate) fn complain_once(&self, problem: impl Display) {
        if !self.complained.swap(true, Ordering::Relaxed) {
            self.print_above(|| complain(problem));
        }
    }

    /// Removes the bars from the screen, and draws no more.
    pub(crate) fn clear(&self) {
        if let Some(bars) = &self.bars {
            // An error means that the terminal is gone.
            bars.all.clear().ok();
            bars.all.set_draw_target(ProgressDrawTarget::hidden());
        }
    }

    fn with_runs(&self, change: impl FnOnce(&MultiProgress, &mut Runs)) {
        let Some(bars) = &self.bars else { return };
        let mut runs = bars.runs.lock().unwrap_or_else(PoisonError::into_inner);
        change(&bars.all, &mut runs);
        runs.show();
    }
}

impl Runs {
    /// 20 times a second.
    const REFRESH: Duration = Duration::from_millis(50);

    fn show(&mut self) {
        if self.shown.is_some_and(|shown| shown.elapsed() < Self::REFRESH) {
            return;
        }
        self.shown = Some(Instant::now());
        let all = self.passed.len() as u64;
        let count = |fits: &dyn Fn(&Option<usize>) -> bool| {
            self.passed.values().filter(|passed| fits(passed)).count() as u64
        };
        let set = |bar: &ProgressBar, position: u64| {
            bar.set_length(all);
            bar.set_position(position);
        };
        if let Some(queued) = &self.queued {
            set(queued, count(&|passed| passed.is_some()));
        }
        for (place, stage) in self.stages.iter().enumerate() {
            set(stage, count(&|passed| passed.is_some_and(|passed| passed > place)));
        }
        if let Some(done) = &self.done {
            set(done, self.ended);
        }
    }
}

/// A bar that is not on the screen yet. It must draw nothing before it belongs to the `MultiProgress`, which knows its
/// position on the screen: methods that begin with `with_` do not draw, those that begin with `set_` do.
fn bar(name: &str, numbers: &str, length: u64) -> ProgressBar {
    ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden())
        .with_style(style(numbers))
        .with_prefix(name.to_owned())
}

fn style(numbers: &str) -> ProgressStyle {
    let template = format!("{{prefix:<12}} {{wide_bar}} {numbers}");
    // An invalid template would be a bug; the default bar is shown then.
    ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸─")
}

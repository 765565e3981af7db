//! Progress on standard error, if that is a terminal.

use std::io::{IsTerminal, stdout};

use backoff_sim::{Experiment, Shard};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::plot::grouped;

const TEMPLATE: &str = "{wide_bar:.cyan/dim} {msg} {human_pos}/{human_len} clients ({speed}), \
                        {eta} left";

/// How many clients were simulated: a run with more takes longer.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(experiments: &[Experiment], shard: Shard, is_hidden: bool) -> Self {
        let weight = |experiment: &Experiment| {
            experiment.clients().saturating_mul(shard.runs(experiment.runs).len() as u64)
        };
        let total = experiments.iter().map(weight).fold(0, u64::saturating_add);
        // This shows nothing if standard error is no terminal.
        let target = ProgressDrawTarget::stderr();
        let target = if is_hidden { ProgressDrawTarget::hidden() } else { target };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            let speed = |state: &ProgressState, to: &mut dyn std::fmt::Write| {
                // To whole clients.
                let _ = write!(to, "{}/s", grouped(state.per_sec().round()));
            };
            bar.set_style(style.with_key("speed", speed));
        }
        Self(bar)
    }

    pub(crate) fn is_unwanted(is_quiet: bool, is_json: bool) -> bool {
        is_quiet || is_json && !stdout().is_terminal()
    }

    pub(crate) fn begin(&self, experiment: &Experiment) {
        let names: Vec<_> = experiment.groups.iter().map(|group| group.name.as_str()).collect();
        let name: String = names.join(" + ").chars().take(24).collect();
        self.0.set_message(name);
    }

    pub(crate) fn add_run(&self, experiment: &Experiment) {
        self.0.inc(experiment.clients());
    }

    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    pub(crate) fn finish(self) {
        self.0.finish_and_clear();
    }
}

//! One file, or folder, per subcommand.

mod advise;
mod compare;
mod completions;
mod delays;
mod explain;
mod export;
mod fit;
mod import;
mod man;
mod merge;
mod presets;
mod preview;
mod run;
mod simulate;
mod verify;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::output::Output;

/// The subcommands, in the order of the help.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a command, and retry it when it fails
    Run(run::Arguments),
    /// Explain a policy, and give advice
    Explain(explain::Arguments),
    /// Show the shortest, mean and longest delay of each retry
    Preview(preview::Arguments),
    /// Print the delays of a seed and a key
    Delays(delays::Arguments),
    /// Fit a policy into a time
    Fit(fit::Arguments),
    /// Print the configuration of gRPC, Envoy and other engines
    Export(export::Arguments),
    /// Read such a configuration
    Import(import::Arguments),
    /// List the presets and their sources
    Presets(presets::Arguments),
    /// Compare policies: previews, and a quick simulation
    Compare(compare::Arguments),
    /// Simulate clients that retry
    Simulate(simulate::Arguments),
    /// Merge the parts of a sharded simulation
    Merge(merge::Arguments),
    /// Recommend a policy for a service
    Advise(advise::Arguments),
    /// Check another implementation against the vectors
    Verify(verify::Arguments),
    /// Print the completions of a shell
    Completions(completions::Arguments),
    /// Print the man page
    Man(man::Arguments),
}

impl Command {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        match self {
            Self::Run(arguments) => run::run(arguments, output),
            Self::Explain(arguments) => explain::run(arguments, output),
            Self::Preview(arguments) => preview::run(arguments, output),
            Self::Delays(arguments) => delays::run(arguments, output),
            Self::Fit(arguments) => fit::run(arguments, output),
            Self::Export(arguments) => export::run(arguments, output),
            Self::Import(arguments) => import::run(arguments, output),
            Self::Presets(arguments) => presets::run(arguments, output),
            Self::Compare(arguments) => compare::run(arguments, output),
            Self::Simulate(arguments) => simulate::run(arguments, output),
            Self::Merge(arguments) => merge::run(arguments, output),
            Self::Advise(arguments) => advise::run(arguments, output),
            Self::Verify(arguments) => verify::run(arguments, output),
            Self::Completions(arguments) => completions::run(arguments, output),
            Self::Man(arguments) => man::run(arguments, output),
        }
    }
}

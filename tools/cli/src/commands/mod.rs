//! One file, or folder, per subcommand.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::output::Output;

macro_rules! subcommands {
    ($($(#[$help:meta])* $name:ident = $module:ident,)*) => {
        $(mod $module;)*

        /// The subcommands, in the order of the help.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($(#[$help])* $name($module::Arguments),)*
        }

        impl Command {
            pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
                match self {
                    $(Self::$name(arguments) => $module::run(arguments, output),)*
                }
            }
        }
    };
}

subcommands! {
    /// Run a command, and retry it when it fails
    Run = run,
    /// Explain a policy, and give advice
    Explain = explain,
    /// Show the shortest, mean and longest delay of each retry
    Preview = preview,
    /// Print the delays of a seed and a key
    Delays = delays,
    /// Fit a policy into a time
    Fit = fit,
    /// Print the configuration of gRPC, Envoy and other engines
    Export = export,
    /// Read such a configuration
    Import = import,
    /// List the presets and their sources
    Presets = presets,
    /// Compare policies: previews, and a quick simulation
    Compare = compare,
    /// Simulate clients that retry
    Simulate = simulate,
    /// Merge the parts of a sharded simulation
    Merge = merge,
    /// Recommend a policy for a service
    Advise = advise,
    /// Check another implementation against the vectors
    Verify = verify,
    /// Print the completions of a shell
    Completions = completions,
    /// Print the man page
    Man = man,
}

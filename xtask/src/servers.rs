//! Real Redis and `PostgreSQL` servers for the tests of hosts, from wheels that carry them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::fresh;
use crate::shell::{command, progress, root, run, scratch};
use crate::venv;

const REQUIREMENTS: &str = "tests/hosts/requirements.txt";

/// The program that starts servers (`tests/hosts/servers.py`).
pub(crate) fn program() -> Result<Command> {
    let [python, script] = words()?;
    let mut program = command(python);
    program.arg(script);
    Ok(program)
}

/// Tells a test, in the variable `BACKOFF_SERVERS`, the program that starts servers: a JSON array of
/// words, to which the names of servers are appended.
pub(crate) fn with_servers(test: &mut Command) -> Result<&mut Command> {
    Ok(test.env("BACKOFF_SERVERS", serde_json::to_string(&words()?)?))
}

fn words() -> Result<[PathBuf; 2]> {
    let folder = scratch().join("servers");
    fresh::unless_fresh(&folder, &[REQUIREMENTS], || {
        progress("installing the servers");
        venv::create(&folder)?;
        run(venv::install(&folder).args(["-r", REQUIREMENTS]))
    })?;
    Ok([folder.join("bin/python"), root().join("tests/hosts/servers.py")])
}

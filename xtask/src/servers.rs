//! Redis and `PostgreSQL` servers from wheels that carry them, and a server that fails on purpose.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use serde_json::Map;

use crate::shell::{as_json, command, root, run};
use crate::venv;

/// Fails if a client does not wait for the delays of the reference.
pub(crate) fn clients_agree(clients: &[(String, Command)]) -> Result<()> {
    run(&mut clients_program(clients))
}

/// The program that plays the server for these clients.
pub(crate) fn clients_program(clients: &[(String, Command)]) -> Command {
    let clients = clients.iter().map(|(name, client)| (name.clone(), as_json(client)));
    let programs = serde_json::json!({ "clients": clients.collect::<Map<_, _>>() });
    let mut python = command("python3");
    python.arg("tests/integrations/clients.py").env("BACKOFF_PROGRAMS", programs.to_string());
    python
}

/// Tells a test, in the variable `BACKOFF_SERVERS`, the program that starts servers: a JSON array of
/// words, to which the names of servers are appended.
pub(crate) fn with_servers(test: &mut Command) -> Result<&mut Command> {
    Ok(test.env("BACKOFF_SERVERS", serde_json::to_string(&words()?)?))
}

/// The interpreter that has the servers, and the program that starts them.
pub(crate) fn words() -> Result<[PathBuf; 2]> {
    let python = venv::with("servers", "tests/integrations/requirements.txt", &[])?;
    Ok([python.join("bin/python"), root().join("tests/integrations/servers.py")])
}

//! Redis and `PostgreSQL` servers from wheels that carry them, and a server that fails on purpose.

use serde_json::{Map, Value, json};

use crate::shell::*;
use crate::venv;

/// Fails if a client does not wait as the reference says.
pub(crate) fn client_agrees(client: Result<Program>) -> Result<()> {
    clients_of(&Map::from_iter([("client".to_owned(), json!(client?))])).run()
}

pub(crate) fn clients_of(clients: &Map<String, Value>) -> Program {
    let programs = json!({ "clients": clients });
    python3("tests/integrations/clients.py").env("BACKOFF_PROGRAMS", programs.to_string())
}

/// The interpreter that has Redis and `PostgreSQL`, from wheels that carry them.
pub(crate) fn interpreter() -> Result<Program> {
    let folder = venv::with("servers", "tests/integrations/requirements.txt", &[])?;
    Ok(program_at(folder.join("bin/python")))
}

/// Tells a test, in the variable `BACKOFF_SERVERS`, the program that starts servers: a JSON array of
/// words, to which the names of servers are appended.
pub(crate) fn with_servers(test: Program) -> Result<Program> {
    let servers = interpreter()?.arg(root().join("tests/integrations/servers.py"));
    Ok(test.env("BACKOFF_SERVERS", json!(servers)["program"].to_string()))
}

//! Redis and `PostgreSQL` servers from wheels that carry them, and the programs that `tests/integrations` runs.

use serde_json::json;

use crate::shell::*;
use crate::venv;

/// The name of a program, and what builds it.
pub(crate) type Made = (&'static str, fn() -> Result<Program>);

/// A program in Python that runs the programs of these scenarios (`tests/integrations/programs.py`).
pub(crate) fn with_programs(python: Program, scenarios: &[(&str, &[Made])]) -> Result<Program> {
    let mut described = json!({});
    for (scenario, programs) in scenarios {
        for (name, make) in *programs {
            progress(&format!("{scenario}: preparing {name}"));
            described[scenario][name] = json!(make().with_context(|| format!("for {name}"))?);
        }
    }
    Ok(python.env("BACKOFF_PROGRAMS", described.to_string()))
}

/// The program that plays a server which fails on purpose for these HTTP clients. It prints how long they wait, side
/// by side, and fails if that is not what the reference says.
pub(crate) fn clients(clients: &[Made]) -> Result<Program> {
    with_programs(python3("tests/integrations/clients.py"), &[("clients", clients)])
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

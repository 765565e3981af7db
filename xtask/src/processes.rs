//! Job queues and shared budgets, with processes in several languages, and HTTP clients in all of them
//! (`tests/integrations`).

use std::process::Command;

use anyhow::Result;
use serde_json::{Map, Value};

use crate::languages::language::Language;
use crate::languages::{go, js, python, rust};
use crate::report::{Extent, Report};
use crate::servers;
use crate::shell::{as_json, command, progress, show};

/// The programs of each scenario, by their names.
type Programs = &'static [(&'static str, fn() -> Result<Command>)];

const QUEUES: Programs = &[
    ("celery", || python::queue("celery")),
    ("dramatiq", || python::queue("dramatiq")),
    ("bullmq", || js::queue("bullmq.mjs")),
    ("river", || go::queue("river")),
    ("asynq", || go::queue("asynq")),
];
const FLEET: Programs =
    &[("rust", rust::fleet), ("go", go::fleet), ("python", python::fleet), ("js", js::fleet)];
const CONTENTION: Programs = &[("rust", rust::contention)];
const SCENARIOS: [(&str, Programs); 3] =
    [("queues", QUEUES), ("fleet", FLEET), ("contention", CONTENTION)];

/// Runs a scenario, which prints what it does.
pub(crate) fn scenario(name: &str) -> Result<()> {
    let [python, servers] = servers::words()?;
    let script = servers.with_file_name(name).with_added_extension("py");
    show(command(python).arg(script).env("BACKOFF_PROGRAMS", programs(&[name])?))
}

/// Prints how long the HTTP examples of these languages wait, side by side.
pub(crate) fn clients(languages: &[Language]) -> Result<()> {
    show(&mut servers::clients_program(&crate::languages::clients(languages)?))
}

/// Tests the servers, the queues and a fleet.
pub(crate) fn test(report: &mut Report) {
    let extent = report.extent();
    report.pytest("servers, queues and a fleet", || {
        let [python, servers] = servers::words()?;
        let mut pytest = command(python);
        pytest.args(["-m", "pytest"]).arg(servers.with_file_name("processes.py"));
        pytest.env("BACKOFF_PROGRAMS", programs(&["queues", "fleet"])?);
        if extent == Extent::All {
            pytest.env("BACKOFF_EXTENT", "all");
        }
        Ok(pytest)
    });
}

/// Builds the programs of these scenarios, and describes them as JSON.
fn programs(scenarios: &[&str]) -> Result<String> {
    let mut described = Map::new();
    for (scenario, programs) in SCENARIOS.iter().filter(|(name, _)| scenarios.contains(name)) {
        let programs = programs.iter().map(|(name, program)| {
            progress(&format!("{scenario}: preparing the program {name}"));
            Ok(((*name).to_owned(), as_json(&program()?)))
        });
        let programs = programs.collect::<Result<Map<_, _>>>()?;
        described.insert((*scenario).to_owned(), Value::Object(programs));
    }
    Ok(Value::Object(described).to_string())
}

//! Job queues and shared budgets, with processes in several languages, and HTTP clients in all of them
//! (`tests/integrations`).

use serde_json::{Map, Value, json};

use crate::languages::{Language, go, js, python, rust};
use crate::report::Report;
use crate::servers::{clients_of, interpreter};
use crate::shell::*;

type Programs = &'static [(&'static str, fn() -> Result<Program>)];

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
    let script = format!("tests/integrations/{name}.py");
    interpreter()?.arg(script).env("BACKOFF_PROGRAMS", programs(&[name])?).show()
}

/// The program that plays a server which fails on purpose for the HTTP examples of these languages. It prints how
/// long they wait, side by side, and fails if that is not what the reference says.
pub(crate) fn clients(languages: &[Language]) -> Result<Program> {
    let described = languages.iter().map(|language| {
        progress(&format!("preparing the client of {}", language.name));
        let client = (language.client)().with_context(|| format!("for {}", language.name))?;
        Ok((language.name.to_owned(), json!(client)))
    });
    Ok(clients_of(&described.collect::<Result<_>>()?))
}

pub(crate) fn test(report: &mut Report) {
    let is_all = report.is_all;
    report.pytest("servers, queues and a fleet", || {
        let pytest = interpreter()?.words("-m pytest tests/integrations/processes.py");
        let pytest = pytest.env("BACKOFF_PROGRAMS", programs(&["queues", "fleet"])?);
        Ok(if is_all { pytest.env("BACKOFF_EXTENT", "all") } else { pytest })
    });
}

fn programs(scenarios: &[&str]) -> Result<String> {
    let mut described = Map::new();
    for (scenario, programs) in SCENARIOS.iter().filter(|(name, _)| scenarios.contains(name)) {
        let programs = programs.iter().map(|(name, program)| {
            progress(&format!("{scenario}: preparing the program {name}"));
            Ok(((*name).to_owned(), json!(program()?)))
        });
        described.insert((*scenario).to_owned(), programs.collect::<Result<Map<_, _>>>()?.into());
    }
    Ok(Value::Object(described).to_string())
}

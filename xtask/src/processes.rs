//! Programs in several languages side by side: their evaluators, HTTP clients, job queues and shared budgets
//! (`tests/differential`, `tests/integrations`).

use crate::languages::{ALL, Language, go, js, python, rust};
use crate::report::Report;
use crate::servers::{self, Made, interpreter, with_programs};
use crate::shell::*;

const QUEUES: &[Made] = &[
    ("celery", || python::queue("celery")),
    ("dramatiq", || python::queue("dramatiq")),
    ("bullmq", || js::queue("bullmq.mjs")),
    ("river", || go::queue("river")),
    ("asynq", || go::queue("asynq")),
];
const FLEET: &[Made] =
    &[("rust", rust::fleet), ("go", go::fleet), ("python", python::fleet), ("js", js::fleet)];
const CONTENTION: &[Made] = &[("rust", rust::contention)];

/// Runs a scenario, which prints what it does.
pub(crate) fn scenario(name: &str) -> Result<()> {
    let programs = match name {
        "queues" => QUEUES,
        "fleet" => FLEET,
        _ => CONTENTION,
    };
    let script = interpreter()?.arg(format!("tests/integrations/{name}.py"));
    with_programs(script, &[(name, programs)])?.show()
}

/// The HTTP examples of these languages, and a server that fails on purpose.
pub(crate) fn clients(languages: &[Language]) -> Result<Program> {
    let clients: Vec<Made> = languages.iter().map(|found| (found.name, found.client)).collect();
    servers::clients(&clients)
}

/// The parameter sets of published articles in all languages.
pub(crate) fn demo() -> Result<Program> {
    with_evaluators(python3("tests/differential/demo.py"), &[])
}

/// A program in Python that asks the evaluators of all languages, and more of them.
pub(crate) fn with_evaluators(python: Program, more: &[Made]) -> Result<Program> {
    let evaluators = ALL.map(|language| (language.name, language.evaluator));
    with_programs(python, &[("evaluators", &[&evaluators, more].concat())])
}

pub(crate) fn test(report: &mut Report) {
    let is_all = report.is_all;
    report.pytest("servers, queues and a fleet", || {
        let pytest = interpreter()?.words("-m pytest tests/integrations/processes.py");
        let pytest = with_programs(pytest, &[("queues", QUEUES), ("fleet", FLEET)])?;
        Ok(if is_all { pytest.env("BACKOFF_EXTENT", "all") } else { pytest })
    });
}

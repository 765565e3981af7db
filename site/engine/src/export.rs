//! Policies as the configuration of engines.

use backoff_export::{ExportOptions, Format, export_with};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer;
use crate::error::Refused;
use crate::policy::{budget_of, policy_of};

#[derive(Serialize)]
struct Engine {
    format: &'static str,
    engine: &'static str,
}

/// The engines, and the names of their formats.
#[wasm_bindgen]
#[must_use]
pub fn formats() -> String {
    let engine = |format: &Format| Engine { format: format.name(), engine: format.engine() };
    answer(Ok(Format::ALL.iter().map(engine).collect::<Vec<_>>()))
}

#[derive(Serialize, Default)]
struct Exported {
    text: Option<String>,
    /// The policy that the engine has then.
    policy: Option<String>,
    differences: Vec<Differs>,
    warnings: Vec<String>,
    /// Why there is no text.
    refusals: Vec<String>,
}

#[derive(Serialize)]
struct Differs {
    field: &'static str,
    policy: String,
    engine: String,
    reason: String,
}

/// The configuration of an engine, or why it has none like this.
#[wasm_bindgen]
#[must_use]
pub fn configuration(
    policy: &str,
    budget: &str,
    format: &str,
    nearest: bool,
    yaml: bool,
) -> String {
    answer(exported(policy, budget, format, ExportOptions { nearest, yaml, servers: None }))
}

fn exported(
    policy: &str,
    budget: &str,
    format: &str,
    options: ExportOptions,
) -> Result<Exported, Refused> {
    let (policy, budget) = (policy_of(policy)?, budget_of(budget)?);
    let format: Format = format.parse().map_err(|error| Refused::new("to", &error))?;
    Ok(match export_with(&policy, budget.as_ref(), format, options) {
        Ok(exported) => {
            let differs = |one: &backoff_export::Difference| Differs {
                field: one.field().name(),
                policy: one.policy().to_owned(),
                engine: one.engine().to_owned(),
                reason: one.reason().to_owned(),
            };
            Exported {
                text: Some(exported.text),
                policy: Some(exported.policy.to_string()),
                differences: exported.differences.iter().map(differs).collect(),
                warnings: exported.warnings,
                refusals: Vec::new(),
            }
        }
        Err(error) => Exported {
            refusals: error.refusals().iter().map(ToString::to_string).collect(),
            ..Exported::default()
        },
    })
}

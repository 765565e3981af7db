//! Exporting in any format.

use backoff_core::{Budget, Policy};

use crate::error::ExportError;
use crate::exact::{Exact, exact};
use crate::format::Format;
use crate::nearest::{Difference, Nearest, nearest};
use crate::yaml;

/// How a policy is exported: [`export_with`].
#[derive(Debug, Clone, Copy, Default)]
pub struct ExportOptions {
    /// Whether a policy that has no equivalent becomes the nearest one that has.
    pub nearest: bool,
    /// The number of servers of an `upstream` of nginx, which limits its retries.
    pub servers: Option<u32>,
    /// Whether a text in JSON is written as YAML in blocks. The directives of nginx stay as they are.
    pub yaml: bool,
}

/// The configuration of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// The configuration.
    pub text: String,
    /// The policy that the engine has then: the exported one, unless the nearest one was asked for.
    pub policy: Policy,
    /// What the policy says and the engine does not do. Empty unless the nearest one was asked for.
    pub differences: Vec<Difference>,
    /// What the user must know, a sentence each.
    pub warnings: Vec<String>,
}

/// The configuration of an engine that waits and stops as the policy and the budget do.
///
/// The text is read back and its policy compared with this one, delay by delay, so that no
/// difference stays unnoticed.
///
/// # Errors
/// Every field that the format has no equivalent of, its value, and what the engine does instead.
pub fn export(
    policy: &Policy,
    budget: Option<&Budget>,
    format: Format,
) -> Result<String, ExportError> {
    Ok(export_with(policy, budget, format, ExportOptions::default())?.text)
}

/// The same as [`export`], with options, and with what the user must know about the text.
///
/// # Errors
/// As those of [`export`]. If the nearest export is asked for: every field of which nothing is near.
pub fn export_with(
    policy: &Policy,
    budget: Option<&Budget>,
    format: Format,
    options: ExportOptions,
) -> Result<Exported, ExportError> {
    let ExportOptions { servers, .. } = options;
    let found = if options.nearest {
        nearest(policy, budget, format, servers)?
    } else {
        let exact = exact(policy, budget, format, servers)?;
        Nearest { policy: *policy, differences: Vec::new(), exact }
    };
    let Nearest { policy, differences, exact: Exact { mut text, warnings } } = found;
    if options.yaml && format != Format::Nginx {
        text = yaml::write(&text);
    }
    Ok(Exported { text, policy, differences, warnings })
}

//! The policies in a text, by their places.

use backoff_core::{Budget, Policy};

use crate::error::ImportError;

/// How a text is imported: [`import_with`](crate::import_with).
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportOptions<'a> {
    /// The place of the policy in the text, such as `spec.http[1]`, if the text has several.
    pub at: Option<&'a str>,
    /// The number of servers of an `upstream` of nginx, which limits its retries.
    pub servers: Option<u32>,
}

/// A place in a text that has a policy, and what was read there.
pub(crate) struct Found {
    pub(crate) at: String,
    pub(crate) read: Result<(Policy, Option<Budget>), ImportError>,
    /// What the user must know, a sentence each.
    pub(crate) warnings: Vec<String>,
}

impl Found {
    pub(crate) fn new(at: &str, read: Result<(Policy, Option<Budget>), ImportError>) -> Self {
        Self { at: at.to_owned(), read, warnings: Vec::new() }
    }

    pub(crate) fn warn(self, warnings: Vec<String>) -> Self {
        Self { warnings, ..self }
    }
}

/// How many items a message lists.
pub(crate) const LISTED: usize = 20;

/// Whether a place is another one or inside it. Every place is inside the text, which is the empty one.
pub(crate) fn is_within(place: &str, outer: &str) -> bool {
    let rest = place.strip_prefix(outer);
    rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The first of some items.
pub(crate) fn listed(mut items: Vec<String>, between: &str) -> String {
    let more = items.len().saturating_sub(LISTED);
    items.truncate(LISTED);
    let items = items.join(between);
    if more == 0 { items } else { format!("{items} and {more} more") }
}

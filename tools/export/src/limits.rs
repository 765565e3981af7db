//! Limits of time beside a policy. Import does not take them over, and warns of each.

use crate::json::{Node, Object};
use crate::text::{SECOND, ns as duration, read_go_duration};

#[derive(Clone, Copy)]
pub(crate) enum Ends {
    /// All attempts of an operation together.
    Operation,
    /// Each attempt.
    Attempt,
}

/// A warning for each of these limits that an object has.
pub(crate) fn of<const N: usize>(object: &Object<'_>, limits: [(&str, Ends); N]) -> Vec<String> {
    let warn = |(name, ends): (&str, Ends)| {
        let node = object.get(name)?;
        let ns = nanoseconds(&node);
        // Engines that write a limit as a duration have none if it is zero.
        (ns != Some(0)).then(|| warning(&node.at, &node.shown(), ns, ends))
    };
    limits.into_iter().filter_map(warn).collect()
}

pub(crate) fn warning(at: &str, value: &str, ns: Option<u64>, ends: Ends) -> String {
    let advice = match ends {
        Ends::Operation => {
            let value = ns.map_or_else(String::new, |ns| format!("={}", duration(ns)));
            format!(
                "limits all attempts together; add max_elapsed{value}, which ends no attempt that is \
                 under way, or a deadline in the caller"
            )
        }
        Ends::Attempt => {
            "limits each attempt; set a timeout of each attempt in the caller".to_owned()
        }
    };
    format!("{at} {value} is not imported: it {advice}")
}

/// A duration or a number of seconds in nanoseconds, if it is one.
fn nanoseconds(node: &Node<'_>) -> Option<u64> {
    match node.count(1, u64::from(u32::MAX)) {
        Ok(seconds) => Some(seconds.saturating_mul(SECOND)),
        Err(_) => node.duration(read_go_duration).ok(),
    }
}

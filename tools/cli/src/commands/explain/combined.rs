//! What all warnings about a policy propose together.

use backoff_core::Policy;

use crate::commands::explain::advice::{Advice, Change, by_rule};
use crate::commands::explain::facts::Facts;
use crate::commands::explain::rules::{Level, RULES};

pub(crate) struct Combined {
    pub(crate) policy: Policy,
    pub(crate) notes: Vec<String>,
}

/// The policy with what all warnings propose, if there are several or one leads to another.
pub(crate) fn combined(policy: &Policy) -> Option<Combined> {
    let mut found = warnings(policy);
    let mut is_several = found.len() > 1;
    let (mut policy, mut notes, mut changes) = (*policy, Vec::new(), 0);
    while changes < 2 * RULES.len() && !found.is_empty() {
        let first = found.remove(0);
        let Change::Policy(proposed) = &first.change else { break };
        policy = Policy::parse(proposed).ok()?;
        let left = warnings(&policy);
        let title = first.title();
        for needless in found.iter().filter(|one| !left.iter().any(|other| other.is_like(one))) {
            let needless = needless.title();
            notes.push(format!(
                "The change for \"{title}\" makes the one for \"{needless}\" needless."
            ));
        }
        for new in left.iter().filter(|one| !found.iter().any(|other| other.is_like(one))) {
            notes
                .push(format!("After the change for \"{title}\", {}", uncapitalized(&new.message)));
        }
        found = left;
        changes += 1;
        is_several |= changes > 1;
    }
    is_several.then_some(Combined { policy, notes })
}

fn warnings(policy: &Policy) -> Vec<Advice> {
    let facts = Facts::of(policy);
    let rules = RULES.iter().filter(|rule| rule.level == Level::Warning);
    rules.filter_map(|rule| by_rule(rule, &facts)).collect()
}

fn uncapitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or(String::new(), |first| first.to_lowercase().chain(characters).collect())
}

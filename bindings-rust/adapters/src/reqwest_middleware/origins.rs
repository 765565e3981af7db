//! A budget for each origin.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use backoff_retry::{Budget, ParseError};
use reqwest::Url;

/// The number of origins whose budgets are kept.
const MOST: usize = 1000;

const DEFAULT: &str = "finagle";

/// Budgets by origin, made from one budget string when they are first needed.
pub(super) struct OriginBudgets {
    text: String,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    budgets: HashMap<String, (Arc<Budget>, u64)>,
    /// The number of requests so far, which says what was used last.
    requests: u64,
}

impl OriginBudgets {
    pub(super) fn parse(text: String) -> Result<Self, ParseError> {
        Budget::parse(&text)?;
        Ok(Self { text, kept: Mutex::default() })
    }

    /// The budget of the origin of a URL.
    pub(super) fn of(&self, url: &Url) -> Arc<Budget> {
        let origin = url.origin().ascii_serialization();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.requests += 1;
        let now = kept.requests;
        if !kept.budgets.contains_key(&origin) && kept.budgets.len() >= MOST {
            let oldest = kept.budgets.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(oldest) = oldest.map(|(origin, _)| origin.clone()) {
                kept.budgets.remove(&oldest);
            }
        }
        let new = || (Arc::new(Budget::parse(&self.text).expect("it was parsed before")), now);
        let (budget, used) = kept.budgets.entry(origin).or_insert_with(new);
        *used = now;
        Arc::clone(budget)
    }
}

impl Default for OriginBudgets {
    fn default() -> Self {
        Self { text: DEFAULT.to_owned(), kept: Mutex::default() }
    }
}

impl fmt::Debug for OriginBudgets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{MOST, OriginBudgets};

    #[test]
    fn an_origin_keeps_its_budget_unless_a_thousand_others_were_used_later() {
        let budgets = OriginBudgets::default();
        let of = |url: &str| budgets.of(&url.parse().unwrap());
        let (first, second) = (of("http://a/"), of("http://b/"));
        assert_eq!(first.to_string(), "ttl");
        assert!(!Arc::ptr_eq(&first, &second));
        for port in 1..MOST {
            assert!(Arc::ptr_eq(&first, &of("http://a:80/other?path")), "{port}");
            of(&format!("http://c:{port}/"));
        }
        assert!(Arc::ptr_eq(&first, &of("http://a/")));
        assert!(!Arc::ptr_eq(&second, &of("http://b/")), "it was used last a thousand origins ago");
        assert!(!Arc::ptr_eq(&first, &of("https://a/")));
    }

    #[test]
    fn an_invalid_budget_string_is_an_error_at_once() {
        let error = OriginBudgets::parse("ratio:ratio=2".to_owned()).unwrap_err();
        assert!(error.to_string().contains("ratio"), "{error}");
    }
}

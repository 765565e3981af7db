//! What a careful reviewer would say about a policy, and what to change.

use backoff_core::{Budget, Policy};
use serde::Serialize;

use crate::arguments::SeedAndKey;
use crate::commands::explain::budget;
use crate::commands::explain::facts::Facts;
use crate::commands::explain::rules::{Level, RULES, Rule};

/// A piece of advice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Advice {
    /// A name for programs, which does not change.
    pub(crate) code: &'static str,
    pub(crate) level: Level,
    pub(crate) message: String,
    pub(crate) change: Change,
}

/// What to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Change {
    /// Use this policy.
    Policy(String),
    /// Use this budget.
    Budget(String),
    /// Add this option.
    Option(String),
}

/// All advice, the most important first.
pub(crate) fn advice(facts: &Facts, budget: Option<&Budget>, stream: &SeedAndKey) -> Vec<Advice> {
    let of_policy = RULES.iter().filter_map(|rule| by_rule(rule, facts));
    let mut all: Vec<_> = of_policy.collect();
    all.extend(without_budget(facts, budget));
    all.extend(budget.and_then(never_earns));
    all.extend(seed_without_key(stream));
    all.sort_by_key(|advice| advice.level != Level::Warning);
    all
}

fn by_rule(rule: &Rule, facts: &Facts) -> Option<Advice> {
    let message = (rule.message)(facts)?;
    let changed = (rule.changes)(facts).into_iter().filter_map(|fields| fields.policy());
    // A change that leaves the problem in place is no change.
    let helps = |policy: &Policy| (rule.message)(&Facts::of(policy)).is_none();
    let policy = changed.into_iter().find(helps)?;
    let change = Change::Policy(policy.to_string());
    Some(Advice { code: rule.code, level: rule.level, message, change })
}

/// How many layers of services retry in the example.
const LAYERS: u32 = 3;

/// The budget that is proposed: retries add at most a tenth to the load.
pub(crate) const BUDGET: &str = "sre";

fn without_budget(facts: &Facts, budget: Option<&Budget>) -> Option<Advice> {
    if budget.is_some() || facts.never_retries() {
        return None;
    }
    let message = match facts.retries {
        Some(retries) => {
            let attempts = retries + 1;
            format!(
                "Without a budget, a server that fails gets {attempts} times its load, and \
                 {LAYERS} layers that retry like this multiply it by {}.",
                attempts.saturating_pow(LAYERS)
            )
        }
        None => "Without a budget, a server that fails gets many times its load, and layers that \
                 retry like this multiply it."
            .to_owned(),
    };
    let change = Change::Budget(BUDGET.to_owned());
    Some(Advice { code: "no_budget", level: Level::Warning, message, change })
}

fn never_earns(budget: &Budget) -> Option<Advice> {
    let message = budget::never_earns(budget)?;
    // The defaults of its kind.
    let change = Change::Budget(budget::kind(budget).to_owned());
    Some(Advice { code: "budget_never_earns", level: Level::Warning, message, change })
}

fn seed_without_key(stream: &SeedAndKey) -> Option<Advice> {
    let seed = stream.seed.filter(|_| stream.key.is_none())?;
    let message = format!(
        "All clients with the seed {seed} and no key wait for the same times and retry together."
    );
    let change = Change::Option("--key NAME".to_owned());
    Some(Advice { code: "seed_without_key", level: Level::Warning, message, change })
}

#[cfg(test)]
mod tests {
    use backoff_core::{Budget, Policy};

    use super::{Advice, BUDGET, Change, advice};
    use crate::arguments::SeedAndKey;
    use crate::commands::explain::facts::Facts;
    use crate::presets::presets;

    const NO_STREAM: SeedAndKey = SeedAndKey { seed: None, key: None };

    fn of(policy: &str) -> Vec<Advice> {
        let budget = Budget::parse(BUDGET).unwrap();
        advice(&Facts::of(&Policy::parse(policy).unwrap()), Some(&budget), &NO_STREAM)
    }

    fn codes(policy: &str) -> Vec<&'static str> {
        of(policy).iter().map(|advice| advice.code).collect()
    }

    #[test]
    fn each_policy_gets_its_advice() {
        let table: &[(&str, &[&str])] = &[
            ("full:base=100ms,max_retries=5", &[]),
            ("full:base=100ms,cap=1s,max_retries=5", &[]),
            ("full:base=1s,max_retries=0", &[]),
            ("full:base=100ms,cap=20s,max_retries=3", &["cap_not_reached"]),
            ("full:base=100ms", &["no_limit", "no_cap"]),
            ("full:base=100ms,max_elapsed=30s", &[]),
            ("full:base=100ms,cap=20s", &["no_limit", "cap_reached"]),
            ("full:base=100ms,cap=1s,max_retries=6", &["cap_reached"]),
            ("exponential:base=100ms,max_retries=5", &["no_jitter"]),
            ("constant:base=1s,max_retries=5", &["no_jitter"]),
            ("constant:base=1s,jitter=0,max_retries=5", &["no_jitter"]),
            ("constant:base=1s,jitter=full,max_retries=5", &[]),
            // Its windows have fewer than two slots.
            ("constant:base=1s,jitter=slotted,jitter_slot=600ms,max_retries=2", &["no_wait"]),
            ("constant:base=0s,max_retries=5", &["no_wait"]),
            ("constant:base=0s", &["no_limit", "no_wait"]),
            ("exponential:base=1s,cap=1s,floor=1s,jitter=full,max_retries=2", &["no_jitter"]),
            (
                "exponential:base=1s,cap=4s,cap_on=delay,jitter=additive,jitter_max=1s,max_retries=4",
                &["jitter_ends_at_cap", "cap_reached"],
            ),
            ("full:base=10s,max_retries=5", &["long_wait"]),
            ("full:base=10s,max_retries=5,max_elapsed=1m", &[]),
            ("equal:base=1s,max_retries=5,max_elapsed=400ms", &["elapsed_too_short"]),
        ];
        for (policy, expected) in table {
            assert_eq!(codes(policy), *expected, "{policy}");
        }
    }

    #[test]
    fn each_change_ends_its_advice() {
        let growths = ["constant", "linear", "exponential", "polynomial", "fibonacci"];
        let growths = growths.iter().map(|growth| (*growth).to_owned());
        let jitters = ["none", "full", "equal", "0.5", "0", "proportional,jitter_above=0.1"]
            .into_iter()
            .chain(["additive,jitter_max=1s", "slotted,jitter_slot=300ms"]);
        let mut policies: Vec<_> = presets()
            .iter()
            .filter(|preset| preset.of == "policy")
            .map(|preset| preset.string.to_owned())
            .collect();
        for growth in growths {
            for jitter in jitters.clone() {
                for base in ["0s", "100ms", "5m"] {
                    for rest in [
                        "",
                        ",max_retries=3",
                        ",max_retries=40",
                        ",max_elapsed=1ms",
                        ",max_elapsed=10m",
                        ",cap=10m,max_retries=9",
                        ",cap=10m,cap_on=delay",
                        ",cap=5m,floor=5m",
                        ",cap=10m,throttled_base=3m,max_retries=1",
                    ] {
                        policies.push(format!("{growth}:base={base},jitter={jitter}{rest}"));
                    }
                }
            }
        }
        for rest in ["", ",cap=1s", ",cap=20s,max_retries=9", ",max_elapsed=1ms"] {
            policies.push(format!("decorrelated:base=1s{rest}"));
        }
        let mut count = 0;
        for policy in policies {
            for Advice { code, change, .. } in of(&policy) {
                let Change::Policy(changed) = change else { panic!("{policy}: {change:?}") };
                assert!(!codes(&changed).contains(&code), "{policy}: {code}: {changed}");
                count += 1;
            }
        }
        assert!(count > 1000, "{count}");
    }

    #[test]
    fn no_advice_is_lost_because_no_change_helps() {
        use crate::commands::explain::rules::RULES;
        for preset in presets().iter().filter(|preset| preset.of == "policy") {
            let facts = Facts::of(&Policy::parse(preset.string).unwrap());
            for rule in RULES.iter().filter(|rule| (rule.message)(&facts).is_some()) {
                assert!(
                    codes(preset.string).contains(&rule.code),
                    "{}: {}",
                    preset.name,
                    rule.code
                );
            }
        }
    }

    #[test]
    fn an_unreached_cap_is_removed_without_changing_a_delay() {
        let facts = Facts::of(&Policy::parse("default").unwrap());
        let found = advice(&facts, Some(&Budget::parse(BUDGET).unwrap()), &NO_STREAM);
        let Change::Policy(changed) = &found[0].change else { panic!("{found:?}") };
        assert_eq!(changed, "exponential:base=100ms,jitter=full,max_retries=3");
        let rows = |policy: &str| Policy::parse(policy).unwrap().preview().collect::<Vec<_>>();
        assert_eq!(rows("default"), rows(changed));
    }

    #[test]
    fn a_budget_that_gives_nothing_back_gets_a_warning() {
        let facts = Facts::of(&Policy::parse("full:base=100ms,max_retries=5").unwrap());
        let found =
            |budget: &str| advice(&facts, Some(&Budget::parse(budget).unwrap()), &NO_STREAM);
        for kind in ["quota", "throttle", "ratio", "rate", "ttl", "concurrent"] {
            assert_eq!(found(kind), [], "{kind}");
        }
        for (budget, kind, words) in [
            ("ratio:ratio=0,max_tokens=7", "ratio", "allows 7 retries, and none ever after"),
            ("throttle:ratio=0", "throttle", "no retry ever again"),
            ("ttl:ratio=0,min_per_second=0", "ttl", "no retry at all"),
            ("concurrent:ratio=0,min_concurrent=0", "concurrent", "no retry at all"),
        ] {
            let found = found(budget);
            assert_eq!(found.len(), 1, "{budget}: {found:?}");
            assert_eq!(found[0].code, "budget_never_earns");
            assert!(found[0].message.contains(words), "{found:?}");
            assert_eq!(found[0].change, Change::Budget(kind.to_owned()));
        }
        assert_eq!(found("ttl:ratio=0"), [], "some retries per second remain");
    }

    #[test]
    fn a_budget_and_a_key_end_their_advice() {
        let facts = Facts::of(&Policy::parse("default").unwrap());
        let budget = Budget::parse(BUDGET).unwrap();
        let has = |budget, seed, key: Option<&str>, code| {
            let stream = SeedAndKey { seed, key: key.map(str::to_owned) };
            let found = advice(&facts, budget, &stream);
            found.into_iter().find(|advice| advice.code == code)
        };
        let found = has(None, None, None, "no_budget").unwrap();
        // 4 attempts, and 4^3.
        assert!(found.message.contains("4 times its load"), "{found:?}");
        assert!(found.message.contains("multiply it by 64"), "{found:?}");
        assert_eq!(found.change, Change::Budget(BUDGET.to_owned()));
        assert_eq!(has(Some(&budget), None, None, "no_budget"), None);
        assert!(has(None, Some(42), None, "seed_without_key").is_some());
        assert_eq!(has(None, Some(42), Some("job-1"), "seed_without_key"), None);
        assert_eq!(has(None, None, None, "seed_without_key"), None);
    }
}

//! What a careful reviewer would say about a policy, and what to change.

use backoff_core::{Budget, Policy};
use serde::Serialize;

use crate::arguments::SeedAndKey;
use crate::commands::explain::budget;
use crate::commands::explain::facts::Facts;
use crate::commands::explain::rules::{Level, RULES, Rule};
use crate::presets::{Preset, preset_of};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Advice {
    /// A name for programs, which does not change.
    pub(crate) code: &'static str,
    pub(crate) level: Level,
    pub(crate) message: String,
    pub(crate) change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Change {
    Policy(String),
    Budget(String),
    Option(String),
}

/// What a policy is used with, and the name that it was given by.
pub(crate) struct Use<'a> {
    pub(crate) preset: Option<&'static Preset>,
    pub(crate) budget: Option<&'a Budget>,
    pub(crate) stream: &'a SeedAndKey,
}

/// All advice, the most important first.
pub(crate) fn advice(facts: &Facts, used: &Use<'_>) -> Vec<Advice> {
    let Use { preset, budget, stream } = *used;
    let of_policy = RULES.iter().filter_map(|rule| by_rule(rule, facts));
    let mut all: Vec<_> = of_policy.collect();
    all.extend(without_budget(facts, preset).filter(|_| budget.is_none()));
    all.extend(budget.and_then(never_earns));
    all.extend(seed_without_key(stream));
    all.sort_by_key(|advice| advice.level != Level::Warning);
    all
}

impl Advice {
    /// What is wrong, without the reason.
    pub(crate) fn title(&self) -> &str {
        self.message.split(':').next().unwrap_or_default()
    }

    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

pub(crate) fn by_rule(rule: &Rule, facts: &Facts) -> Option<Advice> {
    let message = (rule.message)(facts)?;
    let changed = (rule.changes)(facts).into_iter().filter_map(|fields| fields.policy());
    // A change that leaves the problem in place is no change.
    let helps = |policy: &Policy| (rule.message)(&Facts::of(policy)).is_none();
    let all: Vec<_> = changed.filter(helps).collect();
    let is_harmless = |policy: &&Policy| {
        let changed = Facts::of(policy);
        let is_new =
            |rule: &Rule| (rule.message)(&changed).is_some() && (rule.message)(facts).is_none();
        !RULES.iter().any(is_new)
    };
    // A warning is right even if its change leads to other advice. A note is not.
    let any = all.first().filter(|_| rule.level == Level::Warning);
    let policy = all.iter().find(is_harmless).or(any)?;
    let change = Change::Policy(policy.to_string());
    Some(Advice { code: rule.code, level: rule.level, message, change })
}

const LAYERS: u32 = 3;

/// The budget that is proposed: retries add at most a tenth to the load.
const BUDGET: &str = "sre";

/// The retries of `default`: what multiplies the load no more than that may be intended.
const FEW_RETRIES: u64 = 3;

/// Nobody who wants an answer waits so long for a retry: these are jobs of a queue, and a job that a
/// budget refuses is lost.
const JOB_NS: u64 = 600_000_000_000;

fn without_budget(facts: &Facts, preset: Option<&Preset>) -> Option<Advice> {
    if facts.never_retries() || facts.longest() > JOB_NS {
        return None;
    }
    let message = match facts.retries {
        Some(retries) => {
            let attempts = u128::from(retries) + 1;
            format!(
                "Without a budget, a server that fails gets {attempts} times its load, and \
                 {LAYERS} layers that retry like this multiply it by {}.",
                attempts.pow(LAYERS)
            )
        }
        None => "Without a budget, a server that fails gets many times its load, and layers that \
                 retry like this multiply it."
            .to_owned(),
    };
    let is_few = facts.retries.is_some_and(|retries| retries <= FEW_RETRIES);
    let level = if is_few { Level::Note } else { Level::Warning };
    // Some systems have both a policy and a budget.
    let own = preset.and_then(|preset| preset_of("budget", preset.name));
    let change = Change::Budget(own.map_or(BUDGET, |own| own.name).to_owned());
    Some(Advice { code: "no_budget", level, message, change })
}

fn never_earns(budget: &Budget) -> Option<Advice> {
    let message = budget::never_earns(budget)?;
    // The defaults of its kind.
    let change = Change::Budget(budget.kind().to_owned());
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

    use super::{Advice, BUDGET, Change, Use};
    use crate::arguments::SeedAndKey;
    use crate::commands::explain::facts::Facts;
    use crate::commands::explain::rules::Level::{Note, Warning};
    use crate::presets::presets;

    const NO_STREAM: SeedAndKey = SeedAndKey { seed: None, key: None };

    fn advice(facts: &Facts, budget: Option<&Budget>, stream: &SeedAndKey) -> Vec<Advice> {
        super::advice(facts, &Use { preset: None, budget, stream })
    }

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
            ("default", &[]),
            ("full:base=100ms", &["no_limit", "no_cap"]),
            ("full:base=100ms,max_elapsed=30s", &[]),
            ("full:base=100ms,cap=20s", &["no_limit"]),
            ("full:base=1ns,max_retries=3", &["no_wait"]),
            ("full:base=1s,cap=10s,max_elapsed=1s,max_retries=5", &["elapsed_cuts_retries"]),
            ("full:base=1s,cap=10s,max_elapsed=30s,max_retries=5", &[]),
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
                &["jitter_ends_at_cap"],
            ),
            ("full:base=10s,max_retries=5", &["long_wait"]),
            ("steps:waits=5s/5m,jitter=10%", &["no_limit"]),
            ("steps:waits=5s,jitter=additive,jitter_max=1s", &["no_limit"]),
            (
                "steps:waits=5s,jitter=additive,jitter_max=1s,jitter_increment=1s",
                &["no_limit", "no_cap"],
            ),
            ("steps:waits=0s/0s,max_retries=3", &["no_wait"]),
            ("steps:waits=1s/2s,floor=3s,max_retries=3", &["no_jitter"]),
            ("default:attempt_timeout=30s,reset_after=1m", &["never_anew"]),
            ("default:attempt_timeout=1m,reset_after=1m", &[]),
            ("off:attempt_timeout=30s,reset_after=1m", &[]),
            ("full:base=10s,max_retries=5,max_elapsed=1m", &["elapsed_cuts_retries"]),
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
    fn a_budget_is_proposed_where_it_helps() {
        let proposed = |text: &str| {
            let facts = Facts::of(&Policy::parse(text).unwrap());
            let preset = crate::presets::preset_of("policy", text);
            let used = Use { preset, budget: None, stream: &NO_STREAM };
            let found = super::advice(&facts, &used);
            let found = found.into_iter().find(|advice| advice.code == "no_budget")?;
            let Change::Budget(budget) = found.change else { panic!("{text}") };
            Some((found.level, budget))
        };
        assert_eq!(proposed("default"), Some((Note, "sre".to_owned())));
        assert_eq!(proposed("full:base=1s,max_retries=4"), Some((Warning, "sre".to_owned())));
        // A worse policy keeps the warning.
        for worse in ["full:base=1s,cap=20s,max_retries=100", "full:base=1s,cap=20s"] {
            assert_eq!(proposed(worse), Some((Warning, "sre".to_owned())), "{worse}");
        }
        assert_eq!(proposed("aws-sdk-2026"), Some((Note, "aws-sdk-2026".to_owned())));
        let changed = "aws-sdk-2026:max_retries=9";
        assert_eq!(proposed(changed), Some((Warning, "aws-sdk-2026".to_owned())));
        assert_eq!(proposed("sidekiq"), None, "jobs of a queue");
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

//! The features of the packaged crates: each alone in a user's program, and the tables that document
//! them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::languages::rust::packaged::{CRATES, features, on, packaged, user_of};
use crate::report::{Report, Runner};

pub(super) fn test(report: &mut Report) {
    for (name, _) in CRATES {
        report.check(&format!("the page of {name} lists its features"), || {
            let folder = packaged(name)?;
            let (documented, declared) = (documented(&folder)?, features(&folder)?);
            ensure!(documented == declared, "documented {documented:?}, declared {declared:?}");
            Ok(())
        });
    }
}

/// Each feature alone, in a user's program.
pub(super) fn test_more(report: &mut Report) {
    for (name, program) in PROGRAMS {
        let features = match packaged(name).and_then(|folder| features(&folder)) {
            Ok(features) => features,
            Err(error) => return report.check(name, || Err(error)),
        };
        for feature in [""].into_iter().chain(features.keys().map(String::as_str)) {
            report.suite_of(&format!("{name} with `{feature}` alone"), Runner::Summary, || {
                let user = user_with(name, |other| other == feature, program)?;
                Ok(on(&user, &["test", "--lib", "--features", feature]))
            });
        }
    }
}

/// The rows of the table of features in a README.
fn documented(folder: &Path) -> Result<BTreeMap<String, bool>> {
    let page = fs::read_to_string(folder.join("README.md"))?;
    let section = page.lines().skip_while(|line| *line != "## Features").skip(1);
    let rows = section.take_while(|line| !line.starts_with("## ")).filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((name.to_owned(), rest.starts_with("yes |")))
    });
    Ok(rows.collect())
}

/// Tests of the core and of the loops, which any Rust that they support runs.
pub(super) const PROGRAMS: [(&str, &str); 2] = [("backoff-core", CORE), ("backoff-retry", LOOPS)];

/// A user's crate with some features of a packaged crate, as features of its own, which its tests
/// read.
pub(super) fn user_with(
    name: &str,
    is_on: impl Fn(&str) -> bool,
    program: &str,
) -> Result<PathBuf> {
    let path = packaged(name)?;
    let all = features(&path)?;
    let forward = |name_of: &String| {
        let on = if is_on(name_of) { format!("\"{name}/{name_of}\"") } else { String::new() };
        format!("{name_of} = [{on}]\n")
    };
    let dependencies = format!(
        "{name} = {{ path = \"{}\", default-features = false }}\n\
         rand_xoshiro = \"0.8\"\nserde = \"1\"\n\
         [features]\n{}",
        path.display(),
        all.keys().map(forward).collect::<String>()
    );
    let program = program.to_owned() + &BOTH.replace("CRATE", &name.replace('-', "_"));
    user_of(&format!("{name}-alone"), &dependencies, "src/lib.rs", &program)
}

/// The core with one feature. The delay is that of its page.
const CORE: &str = r#"
#![cfg(test)]

use backoff_core::{Budget, Decision, Operation, Outcome, Policy, RandomStream};

#[test]
fn delays_and_decisions() {
    let policy: Policy = "full:base=100ms,cap=20s,max_retries=5".parse().unwrap();
    let stream = RandomStream::from_key(42, "job-1");
    assert_eq!(policy.delay_ns(stream, 3), 83_486_434);
    let budget: Budget = "ratio:ratio=0.1,max_tokens=1".parse().unwrap();
    let mut operation = Operation::begin(policy, stream, 0, None, Some(&budget));
    let first = operation.decide(Outcome::Transient, None, 0, Some(&budget));
    assert_eq!(first, Decision::Wait { delay_ns: 11_399_434 });
    assert!(matches!(
        operation.decide(Outcome::Transient, None, 0, Some(&budget)),
        Decision::Stop { .. }
    ));
}

#[test]
#[cfg(feature = "getrandom")]
fn getrandom() {
    assert_ne!(RandomStream::from_entropy().ok(), RandomStream::from_entropy().ok());
}
"#;

/// The loops with one feature. The delay is that of their page.
const LOOPS: &str = r#"
#![cfg(test)]

use backoff_retry::{Policy, RandomStream, Retry};
use std::{cell::Cell, time::Duration};

#[test]
fn a_loop_waits() {
    let policy: Policy = "full:base=100ms,cap=20s,max_retries=1".parse().unwrap();
    let waited = Cell::new(Duration::ZERO);
    let retry = Retry::with_stream(policy, RandomStream::from_key(42, "job-1"))
        .sleep(|delay| waited.set(waited.get() + delay));
    assert_eq!(retry.when(|()| true).call(|| Err::<(), _>(())), Err(()));
    assert_eq!(waited.get(), Duration::from_nanos(11_399_434));
}

#[test]
#[cfg(feature = "getrandom")]
fn getrandom() {
    let policy = Policy::parse("constant:base=1ns").unwrap();
    assert_eq!(Retry::new(policy).when(|()| true).call(|| Ok(1)), Ok(1));
}

#[test]
#[cfg(feature = "shared-budget")]
fn shared_budget() {
    use backoff_retry::{BudgetStore, SharedBudget, StopReason, StoreError, Stored};
    struct Away;
    impl BudgetStore for Away {
        fn load(&mut self, _: &str) -> Result<Stored, StoreError> {
            Err("away".into())
        }
        fn compare_and_swap(&mut self, _: &str, _: Option<&str>, _: &str) -> Result<bool, StoreError> {
            Err("away".into())
        }
    }
    let budget = SharedBudget::builder(Away, "test", "quota:max_tokens=2,cost=1").build().unwrap();
    let policy = Policy::parse("constant:base=0s").unwrap();
    let retry = Retry::with_stream(policy, RandomStream::from_seed(1)).shared_budget(budget);
    let report = retry.when(|()| true).call_with_report(|| Err::<(), _>(()));
    assert_eq!((report.reason, report.attempts), (StopReason::Budget, 3));
}

#[test]
#[cfg(feature = "tokio")]
fn tokio() {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), RandomStream::from_seed(1));
    let when = retry.when(|()| true);
    let mut future = std::pin::pin!(when.call_async(async || Ok(1)));
    let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
    assert_eq!(future.as_mut().poll(context), std::task::Poll::Ready(Ok(1)));
}
"#;

/// Those of both, after the others.
const BOTH: &str = r#"
#[test]
#[cfg(feature = "rand")]
fn rand() {
    use CRATE::{Backoff, RngBackoff};
    use rand_xoshiro::{SplitMix64, rand_core::SeedableRng};
    let policy = Policy::parse("full:base=100ms,max_retries=5").unwrap();
    let theirs = RngBackoff::new(policy, SplitMix64::seed_from_u64(42));
    assert!(theirs.eq(Backoff::new(policy, RandomStream::from_seed(42))));
}

#[test]
#[cfg(feature = "serde")]
fn serde() {
    use serde::{Deserialize, de::IntoDeserializer, de::value::Error};
    let text = "full:base=100ms";
    let policy = Policy::deserialize(IntoDeserializer::<Error>::into_deserializer(text));
    assert_eq!(policy, Ok(Policy::parse(text).unwrap()));
}
"#;

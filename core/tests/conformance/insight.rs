//! Previews, fits and stats.

use backoff_core::{Policy, PreviewRow, RetryStats};
use serde::Deserialize;

use crate::delays::Expected;
use crate::script::reason;
use crate::vectors::{cases, number};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Previewed {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    policy: String,
    first: usize,
    count: usize,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    min: String,
    mean: String,
    max: String,
    total_min: String,
    total_mean: String,
    total_max: String,
}

#[test]
fn previews() {
    for case in cases::<Previewed>("previews") {
        let preview = Policy::parse(&case.policy).unwrap().preview();
        let rows = preview.skip(case.first).take(case.count).map(|row| {
            let PreviewRow { min_ns, mean_ns, max_ns, .. } = row;
            let totals = [row.total_min_ns, row.total_mean_ns, row.total_max_ns];
            ([min_ns, mean_ns, max_ns], totals)
        });
        let rows: Vec<_> = rows.collect();
        let want = case.rows.iter().map(|row| {
            let delays = [&row.min, &row.mean, &row.max].map(|text| number(text));
            (delays, [&row.total_min, &row.total_mean, &row.total_max].map(|text| number(text)))
        });
        assert_eq!(rows, want.collect::<Vec<_>>(), "{}", case.id);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fit {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    policy: String,
    field: String,
    attempts: u64,
    total: String,
    canonical: Option<String>,
    error: Option<Expected>,
}

#[test]
fn fits() {
    for case in cases::<Fit>("fits") {
        let policy = Policy::parse(&case.policy).unwrap();
        let (attempts, total) = (case.attempts, number(&case.total));
        let fitted = match case.field.as_str() {
            "base" => policy.fit_base(attempts, total),
            field => {
                assert_eq!(field, "cap");
                policy.fit_cap(attempts, total)
            }
        };
        match (fitted, case.canonical, case.error) {
            (Ok(fitted), Some(canonical), None) => {
                assert_eq!(fitted.to_string(), canonical, "{}", case.id);
            }
            (Err(error), None, Some(want)) => {
                want.assert_is(&error, &case.id);
            }
            (fitted, ..) => panic!("{}: {fitted:?}", case.id),
        }
    }
}

/// Attempts, a reason, and how many operations ended so.
type Records = Vec<(u64, String, u64)>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Counted {
    id: String,
    #[serde(rename = "why")]
    _why: String,
    records: Records,
    more: Records,
    text: String,
}

#[test]
fn stats() {
    for case in cases::<Counted>("stats") {
        let recorded = |records: &Records| {
            let stats = RetryStats::new();
            for (attempts, stopped, times) in records {
                for _ in 0..*times {
                    stats.record(*attempts, reason(stopped));
                }
            }
            stats
        };
        let stats = recorded(&case.records);
        stats.merge(&recorded(&case.more));
        let text: String = stats.prometheus().map(|line| line.as_str().to_owned() + "\n").collect();
        assert_eq!(text, case.text, "{}", case.id);
    }
}

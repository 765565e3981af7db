//! Measures an entry with criterion.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use criterion::Criterion;

use crate::Entry;

/// The median time of one operation. Criterion prints a report, so it runs in a process of its own.
pub fn ns(entry: &Entry) -> f64 {
    let folder = env::temp_dir().join(format!("bench-rust-{}", std::process::id()));
    let this = env::current_exe().expect("this program");
    let criterion = Command::new(this)
        .args(["criterion", entry.work, &entry.by])
        .env("CRITERION_HOME", &folder)
        .output()
        .expect("criterion");
    assert!(criterion.status.success(), "{}", String::from_utf8_lossy(&criterion.stderr));
    let estimates = fs::read(folder.join("entry/new/estimates.json")).expect("estimates");
    let estimates: serde_json::Value = serde_json::from_slice(&estimates).expect("JSON");
    fs::remove_dir_all(folder).expect("the folder of criterion");
    estimates["median"]["point_estimate"].as_f64().expect("a median")
}

/// Measures in this process; the results are files in `CRITERION_HOME`.
pub fn criterion(entry: &Entry) {
    let folder = PathBuf::from(env::var_os("CRITERION_HOME").expect("a folder"));
    let time = env::var("BENCH_TIME_MS").map_or(100, |time| time.parse().expect("a number"));
    Criterion::default()
        .output_directory(&folder)
        .without_plots()
        .sample_size(20)
        .nresamples(2000)
        .warm_up_time(Duration::from_millis(20))
        .measurement_time(Duration::from_millis(time))
        .bench_function("entry", |bencher| {
            bencher.iter_custom(|times| {
                let began = Instant::now();
                (entry.run)(times);
                began.elapsed()
            });
        });
}

// The README's programs need these features.
#![cfg_attr(
    all(
        feature = "apalis",
        feature = "metrics",
        feature = "postgres",
        feature = "redis",
        feature = "reqwest-middleware",
        feature = "tower",
        feature = "tracing"
    ),
    doc = include_str!("../README.md")
)]
#![cfg_attr(
    not(all(
        feature = "apalis",
        feature = "metrics",
        feature = "postgres",
        feature = "redis",
        feature = "reqwest-middleware",
        feature = "tower",
        feature = "tracing"
    )),
    doc = "Retries with the policies and budgets of backoff-retry in other libraries."
)]
// docs.rs sets `docsrs`: its pages name the feature that an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

/// The programs of the pages that belong to no module, which are tests.
#[cfg(all(doctest, feature = "postgres", feature = "redis"))]
mod pages {
    #![doc = include_str!("../docs/iterators.md")]
    #![doc = include_str!("../docs/stores.md")]
}

/// Retries of jobs of apalis.
///
#[doc = include_str!("../docs/apalis.md")]
#[cfg(feature = "apalis")]
pub mod apalis;
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
pub mod http;
/// Metrics of loops and requests, for the crate [`metrics`](https://docs.rs/metrics).
///
#[doc = include_str!("../docs/metrics.md")]
#[cfg(feature = "metrics")]
pub mod metrics;
#[cfg(any(feature = "metrics", feature = "tracing"))]
#[cfg_attr(not(feature = "tracing"), allow(dead_code, reason = "metrics have fewer members"))]
mod observed;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "redis")]
pub mod redis;
/// Retries of requests of reqwest-middleware.
///
#[doc = include_str!("../docs/reqwest_middleware.md")]
#[cfg(feature = "reqwest-middleware")]
pub mod reqwest_middleware;
#[cfg(any(feature = "metrics", feature = "tracing"))]
pub use observed::Observed;
/// Retries of services of tower.
///
#[doc = include_str!("../docs/tower.md")]
#[cfg(feature = "tower")]
pub mod tower;
/// Events of loops and requests, for [`tracing`](https://docs.rs/tracing) and, through it, OpenTelemetry.
///
#[doc = include_str!("../docs/tracing.md")]
#[cfg(feature = "tracing")]
pub mod tracing;

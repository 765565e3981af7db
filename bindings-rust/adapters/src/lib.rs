// The README's programs need these features.
#![cfg_attr(
    all(feature = "apalis", feature = "postgres", feature = "redis", feature = "reqwest-middleware", feature = "tower"),
    doc = include_str!("../README.md")
)]
#![cfg_attr(
    not(all(
        feature = "apalis",
        feature = "postgres",
        feature = "redis",
        feature = "reqwest-middleware",
        feature = "tower"
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
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "redis")]
pub mod redis;
/// Retries of requests of reqwest-middleware.
///
#[doc = include_str!("../docs/reqwest_middleware.md")]
#[cfg(feature = "reqwest-middleware")]
pub mod reqwest_middleware;
/// Retries of services of tower.
///
#[doc = include_str!("../docs/tower.md")]
#[cfg(feature = "tower")]
pub mod tower;

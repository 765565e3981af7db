#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::float_arithmetic,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable,
    clippy::unwrap_used
)]

mod convert;
mod envoy;
mod error;
mod format;
mod grpc;
mod istio;
mod json;
mod k8s_job;
mod nginx;
mod policy;
mod source;
mod step_functions;
mod temporal;
mod text;

pub use convert::{export, import};
pub use error::{ExportError, ImportError, Refusal};
pub use format::{Format, UnknownFormat};

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

mod envoy;
mod error;
mod exact;
mod export;
mod fields;
mod format;
mod found;
mod grpc;
mod import;
mod istio;
mod json;
mod k8s_job;
mod limits;
mod nearest;
mod nginx;
mod policy;
mod source;
mod step_functions;
mod temporal;
mod text;
mod yaml;

pub use error::{ExportError, ImportError, Refusal};
pub use export::{ExportOptions, Exported, export, export_with};
pub use format::{Format, UnknownFormat};
pub use found::ImportOptions;
pub use import::{Imported, import, import_with};
pub use nearest::Difference;

//! The subcommands that print what the core computes, as a user runs them.
//!
//! Expected numbers come from `tests/vectors`, which the reference writes, and from the documents.

mod advise;
mod arguments;
mod delays;
mod documents;
mod explain;
mod export;
mod files;
mod fit;
mod pages;
mod presets;
mod preview;
mod recovery;
mod simulate;
mod standard_output;
mod support;
mod width;

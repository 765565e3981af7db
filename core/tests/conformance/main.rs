//! The vectors of `tests/vectors`, which the reference writes (see `tests/README.md`).

mod decisions;
mod delays;
mod insight;
mod script;
mod strings;
mod vectors;

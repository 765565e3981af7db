//! The vectors of `tests/vectors`, which the reference wrote (see `tests/README.md`).

mod decisions;
mod delays;
mod lines;
mod vectors;

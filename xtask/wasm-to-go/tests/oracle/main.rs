//! The translation computes what WebAssembly does: modules run in Node and, translated, in Go, and
//! must return the same numbers, trap in the same calls and leave the same memory.

mod compare;
mod control;
mod operators;
mod random;

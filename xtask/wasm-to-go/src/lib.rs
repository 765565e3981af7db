//! Translates a WebAssembly module to one Go file that needs only Go's standard library.
//!
//! The module has no imports, one memory, and no floats or indirect calls in the functions that are
//! translated. Everything else is an error that names the function.
//!
//! An `i32` is a `uint32` in Go, an `i64` a `uint64`. A function that touches neither the memory nor
//! a mutable global, and calls only such functions, becomes a plain Go function. The others become
//! methods of the type `module`, an instance. A trap is a Go panic.

mod data;
mod expression;
mod file;
mod helpers;
mod live;
mod lower;
mod module;
mod names;
mod operators;
mod purity;
mod shape;
mod statements;
mod tree;

pub use file::translate;

/// What the Go file is to be.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// The name of the Go package.
    pub package: &'a str,
    /// The expression of a `//go:build` line, or nothing.
    pub build: Option<&'a str>,
    /// The command that writes the file: it is in the file's first line.
    pub generator: &'a str,
    /// What the names of exports begin with in WebAssembly but not in Go, as `backoff_`.
    pub export_prefix: &'a str,
    /// The exported functions that are translated, with all that they call. All if empty.
    pub roots: &'a [&'a str],
    /// The size of the memory in bytes. As large as the module wants it if nothing.
    pub memory: Option<u32>,
    /// Functions whose bodies are written in Go.
    pub intrinsics: &'a [Intrinsic<'a>],
}

/// A function whose body is written in Go, for what Go does better than the translation.
#[derive(Clone, Debug)]
pub struct Intrinsic<'a> {
    /// The path of the function in Rust, as `backoff_core::number::mulhi`.
    pub function: &'a str,
    /// Its type, as `(func (param i64 i64) (result i64))`. Another type is an error, because a
    /// compiler may remove a parameter.
    pub signature: &'a str,
    /// The body, as `hi, _ := bits.Mul64(p0, p1)` and `return hi`. It may use `math/bits`, and must
    /// not touch the instance.
    pub body: &'a [&'a str],
}

//! How much the parts do.

/// How much a part does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Minutes, for a change.
    Quick,
    /// Hours, for a night or a release.
    Full,
}

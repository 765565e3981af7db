//! What many loops share: borrowed, or counted.

use std::ops::Deref;
use std::sync::Arc;

/// A [`Budget`](crate::Budget) or a [`History`](crate::History) that loops share: `&budget` where
/// a borrow lives long enough, and an `Arc` where it does not, as in a spawned task.
#[derive(Debug)]
pub enum Shared<'a, T> {
    /// Borrowed.
    Borrowed(&'a T),
    /// Counted.
    Counted(Arc<T>),
}

impl<T> Deref for Shared<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(shared) => shared,
            Self::Counted(shared) => shared,
        }
    }
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Self::Borrowed(shared) => Self::Borrowed(shared),
            Self::Counted(shared) => Self::Counted(Arc::clone(shared)),
        }
    }
}

impl<'a, T> From<&'a T> for Shared<'a, T> {
    fn from(shared: &'a T) -> Self {
        Self::Borrowed(shared)
    }
}

impl<T> From<Arc<T>> for Shared<'_, T> {
    fn from(shared: Arc<T>) -> Self {
        Self::Counted(shared)
    }
}

impl<T> From<&Arc<T>> for Shared<'_, T> {
    fn from(shared: &Arc<T>) -> Self {
        Self::Counted(Arc::clone(shared))
    }
}

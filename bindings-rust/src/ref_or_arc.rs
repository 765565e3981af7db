//! Values that many loops share, by a borrow or by an `Arc`.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A [`Budget`](crate::Budget) or [`RetryStats`](crate::RetryStats) that many loops share.
///
/// Pass `&budget` where the borrow lives long enough, and an `Arc` where it does not, as in a
/// spawned task.
///
/// ```
/// use backoff_retry::{Budget, RefOrArc};
/// use std::sync::Arc;
/// let budget = Arc::new(Budget::parse("sre")?);
/// let borrowed: RefOrArc<Budget> = (&*budget).into();
/// let counted: RefOrArc<'static, Budget> = (&budget).into();
/// assert_eq!(borrowed.to_string(), counted.to_string());
/// # Ok::<(), backoff_retry::ParseError>(())
/// ```
#[non_exhaustive]
pub enum RefOrArc<'a, T> {
    /// A borrow.
    Borrowed(&'a T),
    /// A reference count.
    Arc(Arc<T>),
}

impl<T> Deref for RefOrArc<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(shared) => shared,
            Self::Arc(shared) => shared,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for RefOrArc<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T> Clone for RefOrArc<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Self::Borrowed(shared) => Self::Borrowed(shared),
            Self::Arc(shared) => Self::Arc(Arc::clone(shared)),
        }
    }
}

impl<'a, T> From<&'a T> for RefOrArc<'a, T> {
    fn from(shared: &'a T) -> Self {
        Self::Borrowed(shared)
    }
}

impl<T> From<Arc<T>> for RefOrArc<'_, T> {
    fn from(shared: Arc<T>) -> Self {
        Self::Arc(shared)
    }
}

impl<T> From<&Arc<T>> for RefOrArc<'_, T> {
    fn from(shared: &Arc<T>) -> Self {
        Self::Arc(Arc::clone(shared))
    }
}

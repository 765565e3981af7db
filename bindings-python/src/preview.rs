use std::iter::Take;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::arguments::{Max, Mean, Min, TotalMax, TotalMean, TotalMin};
use crate::duration::seconds;

macro_rules! preview_row {
    ($($(#[$in_ns:meta])* $ns:ident($argument:ident); $(#[$in_seconds:meta])* $name:ident;)*) => {
        /// The range of one retry's delay (SPEC 16): its minimum, mean and maximum, and the totals of
        /// each up to and including this retry.
        ///
        /// A value: frozen, hashable, comparable, picklable.
        #[pyclass(frozen, eq, hash, get_all, module = "backoff_rs")]
        #[derive(PartialEq, Eq, Hash)]
        pub(crate) struct PreviewRow {
            $($(#[$in_ns])* $ns: u64,)*
        }

        impl From<backoff_core::PreviewRow> for PreviewRow {
            fn from(row: backoff_core::PreviewRow) -> Self {
                Self { $($ns: row.$ns),* }
            }
        }

        #[pymethods]
        impl PreviewRow {
            #[new]
            fn new($($ns: $argument),*) -> Self {
                Self { $($ns: $ns.0),* }
            }

            $(
                $(#[$in_seconds])*
                #[getter]
                fn $name(&self) -> f64 {
                    seconds(self.$ns)
                }
            )*

            fn __repr__(&self) -> String {
                let parts = [$(format!("{}={}", stringify!($ns), self.$ns)),*];
                format!("PreviewRow({})", parts.join(", "))
            }

            fn __reduce__<'py>(
                &self,
                py: Python<'py>,
            ) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
                Ok((py.get_type::<Self>(), PyTuple::new(py, [$(self.$ns),*])?))
            }
        }
    };
}

preview_row! {
    /// The shortest delay in nanoseconds, an int.
    min_ns(Min);
    /// The shortest delay, in float seconds.
    min;
    /// The mean delay in nanoseconds, an int; see mean.
    mean_ns(Mean);
    /// The mean delay, rounded down, in float seconds. Under decorrelated jitter it is
    /// the mean delay if the previous delay was itself the mean: an upper estimate once the cap can
    /// be reached.
    mean;
    /// The longest delay in nanoseconds, an int.
    max_ns(Max);
    /// The longest delay, in float seconds.
    max;
    /// The sum of the minimums so far in nanoseconds, an int.
    total_min_ns(TotalMin);
    /// The sum of the minimums so far, in float seconds.
    total_min;
    /// The sum of the means so far in nanoseconds, an int.
    total_mean_ns(TotalMean);
    /// The sum of the means so far, in float seconds.
    total_mean;
    /// The sum of the maximums so far in nanoseconds, an int.
    total_max_ns(TotalMax);
    /// The sum of the maximums so far, in float seconds.
    total_max;
}

/// An iterator over PreviewRow.
#[pyclass(frozen, module = "backoff_rs")]
pub(crate) struct Preview(Mutex<Take<backoff_core::Preview>>);

impl Preview {
    /// The rows of a policy, at most `count`.
    pub(crate) fn new(policy: &backoff_core::Policy, count: Option<u64>) -> Self {
        // A count beyond memory is no limit: there are 2^32 rows at most.
        let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
        Self(Mutex::new(policy.preview().take(count)))
    }
}

#[pymethods]
impl Preview {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self) -> Option<PreviewRow> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next().map(Into::into)
    }
}

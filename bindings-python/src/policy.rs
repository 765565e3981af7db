use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arguments::{self, Argument, Count, First, Index, Instance};
use crate::budget::Budget;
use crate::duration::seconds;
use crate::preview::Preview;
use crate::stream::RandomStream;
use crate::{batch, export, fields};

/// How long to wait before each retry, and when to stop: immutable, validated parameters
/// (SPEC 5.1).
///
/// Growth is required, and base, or waits if the growth is "steps". Growth may be positional; every other field is a keyword:
/// increment, multiplier, power, origin, offset, cap, cap_on, floor, jitter, jitter_below,
/// jitter_above, jitter_max, jitter_increment, jitter_slot, max_retries, max_attempts,
/// max_elapsed, throttled_base, retry_after, retry_after_max, retry_after_max_extra, waits,
/// attempt_timeout, reset_after and elapsed_from. The property of its name says what it does and its
/// default.
///
/// A duration is seconds as an int, float, Decimal or Fraction, or a timedelta; it is rounded to
/// the nearest nanosecond, ties to even, and is at most 2**63 - 1 ns. A ratio is a float, which
/// means its shortest decimal (1.6 is 8/5) or, if that has a term above 1000000, one of at most six
/// decimals (1 / 3), an int, Decimal, Fraction or a pair of ints, and has
/// no term above 1000000. waits is an iterable of durations. None as a keyword is the same as no
/// keyword, but for retry_after_max it
/// means no limit, as it does where a limit is read.
///
/// The fields from max_retries down do not affect delay(stream, index); an Operation applies
/// them. Without max_retries and max_elapsed there is no limit: a loop retries for ever. An
/// index is 0 to 2**32 - 1, others raise PolicyError; they may be evaluated in any order.
///
/// A value: frozen, hashable, comparable, picklable, safe to share between threads. Properties
/// have their defaults filled in; a field that this policy does not use is None.
///
/// Raises PolicyError, a ValueError, for the first rule of SPEC 8 that is broken; TypeError
/// for a wrong type and for an unknown keyword.
#[pyclass(frozen, eq, hash, weakref, module = "backoff_rs")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Policy(pub(crate) backoff_core::Policy);

impl Argument for Policy {
    const ARGUMENT: &'static str = "policy";
}

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(
        signature = (*positional, **keywords),
        // signature of Policy, from core/src/field/table.rs
        text_signature = "(growth, *, base=None, increment=None, multiplier=None, power=None, origin=None, \
            offset=None, cap=None, cap_on=None, floor=None, jitter=None, jitter_below=None, \
            jitter_above=None, jitter_max=None, jitter_increment=None, jitter_slot=None, \
            max_retries=None, max_attempts=None, max_elapsed=None, throttled_base=None, \
            retry_after=None, retry_after_max=3600, retry_after_max_extra=None, waits=None, \
            attempt_timeout=None, reset_after=None, elapsed_from=None)"
        // end
    )]
    fn new(
        positional: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        fields::policy(positional, keywords).map(Self)
    }

    /// The policy of a policy string: "full:base=100ms,cap=20s,max_retries=5", or a preset
    /// (SPEC 12), which may be changed: "aws-sdk-2026:max_retries=5".
    ///
    /// Raises PolicyError for the first rule of SPEC 11 or 8 that is broken; its at and found
    /// locate the error in the string.
    #[staticmethod]
    fn parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        arguments::parsed(text, |utf8| backoff_core::Policy::parse(utf8)).map(Self)
    }

    /// The policy with other values of these fields, as pairs at the end of its string would have it
    /// (SPEC 11.3): policy.replace(max_retries=5). None removes the value that it has, as none does
    /// there. copy.replace(policy, max_retries=5) of Python 3.13 is the same.
    ///
    /// Raises PolicyError for the first rule of SPEC 8 that the policy then breaks; TypeError as
    /// Policy() does.
    #[pyo3(signature = (**fields))]
    fn replace(&self, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let changed = fields.map(|fields| fields::replaced(&self.0, fields));
        changed.unwrap_or(Ok(self.0)).map(Self)
    }

    #[pyo3(signature = (**fields))]
    fn __replace__(&self, fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        self.replace(fields)
    }

    /// The delay of an index of a stream in seconds: the float nearest to delay_ns() / 10**9
    /// (SPEC 6, 7). Index 0 is the wait before the first retry.
    fn delay(&self, stream: Instance<'_, '_, RandomStream>, index: Index) -> f64 {
        seconds(self.delay_ns(stream, index))
    }

    /// The delay of an index of a stream in nanoseconds, an int up to 2**63 - 1; see delay().
    fn delay_ns(&self, stream: Instance<'_, '_, RandomStream>, index: Index) -> u64 {
        self.0.delay_ns(stream.0.get().0, index.0)
    }

    /// The window of an index in float seconds: the wait before jitter (SPEC 5). The cap applies
    /// unless cap_on is "delay"; decorrelated jitter does not use the window.
    fn window(&self, index: Index) -> f64 {
        seconds(self.window_ns(index))
    }

    /// The window of an index in nanoseconds, an int up to 2**63 - 1; see window().
    fn window_ns(&self, index: Index) -> u64 {
        self.0.window_ns(index.0)
    }

    /// The delays of the indices first, first + 1, ... as a list of count float seconds; fewer
    /// if the indices end at 2**32 - 1. Raises PolicyError for a negative count; MemoryError.
    #[pyo3(signature = (stream, count, first = First(0)), text_signature = "($self, stream, count, first=0)")]
    fn delays<'py>(
        &self,
        py: Python<'py>,
        stream: Instance<'_, 'py, RandomStream>,
        count: Count,
        first: First,
    ) -> PyResult<Bound<'py, PyAny>> {
        batch::list(py, &batch::delays(&self.0, stream.0.get().0, first.0, count.0)?)
    }

    /// Fills a buffer with the delays of the indices first, first + 1, ... in nanoseconds, and
    /// returns how many it wrote: fewer than fit if the indices end at 2**32 - 1; the rest of
    /// the buffer is not touched. The buffer is writable, C-contiguous and of native 8-byte
    /// ints, signed or not: array("Q"), a numpy array of uint64 or int64.
    ///
    /// Raises TypeError for other buffers, which stay unchanged; MemoryError.
    #[pyo3(signature = (stream, buffer, first = First(0)), text_signature = "($self, stream, buffer, first=0)")]
    fn fill_ns(
        &self,
        stream: Instance<'_, '_, RandomStream>,
        buffer: &Bound<'_, PyAny>,
        first: First,
    ) -> PyResult<usize> {
        batch::fill(&self.0, stream.0.get().0, first.0, buffer)
    }

    /// An iterator over one PreviewRow for each retry: the range of its delay, computed without
    /// drawing (SPEC 16), if no failure is throttled and no server asks for a wait. It yields at
    /// most count rows, and ends where max_retries and max_elapsed allow no further retry.
    ///
    /// Without max_retries there can be 2**32 rows, even with max_elapsed, because the shortest
    /// delays can be 0: pass a count, or use itertools.islice. list() would run out of memory.
    #[pyo3(signature = (count = None))]
    fn preview(&self, count: Option<Count>) -> Preview {
        Preview::new(&self.0, count.map(|count| count.0))
    }

    /// This policy with the longest base with which that many attempts never wait longer than
    /// total altogether (SPEC 16.5), if no failure is throttled and no server asks for a wait. The
    /// limits of the policy are ignored.
    ///
    /// Raises PolicyError: "does_not_fit" if no base is short enough; about the field
    /// max_attempts for attempts outside 1 to 65536; about max_elapsed for an invalid total.
    fn fit_base(&self, attempts: &Bound<'_, PyAny>, total: &Bound<'_, PyAny>) -> PyResult<Self> {
        fields::fitted(attempts, total, |n, ns| self.0.fit_base(n, ns)).map(Self)
    }

    /// The same with the longest cap in place of the longest base.
    fn fit_cap(&self, attempts: &Bound<'_, PyAny>, total: &Bound<'_, PyAny>) -> PyResult<Self> {
        fields::fitted(attempts, total, |n, ns| self.0.fit_cap(n, ns)).map(Self)
    }

    /// The configuration of an engine that retries by itself, for this policy and a budget: a
    /// service config of gRPC, for example. It waits and stops as the policy does. The formats are
    /// "grpc", "envoy", "istio", "temporal", "step-functions", "k8s-job" and "nginx"; docs/export.md
    /// has what each can say.
    ///
    /// Raises ValueError, which names each field that the format has no equivalent of, its value,
    /// and what the engine does instead; ValueError for an unknown format.
    #[pyo3(signature = (format, budget = None), text_signature = "($self, format, budget=None)")]
    fn export(
        &self,
        format: &Bound<'_, PyAny>,
        budget: Option<Instance<'_, '_, Budget>>,
    ) -> PyResult<String> {
        export::export(&self.0, format, budget.as_ref().map(|budget| &budget.0.get().0))
    }

    /// The policy of such a configuration, and a new budget if it has one, else None. A setting
    /// that is not there has the default of the engine. Which failures are retried, timeouts and
    /// deadlines are not part of a policy; a UserWarning names each timeout and deadline.
    ///
    /// Raises ValueError, which names the format and the place in the text; ValueError for an
    /// unknown format.
    #[staticmethod]
    fn from_export(
        format: &Bound<'_, PyAny>,
        text: &Bound<'_, PyAny>,
    ) -> PyResult<(Self, Option<Budget>)> {
        let (policy, budget) = export::import(format, text)?;
        Ok((Self(policy), budget.map(Budget)))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Policy.parse('{}')", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("parse")?, (self.__str__(),)))
    }
}

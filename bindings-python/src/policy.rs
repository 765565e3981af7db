use backoff_core::{Field, Ratio};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::arguments::{self, Count, First, Given, Index};
use crate::preview::Preview;
use crate::seconds::seconds;
use crate::stream::Stream;
use crate::{batch, fields, refusal};

/// How long to wait before each retry and when to stop: growth, jitter, cap, floor and limits,
/// checked once. Made of fields, or of a line by Policy.parse; str() is its line.
///
/// The fields are those of SPEC 5.1; the growth may be positional, the others are keywords.
///
/// growth: "constant", "linear", "exponential", "polynomial" or "fibonacci"; always needed.
/// base: the window of index 0 for most growths; always needed.
/// increment: linear growth: what each retry adds; the base unless given.
/// multiplier: exponential growth: 1, or 1.01 to 1000000; 2 unless given, or 3 with jitter
///     "decorrelated".
/// power, origin: polynomial growth: base * (index + origin) ** power; 2 and 1 unless given.
/// offset: added to every window before the cap; 0 unless given, not with "decorrelated".
/// cap: the longest window, at least the base; none unless given.
/// cap_on: "window" (before jitter, unless given) or "result" (after jitter).
/// floor: the shortest delay, at most the cap; 0 unless given.
/// jitter: "none" (unless given), "full", "equal", "proportional", "additive",
///     "decorrelated" or "slotted".
/// jitter_below, jitter_above: "proportional": the parts of the window, 0 to 1, that a delay
///     may fall short of or exceed it.
/// jitter_max, jitter_increment: "additive": the width of the range, and what each retry adds.
/// jitter_slot: "slotted": the length of a slot.
/// max_retries, max_attempts: the most retries, or one more than them; no limit unless given,
///     and not both.
/// max_elapsed: the time after the beginning after which no wait may end; no limit unless given.
/// throttled_base: the base after a failure that was throttling; the base unless given.
/// hint: what a hint of the server does to a delay: "at_least" (unless given: the longer of
///     both), "exact" (the hint) or "spread" (up to one and a half times the hint).
/// hint_max, hint_max_extra: the longest hint that counts, and how much longer than the delay
///     it may be; no limit unless given, and the cap is none: then a server can ask for 292
///     years. "spread" waits up to half more than hint_max.
///
/// The fields from max_retries on change no delay() of an index: an Operation heeds them.
///
/// A duration is seconds as an int, float, Decimal or Fraction, or a timedelta; it is rounded
/// to the nearest nanosecond, ties to even, and is at most 2**63 - 1 ns. A ratio is a float,
/// taken for its shortest decimal (1.6 is 8/5), an int, Decimal, Fraction or a pair of ints,
/// and has no term above 1000000.
///
/// A value: frozen, hashable, comparable, picklable, safe to share between threads. A field
/// reads as it was resolved; one that this policy does not use is None.
///
/// Raises PolicyError, a ValueError, for the first rule of SPEC 8 that is broken; TypeError
/// for a wrong type and for a keyword that is no field.
#[pyclass(frozen, eq, hash, module = "backoff_rs")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Policy(pub(crate) backoff_core::Policy);

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(
        signature = (*positional, **keywords),
        text_signature = "(growth, *, base, increment=..., multiplier=..., power=..., origin=..., \
            offset=..., cap=..., cap_on=..., floor=..., jitter=..., jitter_below=..., \
            jitter_above=..., jitter_max=..., jitter_increment=..., jitter_slot=..., \
            max_retries=..., max_attempts=..., max_elapsed=..., throttled_base=..., hint=..., \
            hint_max=..., hint_max_extra=...)"
    )]
    fn new(
        positional: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        fields::policy(positional, keywords).map(Self)
    }

    /// The policy that a line describes: "full:base=100ms,cap=20s,max_retries=5", or a preset
    /// (SPEC 12), with changes or without, "aws-sdk-2026:max_retries=5".
    ///
    /// Raises PolicyError, whose at and found say where and what, for the first rule of SPEC 11
    /// or 8 that is broken.
    #[staticmethod]
    fn parse(line: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = arguments::utf8("line", "a str", line)?;
        backoff_core::Policy::parse(&text)
            .map(Self)
            .map_err(|error| refusal::by_line(line.py(), &error, &text))
    }

    /// The delay of an index of a stream in seconds: the float nearest to delay_ns() / 10**9
    /// (SPEC 6, 7). Index 0 is the wait before the first retry; any index may be asked for.
    ///
    /// Raises PolicyError for an index outside 0 to 2**32 - 1.
    fn delay(&self, stream: Given<'_, '_, Stream>, index: Index) -> f64 {
        seconds(self.delay_ns(stream, index))
    }

    /// The delay of an index of a stream in nanoseconds, an int up to 2**63 - 1.
    ///
    /// Raises PolicyError for an index outside 0 to 2**32 - 1.
    fn delay_ns(&self, stream: Given<'_, '_, Stream>, index: Index) -> u64 {
        self.0.delay_ns(stream.0.get().0, index.0)
    }

    /// The window of an index in float seconds: the wait before jitter (SPEC 5). Capped if the
    /// cap is on the window; decorrelated jitter does not use it.
    ///
    /// Raises PolicyError for an index outside 0 to 2**32 - 1.
    fn window(&self, index: Index) -> f64 {
        seconds(self.window_ns(index))
    }

    /// The window of an index in nanoseconds, an int up to 2**63 - 1.
    ///
    /// Raises PolicyError for an index outside 0 to 2**32 - 1.
    fn window_ns(&self, index: Index) -> u64 {
        self.0.window_ns(index.0)
    }

    /// The delays of the indices first, first + 1, ... in a list of float seconds: count of
    /// them, or fewer where the indices end at 2**32 - 1.
    ///
    /// Raises PolicyError for a negative count, or a first outside 0 to 2**32 - 1;
    /// MemoryError.
    #[pyo3(signature = (stream, count, first = First(0)), text_signature = "($self, stream, count, first=0)")]
    fn delays<'py>(
        &self,
        py: Python<'py>,
        stream: Given<'_, 'py, Stream>,
        count: Count,
        first: First,
    ) -> PyResult<Bound<'py, PyAny>> {
        batch::list(py, &batch::delays(&self.0, stream.0.get().0, first.0, count.0)?)
    }

    /// How many delays were written into the buffer, in nanoseconds: those of the indices
    /// first, first + 1, ... until it is full, or fewer where the indices end at 2**32 - 1;
    /// the rest of it stays as it was. It is any writable, C-contiguous buffer of native 8-byte
    /// ints, signed or not: array("Q"), a numpy array of uint64 or int64.
    ///
    /// Raises PolicyError for a first outside 0 to 2**32 - 1; TypeError for other buffers;
    /// MemoryError. Then the buffer is as it was.
    #[pyo3(signature = (stream, buffer, first = First(0)), text_signature = "($self, stream, buffer, first=0)")]
    fn fill_ns(
        &self,
        stream: Given<'_, '_, Stream>,
        buffer: &Bound<'_, PyAny>,
        first: First,
    ) -> PyResult<usize> {
        batch::fill(&self.0, stream.0.get().0, first.0, buffer)
    }

    /// An iterator over what the delays of index 0, 1, 2, ... can be, each a PreviewRow, without
    /// drawing them (SPEC 16), if no failure is throttled and no hint is given: at most count of
    /// them. It ends where no such retry can be made any more by max_retries and max_elapsed;
    /// without these, after index 2**32 - 1.
    ///
    /// Raises PolicyError for a count outside 0 to 2**64 - 1.
    #[pyo3(signature = (count = None))]
    fn preview(&self, count: Option<Count>) -> Preview {
        Preview::new(&self.0, count.map(|count| count.0))
    }

    /// This policy with the longest base with which so many attempts always fit into a time of
    /// waiting (SPEC 16.5), if no failure is throttled and no hint is given. The limits of the
    /// policy are not looked at.
    ///
    /// Raises PolicyError: "does_not_fit" if no base is short enough; about the field
    /// max_attempts for attempts outside 1 to 65536, about max_elapsed for a total that is no
    /// duration.
    fn fit_base(&self, attempts: &Bound<'_, PyAny>, total: &Bound<'_, PyAny>) -> PyResult<Self> {
        fields::fitted(attempts, total, |n, ns| self.0.fit_base(n, ns)).map(Self)
    }

    /// This policy with the longest cap with which so many attempts always fit into a time of
    /// waiting (SPEC 16.5), if no failure is throttled and no hint is given. The limits of the
    /// policy are not looked at.
    ///
    /// Raises PolicyError as fit_base() does.
    fn fit_cap(&self, attempts: &Bound<'_, PyAny>, total: &Bound<'_, PyAny>) -> PyResult<Self> {
        fields::fitted(attempts, total, |n, ns| self.0.fit_cap(n, ns)).map(Self)
    }

    /// How the window grows: the name of the kind.
    #[getter]
    fn growth(&self) -> Option<&'static str> {
        self.kind(Field::Growth)
    }

    /// The base in float seconds.
    #[getter]
    fn base(&self) -> Option<f64> {
        self.duration(Field::Base)
    }

    /// What linear growth adds at each retry, in float seconds.
    #[getter]
    fn increment(&self) -> Option<f64> {
        self.duration(Field::Increment)
    }

    /// What exponential growth multiplies by, a Fraction.
    #[getter]
    fn multiplier<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.fraction(py, Field::Multiplier)
    }

    /// The exponent of polynomial growth.
    #[getter]
    fn power(&self) -> Option<u64> {
        self.word(Field::Power)
    }

    /// What polynomial growth counts index 0 as.
    #[getter]
    fn origin(&self) -> Option<u64> {
        self.word(Field::Origin)
    }

    /// What is added to every window, in float seconds.
    #[getter]
    fn offset(&self) -> Option<f64> {
        self.duration(Field::Offset)
    }

    /// The cap in float seconds; without one, the longest duration there is.
    #[getter]
    fn cap(&self) -> Option<f64> {
        self.duration(Field::Cap)
    }

    /// Where the cap applies: the name of the kind.
    #[getter]
    fn cap_on(&self) -> Option<&'static str> {
        self.kind(Field::CapOn)
    }

    /// The shortest delay in float seconds.
    #[getter]
    fn floor(&self) -> Option<f64> {
        self.duration(Field::Floor)
    }

    /// How delays are spread around the window: the name of the kind.
    #[getter]
    fn jitter(&self) -> Option<&'static str> {
        self.kind(Field::Jitter)
    }

    /// The part of the window that a delay may fall short of it, a Fraction.
    #[getter]
    fn jitter_below<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.fraction(py, Field::JitterBelow)
    }

    /// The part of the window that a delay may exceed it, a Fraction.
    #[getter]
    fn jitter_above<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.fraction(py, Field::JitterAbove)
    }

    /// The width of additive jitter at index 0, in float seconds.
    #[getter]
    fn jitter_max(&self) -> Option<f64> {
        self.duration(Field::JitterMax)
    }

    /// What each retry adds to that width, in float seconds.
    #[getter]
    fn jitter_increment(&self) -> Option<f64> {
        self.duration(Field::JitterIncrement)
    }

    /// The length of a slot in float seconds.
    #[getter]
    fn jitter_slot(&self) -> Option<f64> {
        self.duration(Field::JitterSlot)
    }

    /// The most retries; without a limit, 2**32.
    #[getter]
    fn max_retries(&self) -> Option<u64> {
        self.word(Field::MaxRetries)
    }

    /// The most attempts: one more than the retries.
    #[getter]
    fn max_attempts(&self) -> Option<u64> {
        self.max_retries().map(|retries| retries.saturating_add(1))
    }

    /// The time after which no wait may end, in float seconds; without a limit, the longest
    /// duration there is.
    #[getter]
    fn max_elapsed(&self) -> Option<f64> {
        self.duration(Field::MaxElapsed)
    }

    /// The base after a failure that was throttling, in float seconds.
    #[getter]
    fn throttled_base(&self) -> Option<f64> {
        self.duration(Field::ThrottledBase)
    }

    /// What a hint of the server does to a delay: the name of the kind.
    #[getter]
    fn hint(&self) -> Option<&'static str> {
        self.kind(Field::Hint)
    }

    /// The longest hint that counts, in float seconds; without a limit, the longest duration
    /// there is.
    #[getter]
    fn hint_max(&self) -> Option<f64> {
        self.duration(Field::HintMax)
    }

    /// How much longer than the delay a hint may be, in float seconds; without a limit, the
    /// longest duration there is.
    #[getter]
    fn hint_max_extra(&self) -> Option<f64> {
        self.duration(Field::HintMaxExtra)
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

impl Policy {
    fn word(&self, field: Field) -> Option<u64> {
        self.0.params().word(field)
    }

    fn kind(&self, field: Field) -> Option<&'static str> {
        self.word(field).map(|number| fields::kind_name(field, number))
    }

    fn duration(&self, field: Field) -> Option<f64> {
        self.word(field).map(seconds)
    }

    fn fraction<'py>(&self, py: Python<'py>, field: Field) -> PyResult<Option<Bound<'py, PyAny>>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let Some(ratio) = self.word(field).map(Ratio::from_word) else { return Ok(None) };
        let class = CLASS.import(py, "fractions", "Fraction")?;
        class.call1((ratio.numerator(), ratio.denominator())).map(Some)
    }
}

//! The waits of growth in steps: a list of durations of a fixed capacity (SPEC 5.3).

use core::time::Duration;

/// The most waits that a policy can have.
const MAX_WAITS: usize = 16;

/// The length of every list that is too long.
const TOO_MANY: u64 = (MAX_WAITS as u64).saturating_add(1);

/// A list of waits: the windows of growth in steps. It prints as policy strings write it, `5s/5m/30m`.
///
/// ```
/// use std::time::Duration;
/// use backoff_core::Waits;
/// let waits: Waits = [5, 300].map(Duration::from_secs).into_iter().collect();
/// assert_eq!(waits.to_string(), "5s/5m");
/// assert_eq!(waits.iter().max(), Some(Duration::from_mins(5)));
/// ```
// Plain integers without bytes between them, as for `ScheduleParams`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct Waits {
    /// The waits in nanoseconds; those after the last are 0.
    ns: [u64; MAX_WAITS],
    /// Their number, or [`TOO_MANY`] of a list that is too long, which no policy has. Such a list keeps only its beginning.
    length: u64,
}

impl Waits {
    /// The most waits that a policy can have.
    pub const MAX: usize = MAX_WAITS;

    /// No waits.
    pub(crate) const EMPTY: Self = Self { ns: [0; MAX_WAITS], length: 0 };

    /// The waits of these nanoseconds. A policy refuses more than [`Waits::MAX`] of them.
    #[must_use]
    pub fn from_ns(ns: impl IntoIterator<Item = u64>) -> Self {
        let mut waits = Self::default();
        for ns in ns {
            waits.push(ns);
        }
        waits
    }

    /// The first `length` of these nanoseconds.
    pub(crate) fn new(ns: &[u64; MAX_WAITS], length: u64) -> Self {
        let given = ns.get(..usize::try_from(length).unwrap_or(usize::MAX)).unwrap_or(ns);
        Self { length: length.min(TOO_MANY), ..Self::from_ns(given.iter().copied()) }
    }

    /// The waits in nanoseconds.
    #[must_use]
    pub fn as_ns(&self) -> &[u64] {
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        self.ns.get(..length).unwrap_or(&self.ns)
    }

    /// The waits.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Duration> + '_ {
        self.as_ns().iter().map(|&ns| Duration::from_nanos(ns))
    }

    pub(crate) fn push(&mut self, ns: u64) {
        if let Some(slot) = usize::try_from(self.length).ok().and_then(|at| self.ns.get_mut(at)) {
            *slot = ns;
        }
        self.length = self.length.saturating_add(1).min(TOO_MANY);
    }

    /// The number of waits that were given, of which it may keep fewer.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// The wait at a position, and the last one at every later position.
    // Out of line, so that the code of the other growths stays short.
    #[cfg_attr(not(target_family = "wasm"), cold)]
    #[inline(never)]
    pub(crate) fn at(&self, position: u64) -> u64 {
        let waits = self.as_ns();
        let wait = usize::try_from(position).ok().and_then(|position| waits.get(position));
        wait.or(waits.last()).copied().unwrap_or_default()
    }

    /// The position after this one, at most that of the last wait.
    #[cfg_attr(not(target_family = "wasm"), cold)]
    #[inline(never)]
    pub(crate) fn next_position(&self, position: u64) -> u64 {
        let next = position.saturating_add(1);
        if next < self.length { next } else { position }
    }
}

impl FromIterator<Duration> for Waits {
    fn from_iter<T: IntoIterator<Item = Duration>>(durations: T) -> Self {
        let ns = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Self::from_ns(durations.into_iter().map(ns))
    }
}

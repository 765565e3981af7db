//! What sentences and advice say about a policy, computed once.

use backoff_core::{Field, MAX_NS, Policy, PreviewRow, Waits};

use crate::fields::Fields;
use crate::rows::NO_LIMIT;

const MAX_ROWS: u64 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CapReach {
    NoCap,
    /// The first index whose longest wait is the cap.
    At(u64),
    /// Not by any of its retries.
    Never,
    /// Not by the retries that were looked at.
    Unknown,
}

pub(crate) struct Facts {
    pub(crate) policy: Policy,
    pub(crate) fields: Fields,
    /// The first rows of the preview, and whether there are no others.
    pub(crate) rows: Vec<PreviewRow>,
    pub(crate) has_all_rows: bool,
    /// The number of retries, unless it has no limit.
    pub(crate) retries: Option<u64>,
    pub(crate) max_elapsed: Option<u64>,
    pub(crate) cap: Option<u64>,
    pub(crate) cap_reach: CapReach,
}

impl Facts {
    pub(crate) fn of(policy: &Policy) -> Self {
        let fields = Fields::of(policy);
        let retries = Some(policy.max_retries()).filter(|&retries| retries < NO_LIMIT);
        let looked_at = retries.unwrap_or(MAX_ROWS).min(MAX_ROWS);
        let rows: Vec<_> = (0..looked_at).zip(policy.preview()).map(|(_, row)| row).collect();
        let was_cut = rows.len() as u64 == MAX_ROWS && retries != Some(MAX_ROWS);
        let mut facts = Self {
            policy: *policy,
            fields,
            rows,
            has_all_rows: !was_cut,
            retries,
            max_elapsed: fields.ns(Field::MaxElapsed),
            cap: fields.ns(Field::Cap),
            cap_reach: CapReach::NoCap,
        };
        facts.cap_reach = facts.find_cap();
        if let CapReach::At(index) = facts.cap_reach
            && !facts.has_time_for_cap(index)
        {
            facts.cap_reach = CapReach::Never;
        }
        facts
    }

    pub(crate) fn never_retries(&self) -> bool {
        self.rows.is_empty()
    }

    /// The longest wait of the retries that were looked at.
    pub(crate) fn longest(&self) -> u64 {
        let longest = self.rows.iter().map(|row| row.max_ns).max().unwrap_or(0);
        longest.min(self.max_elapsed.unwrap_or(u64::MAX))
    }

    /// The longest time that all retries together can wait, if there is a bound.
    pub(crate) fn longest_total(&self) -> Option<u64> {
        [self.total_of_rows(), self.max_elapsed].into_iter().flatten().min()
    }

    fn total_of_rows(&self) -> Option<u64> {
        let Some(last) = self.rows.last() else { return Some(0) };
        if self.has_all_rows {
            return Some(last.total_max_ns);
        }
        // Waits that no longer grow are all as long as the last one.
        let grows = match self.cap_reach {
            CapReach::At(index) => index >= self.rows.len() as u64,
            _ => self.grows(),
        };
        if grows || self.jitter_grows() || self.fields.kind(Field::Jitter) == "decorrelated" {
            return None;
        }
        let others = self.retries? - self.rows.len() as u64;
        Some(last.total_max_ns.saturating_add(last.max_ns.saturating_mul(others)).min(MAX_NS))
    }

    /// Whether waits can grow without end.
    pub(crate) fn grows(&self) -> bool {
        !["constant", "steps"].contains(&self.fields.kind(Field::Growth)) || self.jitter_grows()
    }

    fn jitter_grows(&self) -> bool {
        self.fields.ns(Field::JitterIncrement).is_some_and(|ns| ns > 0)
    }

    pub(crate) fn has_jitter(&self) -> bool {
        self.rows.iter().any(|row| row.min_ns < row.max_ns)
    }

    /// Whether a wait as long as the cap can end within `max_elapsed`, at this index or later.
    fn has_time_for_cap(&self, index: u64) -> bool {
        let (Some(elapsed), Some(cap)) = (self.max_elapsed, self.cap) else { return true };
        let row = usize::try_from(index).ok().and_then(|index| self.rows.get(index));
        let shortest = row.map_or(0, |row| row.total_min_ns - row.min_ns);
        shortest.saturating_add(cap) <= elapsed
    }

    fn find_cap(&self) -> CapReach {
        let Some(cap) = self.cap else { return CapReach::NoCap };
        let is_window = self.fields.kind(Field::CapOn) == "window";
        if !is_window || self.fields.kind(Field::Jitter) == "decorrelated" {
            let at = self.rows.iter().position(|row| row.max_ns >= cap);
            return match at {
                Some(at) => CapReach::At(at as u64),
                None if self.has_all_rows => CapReach::Never,
                None => CapReach::Unknown,
            };
        }
        let end = if self.has_all_rows { self.rows.len() as u64 } else { NO_LIMIT };
        let end = self.retries.unwrap_or(NO_LIMIT).min(end);
        let is_below =
            |index: u64| u32::try_from(index).is_ok_and(|index| self.policy.window_ns(index) < cap);
        if self.fields.kind(Field::Growth) == "steps" {
            let at = (0..end.min(Waits::MAX as u64)).find(|&at| !is_below(at));
            return at.map_or(CapReach::Never, CapReach::At);
        }
        // No other window is shorter than the one before it.
        let (mut low, mut high) = (0, end);
        while low < high {
            let middle = low.midpoint(high);
            if is_below(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low < end { CapReach::At(low) } else { CapReach::Never }
    }
}

#[cfg(test)]
mod tests {
    use backoff_core::{MAX_NS, Policy};

    use super::{CapReach, Facts};

    fn facts(text: &str) -> Facts {
        Facts::of(&Policy::parse(text).unwrap())
    }

    #[test]
    fn the_cap_is_reached_where_the_window_has_grown_to_it() {
        let table = [
            ("full:base=100ms", CapReach::NoCap),
            // 100 ms * 2^8 = 25.6 s is the first above 20 s.
            ("full:base=100ms,cap=20s", CapReach::At(8)),
            ("full:base=100ms,cap=20s,max_retries=8", CapReach::Never),
            ("full:base=100ms,cap=20s,max_retries=9", CapReach::At(8)),
            ("full:base=100ms,cap=20s,cap_on=delay", CapReach::At(8)),
            // The longest delays are 300 ms, 900 ms, 2.7 s, 8.1 s, 20 s.
            ("decorrelated:base=100ms,cap=20s", CapReach::At(4)),
            ("constant:base=1s,cap=2s", CapReach::Never),
            ("constant:base=2s,cap=2s", CapReach::At(0)),
            // 1 ns more each time: far above the rows that are looked at.
            ("linear:base=1s,increment=1ns,cap=1000001us", CapReach::At(1000)),
            ("linear:base=1s,increment=1ns,cap=2s", CapReach::At(1_000_000_000)),
            ("linear:base=1s,increment=1ns,cap=2s,cap_on=delay", CapReach::Unknown),
            ("steps:waits=3s/1s/9s/1s,cap=5s", CapReach::At(2)),
            ("steps:waits=3s/1s/9s/1s,cap=5s,max_retries=2", CapReach::Never),
        ];
        for (text, expected) in table {
            assert_eq!(facts(text).cap_reach, expected, "{text}");
        }
    }

    #[test]
    fn the_longest_total_is_bounded_by_each_limit() {
        let table = [
            ("full:base=100ms,cap=20s,max_retries=3", Some(700_000_000)),
            ("full:base=100ms,cap=20s,max_retries=3,max_elapsed=500ms", Some(500_000_000)),
            ("full:base=100ms,cap=20s", None),
            ("full:base=100ms,cap=20s,max_elapsed=1m", Some(60_000_000_000)),
            // Ends by itself: the third wait would end after 2 s.
            ("constant:base=1s,max_elapsed=2500ms", Some(2_000_000_000)),
            ("constant:base=1s,max_retries=0", Some(0)),
            ("constant:base=1s,max_retries=1000", Some(1_000_000_000_000)),
            ("constant:base=1s,max_retries=1001", Some(1_001_000_000_000)),
            ("constant:base=1d,max_retries=4000000000", Some(MAX_NS)),
            // 1 s, 2 s, 4 s, and then 8 s each time.
            ("full:base=1s,cap=8s,max_retries=100000", Some((7 + 8 * 99_997) * 1_000_000_000)),
            ("linear:base=1s,max_retries=1000", Some(500_500_000_000_000)),
            ("linear:base=1s,max_retries=1001", None),
        ];
        for (text, expected) in table {
            assert_eq!(facts(text).longest_total(), expected, "{text}");
        }
    }
}

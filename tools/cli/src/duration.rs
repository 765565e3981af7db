//! Durations for people.

use backoff_core::MAX_NS;

/// Units that are shown alone, and how many nanoseconds each has.
const UNITS: [(&str, u64); 4] = [("s", SECOND), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const YEAR: u64 = 365 * DAY;

/// A duration in nanoseconds as `100ms`, `1.5s`, `2m 30s` or `3d 4h`. Below a minute it is exact if
/// at most four digits are enough; otherwise it is rounded to three (`83.0ms`). Above, it is rounded
/// to the smaller unit.
pub(crate) fn humanize(ns: u64) -> String {
    let rounded = |unit: u64| ns.saturating_add(unit / 2) / unit * unit;
    if ns < MINUTE {
        with_one_unit(ns)
    } else if rounded(SECOND) < HOUR {
        with_two_units(rounded(SECOND), (MINUTE, "m"), (SECOND, "s"))
    } else if rounded(MINUTE) < DAY {
        with_two_units(rounded(MINUTE), (HOUR, "h"), (MINUTE, "m"))
    } else if rounded(HOUR) < 100 * DAY {
        with_two_units(rounded(HOUR), (DAY, "d"), (HOUR, "h"))
    } else if ns < 10 * YEAR {
        format!("{}d", rounded(DAY) / DAY)
    } else {
        format!("{} years", ns / YEAR)
    }
}

/// A total of durations. The core counts no further than the longest duration.
pub(crate) fn total(ns: u64) -> String {
    if ns < MAX_NS { humanize(ns) } else { format!("> {}", humanize(MAX_NS)) }
}

/// A total in a sentence, after these words unless it is only known to be longer than a duration.
pub(crate) fn total_after(words: &str, ns: u64) -> String {
    if ns < MAX_NS {
        format!("{words}{}", humanize(ns))
    } else {
        format!("more than {}", humanize(MAX_NS))
    }
}

/// Two durations that are compared: with all digits if they are so close that rounding could hide
/// which one is longer.
pub(crate) fn compared(a: u64, b: u64) -> (String, String) {
    let shown = if a.abs_diff(b) < a.max(b) / 20 { exact } else { humanize };
    (shown(a), shown(b))
}

/// A duration with all its digits, in one unit.
fn exact(ns: u64) -> String {
    let Some((name, unit)) = unit(ns) else { return "0s".to_owned() };
    let digits = decimal(ns, unit.ilog10());
    let digits =
        if unit > 1 { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    format!("{digits}{name}")
}

/// The largest unit that a duration is not shorter than.
fn unit(ns: u64) -> Option<(&'static str, u64)> {
    UNITS.into_iter().find(|(_, unit)| ns >= *unit)
}

fn with_two_units(ns: u64, (large, name): (u64, &str), (small, rest): (u64, &str)) -> String {
    match ns % large / small {
        0 => format!("{}{name}", ns / large),
        count => format!("{}{name} {count}{rest}", ns / large),
    }
}

fn with_one_unit(ns: u64) -> String {
    let exact = exact(ns);
    let Some((name, unit)) = unit(ns) else { return exact };
    if exact.bytes().filter(u8::is_ascii_digit).count() <= 4 {
        return exact;
    }
    let decimals = match ns / unit {
        0..10 => 2,
        10..100 => 1,
        _ => 0,
    };
    let step = unit / 10_u64.pow(decimals);
    let steps = (ns + step / 2) / step;
    let carries = unit > 1 && unit < SECOND && steps * step == unit * 1_000;
    if carries || steps * step == MINUTE {
        return humanize(steps * step);
    }
    decimal(steps, decimals) + name
}

/// A number of steps, of which a unit has 10 to the power of the decimals, in units.
fn decimal(steps: u64, decimals: u32) -> String {
    let unit = 10_u64.pow(decimals);
    match decimals {
        0 => steps.to_string(),
        _ => format!("{}.{:0width$}", steps / unit, steps % unit, width = decimals as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::{DAY, HOUR, MINUTE, SECOND, compared, humanize};

    #[test]
    fn durations_read_well() {
        let table = [
            (0, "0s"),
            (1, "1ns"),
            (999, "999ns"),
            (1_000, "1us"),
            (51_200, "51.2us"),
            (999_499, "999us"),
            (999_500, "999.5us"),
            (999_999, "1ms"),
            (11_399_434, "11.4ms"),
            (83_043_876, "83.0ms"),
            (229_309_811, "229ms"),
            (100_000_000, "100ms"),
            (562_500_000, "562.5ms"),
            (999_999_999, "1s"),
            (1_500_000_000, "1.5s"),
            (1_687_500_000, "1.69s"),
            (6_553_600_000, "6.55s"),
            (20 * SECOND, "20s"),
            (59_940_000_001, "59.9s"),
            (59_960_000_000, "59.96s"),
            (59_960_000_001, "1m"),
            (MINUTE, "1m"),
            (150 * SECOND, "2m 30s"),
            (HOUR - 1, "1h"),
            (HOUR + 29 * SECOND, "1h"),
            (HOUR + 30 * SECOND, "1h 1m"),
            (DAY - 1, "1d"),
            (3 * DAY + 4 * HOUR, "3d 4h"),
            (99 * DAY + 12 * HOUR, "99d 12h"),
            (100 * DAY, "100d"),
            (9 * 365 * DAY, "3285d"),
            (i64::MAX as u64, "292 years"),
            (u64::MAX, "584 years"),
        ];
        for (ns, expected) in table {
            assert_eq!(humanize(ns), expected, "{ns}");
        }
    }

    #[test]
    fn durations_that_are_compared_are_not_rounded_to_the_same() {
        let table = [
            ((2_000_400_000, 2 * SECOND), ("2.0004s", "2s")),
            ((60_200_000_000, MINUTE), ("60.2s", "60s")),
            ((25 * HOUR + 1, 25 * HOUR), ("90000.000000001s", "90000s")),
            ((2 * DAY + HOUR, 2 * DAY), ("176400s", "172800s")),
            ((3 * SECOND, 1_999_900_000), ("3s", "2.00s")),
            ((1, 0), ("1ns", "0s")),
        ];
        for ((a, b), (first, second)) in table {
            assert_eq!(compared(a, b), (first.to_owned(), second.to_owned()), "{a} {b}");
        }
    }
}

//! Numbers as the formats write them.

use backoff_core::{FieldValue, Ratio};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000_000_000;

/// The denominator of six decimals.
const MILLION: u32 = 1_000_000;

/// The value of a field that is a duration.
pub(crate) const fn ns(ns: u64) -> FieldValue {
    FieldValue::from_ns(ns)
}

/// A duration as the JSON of Protocol Buffers prints it: seconds with 0, 3, 6 or 9 decimals.
pub(crate) fn seconds(ns: u64) -> String {
    let (whole, rest) = (ns.div_euclid(SECOND), ns.rem_euclid(SECOND));
    let decimals = format!("{rest:09}");
    let mut decimals = decimals.as_str();
    while let Some(shorter) = decimals.strip_suffix("000") {
        decimals = shorter;
    }
    if decimals.is_empty() { format!("{whole}s") } else { format!("{whole}.{decimals}s") }
}

/// The nanoseconds of such a duration.
pub(crate) fn read_seconds(text: &str) -> Option<u64> {
    number_of_units(text.strip_suffix('s')?, SECOND)
}

/// The nanoseconds of a duration as Go writes it: `1m30s`, `25ms`, `0.5s`.
pub(crate) fn read_go_duration(text: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 6] = [
        ("h", 3_600_000_000_000),
        ("ms", MS),
        ("m", 60_000_000_000),
        ("ns", 1),
        ("us", 1_000),
        ("s", SECOND),
    ];
    read_units(text, &UNITS, number_of_units)
}

/// The total of numbers with units. A number without a unit can only be the last part.
pub(crate) fn read_units(
    text: &str,
    units: &[(&str, u64)],
    read: fn(&str, u64) -> Option<u64>,
) -> Option<u64> {
    let (mut total, mut rest) = (0_u64, text);
    while !rest.is_empty() {
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at_checked(end)?;
        let (after, unit) =
            units.iter().find_map(|(name, unit)| Some((after.strip_prefix(name)?, *unit)))?;
        total = total.checked_add(read(number, unit)?)?;
        rest = after;
    }
    (!text.is_empty()).then_some(total)
}

/// A number with decimals times a unit, if that is whole.
fn number_of_units(number: &str, unit: u64) -> Option<u64> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(decimals) || number.len() == number.matches('.').count() {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let total = unit.checked_mul(whole)?;
    let (mut part, mut of_unit) = (0_u64, unit);
    for digit in decimals.trim_end_matches('0').bytes() {
        if of_unit.checked_rem(10)? != 0 {
            return None;
        }
        of_unit = of_unit.checked_div(10)?;
        let digit = u64::from(digit.checked_sub(b'0')?);
        part = part.checked_add(of_unit.checked_mul(digit)?)?;
    }
    total.checked_add(part)
}

/// A text of the user as messages show it (SPEC 11.7): its first 32 bytes, those outside `!` to `~` in
/// hexadecimal, and `...` if there are more.
pub(crate) fn cut(text: &str) -> String {
    const SHOWN: usize = 32;
    let escaped = |byte: u8| match byte {
        b'!'..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    let mut shown: String = text.bytes().take(SHOWN).map(escaped).collect();
    if text.len() > SHOWN {
        shown.push_str("...");
    }
    shown
}

/// A ratio as a decimal, if it has one of at most six decimals.
pub(crate) fn decimal(ratio: Ratio) -> Option<String> {
    let is_decimal = MILLION.checked_rem(ratio.denominator()) == Some(0);
    is_decimal.then(|| ratio.to_string())
}

/// A decimal with at least one digit after the point, as languages print a floating-point number.
pub(crate) fn with_point(decimal: String) -> String {
    if decimal.contains('.') { decimal } else { decimal + ".0" }
}

/// A ratio up to 1 as a decimal number of percent.
pub(crate) fn percent(ratio: Ratio) -> Option<String> {
    let hundredfold = Ratio::new(ratio.numerator().checked_mul(100)?, ratio.denominator());
    decimal(hundredfold).map(with_point)
}

#[cfg(test)]
mod tests {
    use backoff_core::Ratio;

    use super::{cut, decimal, percent, read_go_duration, read_seconds, seconds};

    #[test]
    fn seconds_are_printed_and_read() {
        let table = [
            (0, "0s"),
            (1, "0.000000001s"),
            (1_000, "0.000001s"),
            (25_000_000, "0.025s"),
            (1_500_000_000, "1.500s"),
            (100_000_000_000, "100s"),
            (u64::MAX, "18446744073.709551615s"),
        ];
        for (ns, text) in table {
            assert_eq!(seconds(ns), text);
            assert_eq!(read_seconds(text), Some(ns), "{text}");
        }
        assert_eq!(read_seconds(".5s"), Some(500_000_000));
        assert_eq!(read_seconds("1.s"), Some(1_000_000_000));
        assert_eq!(read_seconds("1.0000000000s"), Some(1_000_000_000));
        for text in ["", "s", ".s", "1", "1m", "-1s", "+1s", "1e3s", "1.0000000001s", "1.2.3s"] {
            assert_eq!(read_seconds(text), None, "{text}");
        }
        assert_eq!(read_seconds("18446744074s"), None);
    }

    #[test]
    fn durations_of_go_are_read() {
        let table = [
            ("25ms", 25_000_000),
            ("0.025s", 25_000_000),
            ("1m30s", 90_000_000_000),
            ("1h0.5m", 3_630_000_000_000),
            ("7ns", 7),
            ("1.5us", 1_500),
        ];
        for (text, ns) in table {
            assert_eq!(read_go_duration(text), Some(ns), "{text}");
        }
        for text in ["", "1", "ms", "1.5ns", "-1s", "1 s", "1d", "9999999h"] {
            assert_eq!(read_go_duration(text), None, "{text}");
        }
    }

    #[test]
    fn a_text_of_the_user_is_cut() {
        assert_eq!(cut("a b\u{e4}\"\\"), r#"a\x20b\xc3\xa4"\"#);
        assert_eq!(cut(&"x".repeat(32)), "x".repeat(32));
        assert_eq!(cut(&"x".repeat(33)), "x".repeat(32) + "...");
    }

    #[test]
    fn ratios_are_decimals_if_they_can_be() {
        assert_eq!(decimal(Ratio::new(8, 5)).as_deref(), Some("1.6"));
        assert_eq!(decimal(Ratio::new(4, 3)), None);
        assert_eq!(percent(Ratio::new(1, 5)).as_deref(), Some("20.0"));
        assert_eq!(percent(Ratio::new(1, 8)).as_deref(), Some("12.5"));
        assert_eq!(percent(Ratio::new(1, 3)), None);
    }
}

//! Languages, times and ratios as people read them.

/// A language as people write it.
pub(super) fn title(language: &str) -> &str {
    match language {
        "rust" => "Rust",
        "c" => "C",
        "go" => "Go",
        "python" => "Python",
        "js" => "JavaScript",
        other => other,
    }
}

/// A time with three digits and its unit.
pub(super) fn time(ns: f64) -> String {
    match ns {
        ..1e3 => format!("{} ns", digits(ns)),
        ..1e6 => format!("{} µs", digits(ns / 1e3)),
        _ => format!("{} ms", digits(ns / 1e6)),
    }
}

fn digits(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A ratio with two or three digits.
pub(super) fn ratio(ratio: f64) -> String {
    match ratio {
        ..0.1 => format!("{ratio:.3}"),
        _ => digits(ratio),
    }
}

#[cfg(test)]
mod tests {
    use super::{ratio, time};

    #[test]
    fn times_have_three_digits_and_ratios_two_or_three() {
        let times = [0.5, 9.994, 12.34, 999.4, 1000.0, 45_600.0, 7.89e8].map(time);
        assert_eq!(
            times,
            ["0.50 ns", "9.99 ns", "12.3 ns", "999 ns", "1.00 µs", "45.6 µs", "789 ms"]
        );
        assert_eq!(
            [0.0123, 0.1, 1.0, 23.45, 123.4].map(ratio),
            ["0.012", "0.10", "1.00", "23.4", "123"]
        );
    }
}

//! Axes whose marks are round numbers.

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    step: f64,
    /// The numbers of the first step and of the last one.
    first: u32,
    steps: u32,
    end: f64,
}

impl Axis {
    /// The axis that reaches a value in at most this many steps of 1, 2 or 5 times a power of ten.
    pub(crate) fn new(value: f64, max_steps: u32) -> Self {
        if !(value > 0.0 && value.is_finite()) {
            return Self { step: 1.0, first: 0, steps: 1, end: 1.0 };
        }
        let mut power = 1.0;
        while power * f64::from(max_steps) >= value {
            power /= 10.0;
        }
        // No logarithm: it could differ between machines.
        loop {
            for step in [power, power * 2.0, power * 5.0] {
                if step * f64::from(max_steps) >= value {
                    let mut steps = 1;
                    while step * f64::from(steps) < value {
                        steps += 1;
                    }
                    let end = step * f64::from(steps);
                    return Self { step, first: 0, steps, end };
                }
            }
            power *= 10.0;
        }
    }

    /// The axis that ends at a value, after its last mark.
    pub(crate) fn ending_at(value: f64, max_steps: u32) -> Self {
        let axis = Self::new(value, max_steps);
        let is_after = value < axis.end;
        let (steps, end) = if is_after { (axis.steps - 1, value) } else { (axis.steps, axis.end) };
        if value > 0.0 { Self { steps, end, ..axis } } else { axis }
    }

    /// The axis that ends at a value, and begins at 0 or, if all values are in its second half, at the
    /// last mark before them.
    pub(crate) fn between(first: f64, last: f64, max_steps: u32) -> Self {
        if first <= last / 2.0 || first >= last {
            return Self::ending_at(last, max_steps);
        }
        let Self { step, .. } = Self::new(last - first, max_steps);
        let mut axis = Self { step, first: 0, steps: 0, end: last };
        while step * f64::from(axis.steps + 1) <= last {
            axis.steps += 1;
            if step * f64::from(axis.steps) <= first {
                axis.first = axis.steps;
            }
        }
        axis
    }

    pub(crate) fn marks(self) -> impl Iterator<Item = (f64, String)> {
        (self.first..=self.steps).map(move |step| {
            let value = self.step * f64::from(step);
            let decimals = [0, 1, 2, 3].into_iter().find(|&decimals| {
                let unit = [1.0, 10.0, 100.0, 1000.0][decimals];
                (self.step * unit - (self.step * unit).round()).abs() < 1e-6
            });
            (value, with_commas(&format!("{value:.*}", decimals.unwrap_or(4))))
        })
    }

    /// The part of the axis, from 0 to 1, that a value reaches.
    pub(crate) fn part(self, value: f64) -> f64 {
        let start = self.step * f64::from(self.first);
        ((value - start) / (self.end - start)).clamp(0.0, 1.0)
    }
}

/// A number to three or more digits, with commas between thousands.
pub(crate) fn grouped(value: f64) -> String {
    let decimals = match value {
        value if value.fract() == 0.0 || value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        value if value >= 1.0 => 2,
        _ => 3,
    };
    with_commas(&format!("{value:.decimals$}"))
}

fn with_commas(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::{Axis, grouped};

    #[test]
    fn marks_are_round() {
        let marks = |value, steps| -> Vec<_> {
            Axis::new(value, steps).marks().map(|(_, text)| text).collect()
        };
        assert_eq!(marks(190.0, 5), ["0", "50", "100", "150", "200"]);
        assert_eq!(marks(17_933.0, 5), ["0", "5,000", "10,000", "15,000", "20,000"]);
        assert_eq!(marks(0.3, 5), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(marks(1.0, 4), ["0.0", "0.5", "1.0"]);
        assert_eq!(marks(0.0, 4), ["0", "1"]);
        assert_eq!(marks(f64::NAN, 4), ["0", "1"]);
        assert_eq!(marks(1e7, 2), ["0", "5,000,000", "10,000,000"]);
    }

    #[test]
    fn an_axis_can_end_at_its_value() {
        let axis = Axis::ending_at(190.0, 10);
        let marks: Vec<_> = axis.marks().map(|(_, text)| text).collect();
        assert_eq!(marks, ["0", "20", "40", "60", "80", "100", "120", "140", "160", "180"]);
        assert!((axis.part(190.0) - 1.0).abs() < 1e-12 && axis.part(95.0) < 0.6);
        assert_eq!(Axis::ending_at(200.0, 10), Axis::new(200.0, 10));
        assert_eq!(Axis::ending_at(0.0, 10), Axis::new(0.0, 10));
    }

    #[test]
    fn an_axis_of_large_values_does_not_begin_at_0() {
        let marks = |first, last| -> Vec<_> {
            Axis::between(first, last, 10).marks().map(|(_, text)| text).collect()
        };
        assert_eq!(marks(62.0, 110.0)[..2], ["60", "65"]);
        assert_eq!(marks(62.0, 110.0).last().unwrap(), "110");
        assert_eq!(marks(5.0, 10.0)[0], "0");
        assert_eq!(marks(10.0, 10.0)[0], "0", "one value has no range");
        let axis = Axis::between(62.0, 110.0, 10);
        let parts = [60.0, 85.0, 110.0].map(|value| axis.part(value));
        let expected = [0.0, 0.5, 1.0];
        assert!(parts.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{parts:?}");
    }

    #[test]
    fn an_axis_ends_at_or_above_its_value() {
        for steps in 1..9 {
            let mut value = 1e-6;
            while value < 1e12 {
                let axis = Axis::new(value, steps);
                assert!(axis.end >= value && axis.steps <= steps, "{value} {axis:?}");
                assert!(axis.end <= value * 10.0 + axis.step, "{value} {axis:?}");
                value *= 1.37;
            }
        }
    }

    #[test]
    fn numbers_have_few_digits() {
        let table = [
            (0.0, "0"),
            (0.12345, "0.123"),
            (1.239, "1.24"),
            (17.0, "17"),
            (17.96, "18.0"),
            (999.4, "999"),
            (18_335.2, "18,335"),
            (1_234_567.0, "1,234,567"),
        ];
        for (value, expected) in table {
            assert_eq!(grouped(value), expected);
        }
    }
}

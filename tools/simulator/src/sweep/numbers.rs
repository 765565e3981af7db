//! Lists of numbers: `10,20`, `10-190:10` and both.

use std::str::FromStr;

/// The most points of a line.
const MAX: usize = 10_000;

/// Whole numbers that increase, such as of clients: `10,20,35`, or `10-40:10` from 10 to 40 in steps
/// of 10.
///
/// ```
/// use backoff_sim::Numbers;
/// assert_eq!("1,2,10-30:10".parse::<Numbers>()?.0, [1, 2, 10, 20, 30]);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers(pub Vec<u32>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers = Vec::new();
        for item in text.split(',') {
            match item.split_once('-') {
                Some((first, rest)) => {
                    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
                    let (first, last, step) = (number(first)?, number(last)?, number(step)?);
                    if first > last {
                        return Err(format!("the range {item} ends before it begins"));
                    }
                    numbers.extend((first..=last).step_by(step as usize).take(MAX + 1));
                }
                None => numbers.push(number(item)?),
            }
            if numbers.len() > MAX {
                return Err(format!("more than {MAX} numbers"));
            }
        }
        increasing(&numbers)?;
        Ok(Self(numbers))
    }
}

/// Numbers of arrivals in a second, which increase: `50,70.5`, or `50-100:10`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates(pub Vec<f64>);

impl FromStr for Rates {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let range = text.contains('-').then(|| text.parse::<Numbers>());
        if let Some(numbers) = range {
            return Ok(Self(numbers?.0.into_iter().map(f64::from).collect()));
        }
        let rates = text.split(',').map(parse_rate).collect::<Result<Vec<_>, _>>()?;
        increasing(&rates)?;
        Ok(Self(rates))
    }
}

fn increasing<T: PartialOrd>(numbers: &[T]) -> Result<(), String> {
    let increase = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    if increase { Ok(()) } else { Err("the numbers do not increase".to_owned()) }
}

fn number(text: &str) -> Result<u32, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| is_number && *number > 0);
    number.ok_or_else(|| format!("`{text}` is not a whole number from 1 to {}", u32::MAX))
}

/// Reads a number of times in a second, from 0.000001 to 10^9.
///
/// # Errors
/// The text is no such number.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let rate = text.parse().ok().filter(|rate| is_decimal && (1e-6..=1e9).contains(rate));
    rate.ok_or_else(|| format!("`{text}` is not a number from 0.000001 to 1000000000"))
}

#[cfg(test)]
mod tests {
    use super::{Numbers, Rates};

    #[test]
    fn ranges_are_lists() {
        let numbers = |text: &str| text.parse::<Numbers>().unwrap().0;
        assert_eq!(numbers("10"), [10]);
        assert_eq!(numbers("10,20,35"), [10, 20, 35]);
        assert_eq!(numbers("10-40:10"), [10, 20, 30, 40]);
        assert_eq!(numbers("1-3"), [1, 2, 3]);
        assert_eq!(numbers("1,2,10-35:10"), [1, 2, 10, 20, 30]);
        assert_eq!(numbers("4294967295-4294967295"), [u32::MAX]);
        assert_eq!("0.5,20".parse::<Rates>().unwrap().0, [0.5, 20.0]);
        assert_eq!("10-30:10".parse::<Rates>().unwrap().0, [10.0, 20.0, 30.0]);
    }

    #[test]
    fn wrong_lists_are_refused() {
        for (text, message) in [
            ("", "`` is not a whole number from 1 to 4294967295"),
            ("0", "`0` is not a whole number"),
            ("1,,2", "`` is not"),
            ("+1", "`+1` is not"),
            ("4294967296", "`4294967296` is not"),
            ("10-5", "the range 10-5 ends before it begins"),
            ("1-5:0", "`0` is not"),
            ("5,5", "the numbers do not increase"),
            ("1-4294967295", "more than 10000 numbers"),
        ] {
            let error = text.parse::<Numbers>().unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
        for text in ["", "0", "-1", "1e3", "inf", "nan", "1,1"] {
            assert!(text.parse::<Rates>().is_err(), "{text}");
        }
    }
}

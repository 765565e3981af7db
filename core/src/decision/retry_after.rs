//! Reading HTTP's `Retry-After` (SPEC 14).

use crate::number::arithmetic::{MAX_NS, NS_PER_SECOND, multiply};
use crate::number::digits::{count, split};

const SECONDS_PER_DAY: i64 = 86_400;
/// 50 years of 365.25 days.
const FIFTY_YEARS: i64 = 50 * 31_557_600;

/// The longest value that is read, in bytes.
const MAX_LENGTH: usize = 1024;

/// A higher number of seconds is a time since 1970, not a time to wait.
const MAX_WAIT_S: u64 = 1_000_000_000;

/// The time that a server asked to wait, in nanoseconds, from the value of its `Retry-After`
/// header: seconds, or a date, which is compared with `now_ns`, the nanoseconds since 1970 (UTC).
///
/// A number of seconds above 10^9 is a time since 1970. A past time is 0. If a client joined several
/// fields with commas, the first counts. `None` means that the value is neither seconds nor a date,
/// or longer than 1,024 bytes.
///
/// ```
/// use backoff_core::parse_retry_after_ns;
/// assert_eq!(parse_retry_after_ns("120", 0), Some(120_000_000_000));
/// let now = 784_111_770_000_000_000;
/// assert_eq!(parse_retry_after_ns("Sun, 06 Nov 1994 08:49:37 GMT", now), Some(7_000_000_000));
/// assert_eq!(parse_retry_after_ns("soon", now), None);
/// ```
#[must_use]
pub fn parse_retry_after_ns(header: impl AsRef<[u8]>, now_ns: u64) -> Option<u64> {
    let header = fits(header.as_ref())?;
    let wait = |value| seconds(trimmed(value), now_ns).or_else(|| date(trimmed(value), now_ns));
    let (first, rest) = split(header, b',');
    wait(first).or_else(|| {
        // A date has at most one comma.
        let (second, _) = split(rest?, b',');
        wait(header.get(..first.len().saturating_add(1).saturating_add(second.len()))?)
    })
}

/// The value of a header if it is not too long.
pub(super) fn fits(value: &[u8]) -> Option<&[u8]> {
    (value.len() <= MAX_LENGTH).then_some(value)
}

/// The first element of a value that is a list, if the value is not too long.
pub(super) fn first_of(value: &[u8]) -> Option<&[u8]> {
    Some(trimmed(split(fits(value)?, b',').0))
}

/// The text without the spaces and tabs at its ends.
pub(super) fn trimmed(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// The nanoseconds to wait for a whole number of seconds, which is a time to wait or, if it is too
/// high for one, a time since 1970.
pub(super) fn seconds(digits: &[u8], now_ns: u64) -> Option<u64> {
    let seconds = count(digits)?;
    let is_wait = seconds <= MAX_WAIT_S;
    Some(if is_wait { multiply(seconds, NS_PER_SECOND) } else { until(seconds, now_ns) })
}

/// The nanoseconds until an HTTP-date.
fn date(text: &[u8], now_ns: u64) -> Option<u64> {
    let seconds = seconds_of_date(text, now_ns)?;
    Some(until(u64::try_from(seconds).unwrap_or_default(), now_ns))
}

/// The nanoseconds until a time in seconds since 1970.
fn until(seconds: u64, now_ns: u64) -> u64 {
    let time_ns = u128::from(seconds).wrapping_mul(NS_PER_SECOND.into());
    let left_ns = time_ns.saturating_sub(now_ns.into()).min(MAX_NS.into());
    u64::try_from(left_ns).unwrap_or(MAX_NS)
}

/// The seconds from 1970 to an HTTP-date.
fn seconds_of_date(text: &[u8], now_ns: u64) -> Option<i64> {
    let mut date = FORMS.into_iter().find_map(|form| Date::read(form, text))?;
    if date.has_short_year {
        let now = i64::try_from(now_ns.wrapping_div(NS_PER_SECOND)).ok()?;
        date.year = date.year.wrapping_add(century_of(now));
        if date.seconds() > now.wrapping_add(FIFTY_YEARS) {
            date.year = date.year.wrapping_sub(100);
        }
    }
    date.is_valid().then(|| date.seconds())
}

/// The forms of an HTTP-date, in the letters of `strftime`: `a` and `A` are the short and the long
/// name of the weekday, `d` is the day in two digits and `e` padded with a space, `b` is the month,
/// `Y` and `y` are the year in four and two digits, and `X` is the time. Any other character stands
/// for itself.
const FORMS: [&str; 3] = ["a, d b Y X GMT", "A, d-b-y X GMT", "a b e X Y"];

#[derive(Default)]
struct Date {
    year: i64,
    has_short_year: bool,
    /// 1 to 12.
    month: i64,
    day: i64,
    /// Of the day. A leap second counts as the second after it.
    second: i64,
}

impl Date {
    /// The date in a text of this form.
    fn read(form: &str, text: &[u8]) -> Option<Self> {
        let mut text = Cursor(text);
        let mut date = Self::default();
        for letter in form.bytes() {
            match letter {
                b'a' => _ = text.name(&DAYS, 3)?,
                b'A' => _ = text.name(&DAYS, usize::MAX)?,
                b'e' if text.literal(b' ').is_some() => date.day = text.digits(1)?,
                b'd' | b'e' => date.day = text.digits(2)?,
                b'b' => date.month = text.name(&MONTHS, 3)?,
                b'Y' => date.year = text.digits(4)?,
                b'y' => (date.year, date.has_short_year) = (text.digits(2)?, true),
                b'X' => date.second = text.time()?,
                literal => text.literal(literal)?,
            }
        }
        text.0.is_empty().then_some(date)
    }

    fn seconds(&self) -> i64 {
        days_before(self.year, self.month)
            .wrapping_add(self.day)
            .wrapping_sub(1)
            .wrapping_mul(SECONDS_PER_DAY)
            .wrapping_add(self.second)
    }

    fn is_valid(&self) -> bool {
        let next = match self.month {
            12 => days_before(self.year.wrapping_add(1), 1),
            month => days_before(self.year, month.wrapping_add(1)),
        };
        (1..=next.wrapping_sub(days_before(self.year, self.month))).contains(&self.day)
    }
}

/// The days from 1970 to the first of a month. Years start in March, so that a leap day is the
/// last day of its year.
fn days_before(year: i64, month: i64) -> i64 {
    let months = month.wrapping_add(9).wrapping_rem(12);
    let year = year.wrapping_sub(i64::from(month < 3));
    let leap_days =
        year.div_euclid(4).wrapping_sub(year.div_euclid(100)).wrapping_add(year.div_euclid(400));
    // From March, the months repeat 31, 30, 31, 30, 31 days: 153 in five months.
    let days = months.wrapping_mul(153).wrapping_add(2).wrapping_div(5);
    year.wrapping_mul(365).wrapping_add(leap_days).wrapping_add(days).wrapping_sub(719_468)
}

/// The first year of the century of a time.
fn century_of(now: i64) -> i64 {
    let is_over = |century: &i64| {
        days_before(century.wrapping_add(100), 1).wrapping_mul(SECONDS_PER_DAY) <= now
    };
    (1900..).step_by(100).find(|century| !is_over(century)).unwrap_or(1900)
}

const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The text that is still to be read.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn literal(&mut self, byte: u8) -> Option<()> {
        let (&first, rest) = self.0.split_first()?;
        (first == byte).then(|| self.0 = rest)
    }

    /// Reads `length` digits.
    fn digits(&mut self, length: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        i64::try_from(count(digits)?).ok()
    }

    /// Reads one of these names, cut to a length, and returns its position from 1.
    fn name(&mut self, names: &[&str], length: usize) -> Option<i64> {
        (1..).zip(names).find_map(|(number, name)| {
            let name = name.as_bytes();
            let name = name.get(..length).unwrap_or(name);
            let (start, rest) = self.0.split_at_checked(name.len())?;
            (start == name).then(|| self.0 = rest)?;
            Some(number)
        })
    }

    /// Reads a time such as `08:49:37` and returns the second of the day.
    fn time(&mut self) -> Option<i64> {
        let hour = self.digits(2).filter(|hour| *hour <= 23)?;
        self.literal(b':')?;
        let minute = self.digits(2).filter(|minute| *minute <= 59)?;
        self.literal(b':')?;
        let second = self.digits(2).filter(|second| *second <= 60)?;
        let minutes = hour.wrapping_mul(60).wrapping_add(minute);
        Some(minutes.wrapping_mul(60).wrapping_add(second))
    }
}

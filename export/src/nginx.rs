//! nginx: `proxy_next_upstream`, which passes a request to the next server at once.

use backoff_core::ffi::duration_text;
use backoff_core::{Budget, Field, MAX_NS, Policy};

use crate::error::ImportError;
use crate::policy::Read;
use crate::source::{Hints, NO_RETRY_LIMIT, Source};
use crate::text::MS;

/// The directives, and their names without the prefix.
const NEXT: &str = "proxy_next_upstream";
const TRIES: &str = "proxy_next_upstream_tries";
const TIMEOUT: &str = "proxy_next_upstream_timeout";

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    if source.get(Field::Base) != 0 || !source.is_constant() {
        let field = if source.get(Field::Base) == 0 { Field::Growth } else { Field::Base };
        source.refuse(field, "it tries the next server without a delay; use constant:base=0s");
    }
    source.only_common_fields();
    source.no_jitter();
    let tries = source.max_retries().map_or(0, |retries| retries.saturating_add(1));
    let elapsed = source.get(Field::MaxElapsed);
    if elapsed != MAX_NS && (elapsed == 0 || elapsed.rem_euclid(MS) != 0) {
        let reason = format!("{TIMEOUT} counts whole milliseconds, and 0 is no limit");
        source.refuse(Field::MaxElapsed, reason);
    }
    source.hints(&Hints::Ignored);
    source.no_budget(budget);
    let timeout =
        if elapsed == MAX_NS { "0".to_owned() } else { duration_text(elapsed).to_string() };
    format!(
        "{NEXT} error timeout http_429 http_500 http_502 http_503 http_504;\n\
         {TRIES} {tries};\n\
         {TIMEOUT} {timeout};\n"
    )
}

pub(crate) fn read(text: &str) -> Result<(Policy, Option<Budget>), ImportError> {
    let statements = statements(text)?;
    let find = |name: &str| -> Result<Option<&[String]>, ImportError> {
        let mut found = statements.iter().filter_map(|words| match words.as_slice() {
            [first, values @ ..] if first == name => Some(values),
            _ => None,
        });
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(ImportError::new(name, "found twice; leave one")),
            (found, None) => Ok(found),
        }
    };
    let (next, tries, timeout) = (find(NEXT)?, find(TRIES)?, find(TIMEOUT)?);
    if next.is_none() && tries.is_none() && timeout.is_none() {
        return Err(ImportError::new("", format!("no directive {NEXT}, {TRIES} or {TIMEOUT}")));
    }
    let tries = tries.map(read_tries).transpose()?.unwrap_or(0);
    let timeout = timeout.map(read_timeout).transpose()?.unwrap_or(0);
    let is_off = next.is_some_and(|values| values.iter().any(|value| value == "off"));
    let retries = if is_off { 0 } else { tries.checked_sub(1).unwrap_or(NO_RETRY_LIMIT) };
    let read = Read::default()
        .kind(Field::Growth, "constant")
        .with(Field::Base, 0)
        .with(Field::MaxRetries, retries)
        .with(Field::MaxElapsed, if timeout == 0 { MAX_NS } else { timeout })
        .with(Field::RetryAfterMax, 0)
        .policy(TRIES)?;
    Ok((read, None))
}

/// The number of tries; 0 is no limit.
fn read_tries(values: &[String]) -> Result<u64, ImportError> {
    let number = match values {
        [number] if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse().ok(),
        _ => None,
    };
    number.filter(|&tries| tries <= NO_RETRY_LIMIT).ok_or_else(|| {
        let values = values.join(" ");
        ImportError::new(TRIES, format!("{values:?} is not a number from 0 to {NO_RETRY_LIMIT}"))
    })
}

/// The nanoseconds of a time such as `10s`, `1m30s`, `500ms` or `10`, which is seconds.
fn read_timeout(values: &[String]) -> Result<u64, ImportError> {
    let time = match values {
        [time] => read_time(time).filter(|&ns| ns < MAX_NS),
        _ => None,
    };
    time.ok_or_else(|| {
        let values = values.join(" ");
        ImportError::new(TIMEOUT, format!("{values:?} is not a time such as 10s or 1m30s"))
    })
}

fn read_time(text: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 7] = [
        ("ms", 1),
        ("w", 604_800_000),
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1_000),
        ("", 1_000),
    ];
    let (mut total, mut rest) = (0_u64, text);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at_checked(end)?;
        let (unit, after) = UNITS.iter().find_map(|(name, unit)| {
            // A number without a unit can only be the last part.
            let after = after.strip_prefix(name)?;
            (!name.is_empty() || after.is_empty()).then_some((*unit, after))
        })?;
        total = total.checked_add(number.parse::<u64>().ok()?.checked_mul(unit)?)?;
        rest = after;
    }
    total.checked_mul(MS).filter(|_| !text.is_empty())
}

/// The words of each directive, without comments.
fn statements(text: &str) -> Result<Vec<Vec<String>>, ImportError> {
    let (mut statements, mut words) = (Vec::new(), Vec::new());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '#' => while letters.next_if(|&next| next != '\n').is_some() {},
            ';' | '{' | '}' => statements.push(std::mem::take(&mut words)),
            '"' | '\'' => {
                let mut word = String::new();
                loop {
                    match letters.next() {
                        Some(next) if next == letter => break,
                        Some('\\') => word.extend(letters.next()),
                        Some(next) => word.push(next),
                        None => return Err(ImportError::new("", "a quote is not closed")),
                    }
                }
                words.push(word);
            }
            space if space.is_whitespace() => {}
            first => {
                let mut word = String::from(first);
                let ends = |next: &char| next.is_whitespace() || [';', '{', '}'].contains(next);
                while let Some(next) = letters.next_if(|next| !ends(next)) {
                    word.push(next);
                }
                words.push(word);
            }
        }
    }
    if words.is_empty() {
        Ok(statements)
    } else {
        Err(ImportError::new(words.join(" "), "a directive ends with a semicolon"))
    }
}

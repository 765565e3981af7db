//! nginx: `proxy_next_upstream`, which passes a request to the next server at once.

use backoff_core::ffi::{duration_text, kind_number};
use backoff_core::{Budget, Field, MAX_NS, Policy};

use crate::error::ImportError;
use crate::policy::Read;
use crate::source::{Hints, NO_RETRY_LIMIT, Source, next_multiple};
use crate::text::{MS, cut};

/// How many words of a directive an error shows.
const WORDS_SHOWN: usize = 4;

/// The directives, and their names without the prefix.
const NEXT: &str = "proxy_next_upstream";
const TRIES: &str = "proxy_next_upstream_tries";
const TIMEOUT: &str = "proxy_next_upstream_timeout";

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    if source.get(Field::Base) != 0 || !source.is_constant() {
        let field = if source.get(Field::Base) == 0 { Field::Growth } else { Field::Base };
        let instead = [
            (Field::Growth, Some(kind_number(Field::Growth, "constant"))),
            (Field::Base, Some(0)),
            (Field::Cap, None),
        ];
        let reason = "it tries the next server without a delay; use constant:base=0s";
        source.replace_all(field, &instead, reason);
    }
    source.only_common_fields();
    source.no_jitter();
    limit_by_servers(source);
    let tries = source.max_retries().map_or(0, |retries| retries.saturating_add(1));
    let elapsed = source.get(Field::MaxElapsed);
    if elapsed != MAX_NS && (elapsed == 0 || elapsed.rem_euclid(MS) != 0) {
        let reason = format!("{TIMEOUT} counts whole milliseconds, and 0 is no limit");
        source.replace(Field::MaxElapsed, next_multiple(elapsed, MS), reason);
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

/// Refuses more retries than there are servers: nginx tries each server of an upstream once.
fn limit_by_servers(source: &mut Source<'_>) {
    let retries = source.max_retries();
    let others = source.servers.map(|servers| u64::from(servers.saturating_sub(1)));
    match (retries, others) {
        (None, None) => source.refuse(
            Field::MaxRetries,
            "it tries each server of the upstream once; set max_retries, or say how many servers \
             there are",
        ),
        (retries, Some(others)) if retries.is_none_or(|retries| retries > others) => {
            let reason = format!(
                "it tries each of the {} servers once; set max_retries={others}",
                others.saturating_add(1),
            );
            source.replace(Field::MaxRetries, others, reason);
        }
        (Some(retries), None) if retries > 0 => source.warn(format!(
            "nginx tries each server of the upstream once: with fewer than {} servers it retries \
             less often",
            retries.saturating_add(1),
        )),
        _ => {}
    }
}

/// What was read, and a warning.
pub(crate) type Warned = ((Policy, Option<Budget>), Option<String>);

pub(crate) fn read(text: &str, servers: Option<u32>) -> Result<Warned, ImportError> {
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
    let limit = if is_off { Some(0) } else { tries.checked_sub(1) };
    let others = servers.map(|servers| u64::from(servers.saturating_sub(1)));
    let retries = match (limit, others) {
        (Some(limit), Some(others)) => limit.min(others),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => {
            let reason = "without a limit, each server of the upstream is tried once; say how many \
                          servers there are";
            return Err(ImportError::new(TRIES, reason));
        }
    };
    let warning = (others.is_none() && retries > 0).then(|| {
        let servers = retries.saturating_add(1);
        format!("with fewer than {servers} servers in the upstream, nginx retries less often")
    });
    let read = Read::default()
        .kind(Field::Growth, "constant")
        .with(Field::Base, 0)
        .with(Field::MaxRetries, retries)
        .with(Field::MaxElapsed, if timeout == 0 { MAX_NS } else { timeout })
        .with(Field::RetryAfterMax, 0)
        .policy(TRIES)?;
    Ok(((read, None), warning))
}

/// The number of tries; 0 is no limit.
fn read_tries(values: &[String]) -> Result<u64, ImportError> {
    let number = match values {
        [number] if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse().ok(),
        _ => None,
    };
    number.filter(|&tries| tries <= NO_RETRY_LIMIT).ok_or_else(|| {
        let values = cut(&values.join(" "));
        let reason = format!("\"{values}\" is not a number from 0 to {NO_RETRY_LIMIT}");
        ImportError::new(TRIES, reason)
    })
}

/// The nanoseconds of a time such as `10s`, `1m30s`, `500ms` or `10`, which is seconds.
fn read_timeout(values: &[String]) -> Result<u64, ImportError> {
    let time = match values {
        [time] => read_time(time).filter(|&ns| ns < MAX_NS),
        _ => None,
    };
    time.ok_or_else(|| {
        let values = cut(&values.join(" "));
        ImportError::new(TIMEOUT, format!("\"{values}\" is not a time such as 10s or 1m30s"))
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
        let words = words.iter().map(|word| cut(word)).take(WORDS_SHOWN).collect::<Vec<_>>();
        Err(ImportError::new(words.join(" "), "a directive ends with a semicolon"))
    }
}

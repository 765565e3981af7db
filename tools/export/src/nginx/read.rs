//! Reading directives, which blocks inherit from those around them.

use std::collections::HashMap;
use std::net::IpAddr;

use backoff_core::{Field, FieldValue, MAX_NS, Policy};

use super::blocks::{Block, parse, shown};
use super::names::{ATTEMPT_TIMEOUTS, NEXT, TIMEOUT, TRIES};
use crate::error::ImportError;
use crate::found::{Found, ImportOptions, is_within, listed};
use crate::limits::{self, Ends};
use crate::policy::Read;
use crate::source::NO_RETRY_LIMIT;
use crate::text::{MS, SECOND, cut, ns, read_units};

/// The directives in force in a block: their values.
#[derive(Clone, Copy, Default)]
struct Settings<'a> {
    next: Option<&'a [String]>,
    tries: Option<&'a [String]>,
    timeout: Option<&'a [String]>,
    attempt_timeouts: [Option<&'a [String]>; ATTEMPT_TIMEOUTS.len()],
}

/// The policy of each block that passes requests on under a directive; if there is none, that has a
/// directive; if there is none either, that passes requests on.
pub(crate) fn find(text: &str, options: ImportOptions<'_>) -> Result<Vec<Found>, ImportError> {
    let root = parse(text)?;
    let mut search = Search { servers: options.servers, ..Search::default() };
    search.find_upstreams(&root);
    search.find_policies(&root, "", Settings::default())?;
    let Search { passing, others, defaults, .. } = search;
    let at = options.at.unwrap_or_default();
    let is_chosen = |found: &Found| is_within(&found.at, at);
    let mut found = if passing.iter().any(is_chosen) {
        passing
    } else if others.iter().any(is_chosen) {
        others
    } else if defaults.iter().any(is_chosen) {
        return Ok(defaults);
    } else {
        let all: Vec<_> = [passing, others, defaults].into_iter().flatten().collect();
        let error = || ImportError::new("", format!("no directive {NEXT}, {TRIES} or {TIMEOUT}"));
        return if all.is_empty() { Err(error()) } else { Ok(all) };
    };
    let left: Vec<_> = defaults.into_iter().filter(is_chosen).map(|found| found.at).collect();
    if !left.is_empty() {
        let note = format!(
            "not imported, because no directive is set there: {}; nginx tries each server of such an \
             upstream once",
            listed(left, ", "),
        );
        for found in &mut found {
            found.warnings.push(note.clone());
        }
    }
    Ok(found)
}

#[derive(Default)]
struct Search<'a> {
    /// How many servers the user says there are.
    servers: Option<u32>,
    /// How many servers each upstream has.
    upstreams: HashMap<&'a str, Option<u32>>,
    /// Blocks that pass requests on.
    passing: Vec<Found>,
    /// Blocks whose directives others inherit, perhaps in another file.
    others: Vec<Found>,
    /// Blocks that pass requests on without a directive.
    defaults: Vec<Found>,
}

impl<'a> Search<'a> {
    fn find_upstreams(&mut self, block: &'a Block) {
        if let [first, name] = block.words.as_slice()
            && first == "upstream"
        {
            self.upstreams.insert(name, servers_of(block));
        }
        for inside in &block.blocks {
            self.find_upstreams(inside);
        }
    }

    fn find_policies(
        &mut self,
        block: &'a Block,
        at: &str,
        outer: Settings<'a>,
    ) -> Result<(), ImportError> {
        let (next, tries, timeout) = (block.one(NEXT)?, block.one(TRIES)?, block.one(TIMEOUT)?);
        let mut settings = Settings {
            next: next.or(outer.next),
            tries: tries.or(outer.tries),
            timeout: timeout.or(outer.timeout),
            attempt_timeouts: outer.attempt_timeouts,
        };
        for (name, own) in ATTEMPT_TIMEOUTS.into_iter().zip(&mut settings.attempt_timeouts) {
            *own = block.one(name)?.or(*own);
        }
        let passes = block.one("proxy_pass")?.is_some();
        let servers = self.servers_of(block)?;
        let is_set = [settings.next, settings.tries, settings.timeout].iter().any(Option::is_some);
        let has_own = next.is_some() || tries.is_some() || timeout.is_some();
        if passes || has_own {
            let list = match (passes, is_set) {
                (true, true) => &mut self.passing,
                (true, false) => &mut self.defaults,
                (false, _) => &mut self.others,
            };
            let (read, mut warnings) = match read(settings, servers) {
                Ok((policy, warning)) => (Ok((policy, None)), Vec::from_iter(warning)),
                Err(error) => (Err(error), Vec::new()),
            };
            for (name, value) in ATTEMPT_TIMEOUTS.into_iter().zip(settings.attempt_timeouts) {
                let value = value.map(|value| cut(&value.join(" ")));
                warnings
                    .extend(value.map(|value| limits::warning(name, &value, None, Ends::Attempt)));
            }
            list.push(Found::new(at, read).warn(warnings));
        }
        // Blocks that are shown alike have a number.
        let mut counts: HashMap<_, (usize, usize)> = HashMap::new();
        for inside in &block.blocks {
            let (all, _) = counts.entry(shown(&inside.words)).or_default();
            *all = all.saturating_add(1);
        }
        for inside in &block.blocks {
            let words = shown(&inside.words);
            let (all, count) = counts.entry(words.clone()).or_default();
            let number = if *all == 1 { String::new() } else { format!("[{count}]") };
            let dot = if at.is_empty() { "" } else { "." };
            let place = format!("{at}{dot}{words}{number}");
            *count = count.saturating_add(1);
            self.find_policies(inside, &place, settings)?;
        }
        Ok(())
    }

    /// How many servers the `proxy_pass` of a block can try, if that is known.
    fn servers_of(&self, block: &Block) -> Result<Option<u32>, ImportError> {
        let Some([url, ..]) = block.one("proxy_pass")? else { return Ok(self.servers) };
        let (_, rest) = url.split_once("://").unwrap_or(("", url));
        let name = rest.split('/').next().unwrap_or_default();
        Ok(self.servers.or_else(|| self.upstreams.get(name).copied().flatten()))
    }
}

/// The servers of an upstream that are not `down`; none if a name may stand for several.
fn servers_of(upstream: &Block) -> Option<u32> {
    let mut count = 0_u32;
    for words in &upstream.directives {
        let [first, address, parameters @ ..] = words.as_slice() else { continue };
        if first != "server" || parameters.iter().any(|word| word == "down") {
            continue;
        }
        let host = address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host);
        let is_one = |host: &str| {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            host.parse::<IpAddr>().is_ok()
        };
        if !address.starts_with("unix:") && !is_one(host) && !is_one(address) {
            return None;
        }
        count = count.saturating_add(1);
    }
    Some(count).filter(|&count| count > 0)
}

fn read(
    settings: Settings<'_>,
    servers: Option<u32>,
) -> Result<(Policy, Option<String>), ImportError> {
    let tries = settings.tries.map(read_tries).transpose()?.unwrap_or(0);
    let timeout = settings.timeout.map(read_timeout).transpose()?.unwrap_or(0);
    let is_off = settings.next.is_some_and(|values| values.iter().any(|value| value == "off"));
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
    let policy = Read::constant(0)
        .with(Field::MaxRetries, FieldValue::Count(retries))
        .with(Field::MaxElapsed, if timeout == 0 { FieldValue::NoLimit } else { ns(timeout) })
        .with(Field::RetryAfterMax, ns(0))
        .policy(TRIES)?;
    Ok((policy, warning))
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
        ("ms", MS),
        ("w", 604_800 * SECOND),
        ("d", 86_400 * SECOND),
        ("h", 3_600 * SECOND),
        ("m", 60 * SECOND),
        ("s", SECOND),
        ("", SECOND),
    ];
    read_units(text, &UNITS, |number, unit| number.parse::<u64>().ok()?.checked_mul(unit))
}

//! Answers request lines (see tests/README.md). The differential test and the demo compare the
//! languages by their drivers.

use std::io::{self, BufRead, Write};

use backoff_core::ffi::{self, Params, Unit};
use backoff_core::{Backoff, Field, RandomStream};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", answer(&line?).expect("a request line"))?;
    }
    out.flush()
}

fn answer(line: &str) -> Option<String> {
    let mut params = Params::default();
    let (mut seed, mut key, mut via, mut index, mut count) = (0, None, "", 0, 0);
    for token in line.split_ascii_whitespace() {
        let (name, value) = token.split_once('=')?;
        match name {
            "seed" => seed = value.parse().ok()?,
            "key" => key = Some(bytes(value)?),
            "via" => via = value,
            "index" => index = value.parse().ok()?,
            "count" => count = value.parse().ok()?,
            _ => {
                let field = ffi::field_from_name(name)?;
                params.set(field, field_value(field, value)?);
            }
        }
    }
    let policy = match ffi::build_policy(&params) {
        Ok(policy) => policy,
        Err(error) => {
            return Some(format!(
                "error {} {} {} {}",
                error.code().name(),
                error.field().name(),
                error.value(),
                error.limit()
            ));
        }
    };
    let stream = key.map_or(RandomStream::from_seed(seed), |key| RandomStream::from_key(seed, key));
    let mut backoff = Backoff::new(policy, stream);
    let mut delays = vec![0; count];
    let written = match via {
        "at" => {
            for (index, delay) in (index..=u32::MAX).zip(&mut delays) {
                *delay = policy.delay_ns(stream, index);
            }
            count
        }
        "fill" => policy.fill_ns(stream, index, &mut delays),
        "next" => {
            let taken = std::iter::from_fn(|| backoff.next_ns());
            delays.iter_mut().zip(taken).map(|(delay, taken)| *delay = taken).count()
        }
        "reset" => {
            (0..index).take_while(|_| backoff.next_ns().is_some()).for_each(drop);
            backoff.reset();
            backoff.fill_ns(&mut delays)
        }
        _ => return None,
    };
    Some(delays[..written].iter().fold("ok".to_owned(), |line, delay| format!("{line} {delay}")))
}

fn field_value(field: Field, value: &str) -> Option<u64> {
    match ffi::field_unit(field) {
        Unit::Kind(_) => Some(ffi::kind_number(field, value)),
        Unit::Ratio => {
            let (n, d) = value.split_once('/')?;
            Some(ffi::ratio_value(n.parse().ok()?, d.parse().ok()?))
        }
        _ => value.parse().ok(),
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok()).collect()
}

//! The evaluator (see tests/README.md). It reads a policy string, a stream and an index, and writes
//! the canonical string and the delay, one JSON object per line.

use std::io::{self, BufRead, Write};

use backoff_core::{Policy, RandomStream};
use serde_json::Value;

/// A request line.
struct Request {
    policy: String,
    seed: u64,
    key: Option<String>,
    index: u32,
}

fn main() -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        answer(&mut out, request(line.strip_suffix(b"\n").unwrap_or(&line)))?;
        line.clear();
    }
    out.flush()
}

fn answer(out: &mut impl Write, request: Option<Request>) -> io::Result<()> {
    let Some(Request { policy, seed, key, index }) = request else {
        return writeln!(out, r#"{{"error":"not_a_request","at":0}}"#);
    };
    match Policy::parse(policy) {
        Ok(policy) => {
            let stream =
                key.map_or(RandomStream::from_seed(seed), |key| RandomStream::from_key(seed, key));
            let delay = policy.delay_ns(stream, index);
            writeln!(out, r#"{{"canonical":"{policy}","delay_ns":"{delay}"}}"#)
        }
        Err(error) => {
            writeln!(out, r#"{{"error":"{}","at":{}}}"#, error.code().name(), error.at())
        }
    }
}

fn request(line: &[u8]) -> Option<Request> {
    let Value::Object(members) = serde_json::from_slice(line).ok()? else { return None };
    let seed = members.get("seed").map_or(Some("0"), Value::as_str)?;
    let seed = Some(seed).filter(|seed| seed.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some(Request {
        policy: members.get("policy")?.as_str()?.to_owned(),
        seed: seed.parse().ok()?,
        key: match members.get("key") {
            None | Some(Value::Null) => None,
            Some(key) => Some(key.as_str()?.to_owned()),
        },
        index: members.get("index").map_or(Some(0), whole)?,
    })
}

/// A whole number of at most 32 bits, in any notation.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range")]
fn whole(number: &Value) -> Option<u32> {
    let number = number.as_f64()?;
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    is_whole.then_some(number as u32)
}

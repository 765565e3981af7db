//! The vectors of delays, draws and streams as requests.

use anyhow::{Context, Result};
use backoff_core::RandomStream;
use serde::Deserialize;

use super::clauses;
use super::plan::Plan;
use super::request::{Request, bytes, delay, stream};
use super::strings::text_of;
use super::vectors::{Fields, Ignored, cases};

/// Its delay is half the draw, rounded down (SPEC 10), so it shows all but the lowest bit.
const HALF_THE_DRAW: &str = "constant:base=9223372036854775807ns,jitter=full";

#[derive(Deserialize)]
struct DrawCase {
    id: String,
    why: String,
    stream: String,
    index: u32,
    draw: String,
}

#[derive(Deserialize)]
struct StreamCase {
    id: String,
    why: String,
    seed: String,
    key: Option<String>,
    stream: String,
}

#[derive(Deserialize)]
struct SequenceCase {
    id: String,
    why: String,
    policy: Fields,
    seed: String,
    key: Option<String>,
    first: u32,
    windows: Vec<String>,
    delays: Vec<String>,
}

/// Adds the requests of these vectors.
pub(crate) fn add(plan: &mut Plan) -> Result<()> {
    for case in cases::<DrawCase>("draws")? {
        let draw: u64 = case.draw.parse()?;
        let request =
            Request { seed: Some(case.stream), index: Some(case.index), ..half_the_draw() };
        let id = format!("draws/{}", case.id);
        plan.cases.push(delay("2.1", id, case.why, &request, &(draw / 2).to_string())?);
    }
    for case in cases::<StreamCase>("streams")? {
        let clause = clauses::of_stream(case.key.as_deref());
        let key = case.key.as_deref().map(bytes).transpose()?.map(String::from_utf8);
        let Ok(key) = key.transpose() else {
            plan.skip(clause, 1, "streams", "a key of a request is text");
            continue;
        };
        let draw = RandomStream::from_seed(case.stream.parse()?).draw(0);
        let request = Request { seed: Some(case.seed), key, ..half_the_draw() };
        let id = format!("streams/{}", case.id);
        plan.cases.push(delay(clause, id, case.why, &request, &(draw / 2).to_string())?);
    }
    for layer in ["samples", "growths", "jitters", "caps", "articles"] {
        for case in cases::<SequenceCase>(layer)? {
            add_sequence(plan, layer, &case)?;
        }
    }
    let resets = cases::<Ignored>("resets")?.len();
    plan.skip("9.2", resets, "iterators that are reset", "the protocol has no iterators");
    Ok(())
}

fn add_sequence(plan: &mut Plan, layer: &str, case: &SequenceCase) -> Result<()> {
    plan.skip("5.3", case.windows.len(), "windows", "the protocol asks for delays alone");
    let text = text_of(&case.policy).context("a valid policy has a string")?.text;
    let clause = clauses::of_delays(layer, &case.id, &case.policy);
    let (seed, key) = stream(&case.seed, case.key.as_deref())?;
    for (index, ns) in (case.first..=u32::MAX).zip(&case.delays) {
        let request = Request {
            policy: Some(&text),
            seed: Some(seed.clone()),
            key: key.clone(),
            index: Some(index),
            ..Request::default()
        };
        let id = format!("{layer}/{}[{index}]", case.id);
        plan.cases.push(delay(clause, id, case.why.clone(), &request, ns)?);
    }
    Ok(())
}

fn half_the_draw() -> Request<'static> {
    Request { policy: Some(HALF_THE_DRAW), ..Request::default() }
}

//! Lines that are requests in an unusual notation, and lines that are none (`tests/README.md`).

mod not_requests;
mod requests;

use self::not_requests::NOT_A_REQUEST;
use super::case::Case;
use super::clauses::PROTOCOL;
use super::plan::Plan;

/// Adds these lines.
///
/// A request follows each line that is not a request, so that an evaluator which drops lines is found
/// where it drops one. The very last line is a request, and has no line feed. One more request ends
/// in a line feed: `backoff verify` sends it alone, in a second run.
pub(crate) fn add(plan: &mut Plan) {
    let seeds = (1_u64..).map(|seed| {
        // No jitter: the delay is the base.
        let request = format!(r#"{{"policy":"constant:base={seed}ns"}}"#);
        let canonical = format!("constant:base={seed}ns");
        (request, format!(r#"{{"canonical":"{canonical}","delay_ns":"{seed}"}}"#))
    });
    let mut add = |id: String, why: &str, request: &[u8], expected: String| {
        let request = request.to_vec();
        plan.cases.push(Case::new(PROTOCOL, id, why.to_owned(), request, expected));
    };
    for ((number, (why, request)), (after, answer)) in (1..).zip(not_requests::lines()).zip(seeds) {
        let expected = NOT_A_REQUEST.to_owned();
        add(format!("protocol/not-a-request-{number}"), why, &request, expected);
        let why = "a request after a line that is not a request";
        add(format!("protocol/after-{number}"), why, after.as_bytes(), answer);
    }
    for (number, (why, request, expected)) in (1..).zip(requests::lines()) {
        add(format!("protocol/request-{number}"), why, request.as_bytes(), expected.to_owned());
    }
    let why = "the command runs a second time, on one request that ends in a line feed, and must give \
               one answer: a line feed at the end of the input does not start another line";
    let request = b"{\"policy\":\"constant:base=1s\"}\n";
    let expected = r#"{"canonical":"constant:base=1s","delay_ns":"1000000000"}"#;
    add("protocol/last-line-feed".to_owned(), why, request, expected.to_owned());
}

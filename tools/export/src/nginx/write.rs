//! Writing directives.

use backoff_core::{Budget, Field, FieldValue, MAX_NS};

use super::names::{NEXT, TIMEOUT, TRIES};
use crate::source::{Hints, Source, next_multiple};
use crate::text::{MS, ns};

pub(crate) fn write(source: &mut Source<'_>, budget: Option<&Budget>) -> String {
    if source.ns(Field::Base) != 0 || !source.is_constant() {
        let base = source.policy.get(Field::Base).and_then(FieldValue::as_ns);
        let field = if base.is_none_or(|ns| ns == 0) { Field::Growth } else { Field::Base };
        let instead = [
            (Field::Growth, Some(FieldValue::Kind("constant"))),
            (Field::Base, Some(ns(0))),
            (Field::Cap, None),
        ];
        let reason = "it tries the next server without a delay; use constant:base=0s";
        source.replace_all(field, &instead, reason);
    }
    source.only_common_fields();
    source.no_jitter();
    limit_by_servers(source);
    let tries = source.max_retries().map_or(0, |retries| retries.saturating_add(1));
    let elapsed = source.ns(Field::MaxElapsed);
    if elapsed != MAX_NS && (elapsed == 0 || elapsed.rem_euclid(MS) != 0) {
        let reason = format!("{TIMEOUT} counts whole milliseconds, and 0 is no limit");
        source.replace(Field::MaxElapsed, ns(next_multiple(elapsed, MS)), reason);
    }
    source.no_attempt_timeout("proxy_read_timeout limits the time between two reads");
    source.hints(&Hints::Ignored);
    source.no_budget(budget);
    let timeout = if elapsed == MAX_NS { "0".to_owned() } else { ns(elapsed).to_string() };
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
            source.replace(Field::MaxRetries, FieldValue::Count(others), reason);
        }
        (Some(retries), None) if retries > 0 => source.warn(format!(
            "nginx tries each server of the upstream once: with fewer than {} servers it retries \
             less often",
            retries.saturating_add(1),
        )),
        _ => {}
    }
}

//! What the vectors of `tests/vectors` say beside the requests of `requests.jsonl`, which the example
//! `evaluate` answers in its own test: resets, fields, messages, resumptions and stats.

mod vectors;

use backoff_core::ffi::{self, FieldSet, Unit};
use backoff_core::{
    Backoff, Budget, BudgetLevel, ErrorCode, Field, FieldValue, MAX_NS, Operation, Outcome,
    ParseError, Policy, PolicyError, RandomStream, RetryStats, StopReason, Waits,
    is_idempotent_method, parse_retry_after_ns,
};
use serde_json::Value;

use crate::vectors::{cases, number};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn digits(value: &Value) -> u64 {
    number(text(value))
}

fn all_digits(values: &Value) -> Vec<u64> {
    values.as_array().unwrap().iter().map(digits).collect()
}

fn stream(case: &Value) -> RandomStream {
    vectors::stream(text(&case["seed"]), case["key"].as_str())
}

/// The policy of fields, which may have any numbers.
fn build(fields: &Value) -> Result<Policy, PolicyError> {
    let mut params = FieldSet::default();
    for (name, value) in fields.as_object().unwrap() {
        let field = ffi::field_from_name(name).unwrap();
        if field == Field::Waits {
            params.set_waits(Waits::from_ns(all_digits(value)));
            continue;
        }
        let value = text(value);
        let number = match (ffi::field_unit(field), value.split_once('/')) {
            (Unit::Kind(_), _) => value.parse().unwrap_or_else(|_| ffi::kind_number(field, value)),
            (_, Some((n, d))) => number(n) << 32 | number(d),
            _ => number(value),
        };
        params.set(field, number);
    }
    ffi::build_policy(&params)
}

#[test]
fn streams_and_times_that_no_request_has() {
    for case in cases::<Value>("streams") {
        let state = stream(&case).state();
        assert_eq!(state, digits(&case["stream"]), "{}", case["id"]);
    }
    for case in cases::<Value>("retry_after") {
        let wait = parse_retry_after_ns(text(&case["value"]), digits(&case["now"]));
        assert_eq!(wait, case["retry_after"].as_str().map(number), "{}", case["id"]);
    }
}

#[test]
fn resets() {
    for case in cases::<Value>("resets") {
        let id = &case["id"];
        let mut backoff = Backoff::new(build(&case["policy"]).unwrap(), stream(&case));
        let mut batches = backoff.clone();
        let (asked, runs) = (case["asked"].as_array().unwrap(), case["runs"].as_array().unwrap());
        assert_eq!(asked.len(), runs.len(), "{id}");
        for (asked, run) in asked.iter().zip(runs) {
            let (asked, run) = (asked.as_u64().unwrap(), all_digits(run));
            let mut want = run.iter();
            for index in 0..asked {
                assert_eq!(backoff.index(), index.min(run.len() as u64), "{id}");
                assert_eq!(backoff.next_ns(), want.next().copied(), "{id} {index}");
            }
            let mut filled = vec![0; usize::try_from(asked).unwrap()];
            let written = batches.fill_ns(&mut filled);
            assert_eq!(filled[..written], run, "{id}");
            if filled.len() > run.len() {
                assert_eq!(batches.fill_ns(&mut filled), 0, "{id}");
            }
            for backoff in [&mut backoff, &mut batches] {
                assert_eq!(backoff.index(), run.len() as u64, "{id}");
                backoff.reset();
                assert_eq!(backoff.index(), 0, "{id}");
            }
        }
        for backoff in [backoff, batches] {
            assert_eq!(backoff.stream().state(), digits(&case["stream"]), "{id}");
        }
    }
}

fn assert_is(error: &PolicyError, want: &Value, id: &Value) {
    assert_eq!(error.to_string(), text(&want["message"]), "{id}");
    let found = (error.code().name(), error.field().name(), error.value(), error.limit());
    let [code, field] = ["code", "field"].map(|name| text(&want[name]));
    assert_eq!(found, (code, field, digits(&want["value"]), digits(&want["limit"])), "{id}");
}

#[test]
fn errors() {
    for case in cases::<Value>("errors") {
        assert_is(&build(&case["policy"]).unwrap_err(), &case["error"], &case["id"]);
    }
    for case in cases::<Value>("fits") {
        let policy = Policy::parse(text(&case["policy"])).unwrap();
        let (attempts, total) = (case["attempts"].as_u64().unwrap(), digits(&case["total"]));
        let fitted = match text(&case["field"]) {
            "base" => policy.fit_base(attempts, total),
            _ => policy.fit_cap(attempts, total),
        };
        match fitted {
            Ok(fitted) => assert_eq!(fitted.to_string(), text(&case["canonical"])),
            Err(error) => assert_is(&error, &case["error"], &case["id"]),
        }
    }
    for case in cases::<Value>("text_errors") {
        let (id, want) = (&case["id"], &case["error"]);
        let error = canonical(&case["of"], text(&case["text"])).expect_err(text(id));
        assert_eq!(error.to_string(), text(&want["message"]), "{id}");
        let found = (error.code().name(), error.at() as u64, error.field().map(Field::name));
        let at = want["at"].as_u64().unwrap();
        assert_eq!(found, (text(&want["code"]), at, want["field"].as_str()), "{id}");
        let numbers = (digits(&want["value"]), digits(&want["limit"]));
        assert_eq!((error.value(), error.limit()), numbers, "{id}");
        let shown = text(&want["found"]).as_bytes();
        assert_eq!(error.found_length(), shown.len(), "{id}");
        assert_eq!(error.found(), &shown[..shown.len().min(ParseError::FOUND_CAPACITY)], "{id}");
    }
}

/// The canonical string of a policy or a budget.
fn canonical(of: &Value, text: &str) -> Result<String, ParseError> {
    match of.as_str() {
        Some("policy") => Policy::parse(text).map(|policy| policy.to_string()),
        _ => Budget::parse(text).map(|budget| budget.to_string()),
    }
}

#[test]
fn fields() {
    for case in cases::<Value>("texts") {
        let (id, text) = (&case["id"], text(&case["text"]));
        check_fields(&case["of"], text);
        for (name, value) in case["policy"].as_object().into_iter().flatten() {
            let (policy, field) = (Policy::parse(text).unwrap(), ffi::field_from_name(name));
            assert_eq!(shown(&policy, field.unwrap()).as_ref(), Some(value), "{id} {name}");
            assert_eq!(build(&case["policy"]), Ok(policy), "{id}");
        }
    }
    for case in cases::<Value>("presets") {
        for name in ["preset", "string"] {
            check_fields(&case["of"], text(&case[name]));
        }
        for (index, window) in (0..).zip(case["windows"].as_array().into_iter().flatten()) {
            let policy = Policy::parse(text(&case["preset"])).unwrap();
            assert_eq!(policy.window_ns(index), digits(window), "{} {index}", case["id"]);
        }
    }
}

/// The value of a field as the vectors write it.
fn shown(policy: &Policy, field: Field) -> Option<Value> {
    Some(
        match policy.get(field)? {
            FieldValue::Waits(waits) => {
                return Some(waits.as_ns().iter().map(u64::to_string).collect());
            }
            FieldValue::Kind(name) => name.to_owned(),
            FieldValue::Ratio(ratio) => format!("{}/{}", ratio.numerator(), ratio.denominator()),
            FieldValue::NoLimit if field == Field::MaxRetries => (1_u64 << 32).to_string(),
            FieldValue::NoLimit if field == Field::MaxAttempts => ((1_u64 << 32) + 1).to_string(),
            FieldValue::NoLimit => MAX_NS.to_string(),
            value => value.as_ns().or(value.as_count()).unwrap().to_string(),
        }
        .into(),
    )
}

/// The policy or budget that is made of the values of its fields is equal.
fn check_fields(of: &Value, text: &str) {
    if of == "policy" {
        let policy = Policy::parse(text).unwrap();
        let attempts = policy.get(Field::MaxAttempts).unwrap();
        let mut by_retries = Policy::constant(std::time::Duration::ZERO);
        for &field in Field::POLICY {
            let value = policy.get(field).filter(|_| field != Field::MaxAttempts);
            by_retries = match value {
                Some(value) => by_retries.set(field, value),
                None => by_retries.unset(field),
            };
        }
        let by_attempts = by_retries.unset(Field::MaxRetries).set(Field::MaxAttempts, attempts);
        for builder in [by_retries, by_attempts, policy.to_builder()] {
            assert_eq!(builder.build(), Ok(policy), "{text}");
        }
        assert!(Field::BUDGET.iter().all(|&field| policy.get(field).is_none()), "{text}");
    } else {
        let budget = Budget::parse(text).unwrap();
        let pair = |&field: &Field| Some(format!("{field}={}", budget.get(field)?));
        let pairs: Vec<_> = Field::BUDGET.iter().skip(1).filter_map(pair).collect();
        let built = Budget::parse(format!("{}:{}", budget.kind(), pairs.join(","))).unwrap();
        assert_eq!(built.to_string(), budget.to_string(), "{text}");
        assert_eq!(budget.get(Field::Budget), Some(FieldValue::Kind(budget.kind())), "{text}");
        assert!(Field::POLICY.iter().all(|&field| budget.get(field).is_none()), "{text}");
    }
}

#[test]
fn defaults_follow_what_they_depend_on() {
    let doubled = FieldValue::Duration(std::time::Duration::from_secs(2));
    let policy = Policy::parse("linear:base=1s,max_retries=3").unwrap();
    let policy = policy.to_builder().set(Field::Base, doubled).build().unwrap();
    assert_eq!(policy.to_string(), "linear:base=2s,max_retries=3");
    let values = [Field::Increment, Field::ThrottledBase].map(|field| policy.get(field));
    assert_eq!(values, [Some(doubled); 2]);
}

#[test]
fn a_builder_refuses_what_is_no_value_of_a_field() {
    let count = FieldValue::Count(5);
    let duration = FieldValue::Duration(std::time::Duration::MAX);
    let too_large = "is above 9223372036854775807ns";
    let table = [
        (Field::MaxTokens, count, ErrorCode::Unused, "max_tokens 5 is not used by a policy"),
        (Field::Cap, count, ErrorCode::TooLarge, too_large),
        (Field::Cap, duration, ErrorCode::TooLarge, too_large),
        (Field::Base, FieldValue::NoLimit, ErrorCode::TooLarge, too_large),
        (Field::Multiplier, count, ErrorCode::RatioTooFine, "has a term above 1000000"),
        (Field::MaxRetries, duration, ErrorCode::TooLarge, "is above 4294967296"),
        (Field::Jitter, FieldValue::Kind("window"), ErrorCode::UnknownKind, "proportional, "),
        (Field::Jitter, count, ErrorCode::UnknownKind, "proportional, "),
    ];
    let policy = Policy::parse("exponential:base=1s").unwrap();
    for (field, value, code, message) in table {
        let error = policy.to_builder().set(field, value).build().unwrap_err();
        assert_eq!((error.field(), error.code()), (field, code));
        assert!(error.to_string().contains(message), "{error}");
    }
    assert_eq!(policy.to_builder().unset(Field::MaxTokens).build(), Ok(policy));
}

#[test]
fn http_methods() {
    for case in cases::<Value>("http_methods") {
        assert_eq!(
            is_idempotent_method(text(&case["method"])),
            case["idempotent"],
            "{}",
            case["id"]
        );
    }
}

#[test]
fn resumptions() {
    for case in cases::<Value>("resumptions") {
        let (id, get) = (&case["id"], |name: &str| case[name].as_str().map(number));
        let mut operation = Operation::resume(
            Policy::parse(text(&case["policy"])).unwrap(),
            RandomStream::from_seed(digits(&case["stream"])),
            digits(&case["retries"]),
            digits(&case["begun"]),
            get("deadline"),
        );
        let name = text(&case["outcome"]);
        let outcome = Outcome::ALL.iter().find(|outcome| outcome.name() == name).unwrap();
        let now = digits(&case["now"]);
        let decision = operation.decide(*outcome, get("retry_after"), now, None);
        let (answer, delay) = (&case["answer"], decision.delay_ns());
        match decision.stop_reason() {
            None => assert_eq!(delay, digits(&answer["wait"]), "{id}"),
            Some(reason) => {
                let want = (text(&answer["stop"]), digits(&answer["delay"]));
                assert_eq!((reason.name(), delay), want, "{id}");
            }
        }
        assert_eq!(operation.retries(), digits(&case["retries_after"]), "{id}");
        assert_eq!(operation.refuse_retry(None).name(), text(&case["refused"]), "{id}");
        assert_eq!(operation.retries(), digits(&case["retries_refused"]), "{id}");
    }
}

#[test]
fn stats() {
    for case in cases::<Value>("stats") {
        let [stats, more] = ["records", "more"].map(|name| recorded(&case[name]));
        stats.merge(&more);
        let lines: String =
            stats.prometheus().map(|line| line.as_str().to_owned() + "\n").collect();
        assert_eq!(lines, text(&case["text"]), "{}", case["id"]);
    }
}

fn recorded(records: &Value) -> RetryStats {
    let stats = RetryStats::new();
    for record in records.as_array().unwrap() {
        let reason = text(&record[1]);
        let reason = StopReason::ALL.iter().find(|known| known.name() == reason).unwrap();
        for _ in 0..record[2].as_u64().unwrap() {
            stats.record(record[0].as_u64().unwrap(), *reason);
        }
    }
    stats
}

#[test]
fn labels_of_stats() {
    for case in cases::<Value>("stats_labels") {
        let labels = case["labels"].as_array().unwrap();
        let labels: Vec<_> = labels.iter().map(|pair| (text(&pair[0]), text(&pair[1]))).collect();
        let printed = recorded(&case["records"]).prometheus_text(text(&case["prefix"]), &labels);
        let printed = printed.ok().map(|text| text.to_string());
        assert_eq!(printed.as_deref(), case["text"].as_str(), "{}", case["id"]);
    }
}

#[test]
fn a_refused_label_is_named_with_its_rule() {
    let refused = |prefix: &str, names: &[&str]| {
        let labels: Vec<_> = names.iter().map(|name| (*name, "x")).collect();
        RetryStats::new().prometheus_text(prefix, &labels).unwrap_err().to_string()
    };
    let label = "cannot be the name of a label";
    for (message, found, rule) in [
        (refused("9a", &[]), "\"9a\" cannot begin the name of a metric", "letters"),
        (refused("a", &["b", "a b"]), &format!("\"a\\x20b\" {label}"), "letters"),
        (refused("a", &["__b"]), &format!("\"__b\" {label}"), "__ in front"),
        (refused("a", &["le"]), &format!("\"le\" {label}"), "their own"),
        (refused("a", &["b", "c", "b"]), "\"b\" is the name of two labels", ""),
    ] {
        assert!(message.starts_with(found) && message.contains(rule), "{message}");
    }
}

#[test]
fn levels_of_budgets() {
    let policy = Policy::parse("constant:base=0s").unwrap();
    for case in cases::<Value>("budget_levels") {
        let budget = Budget::parse(text(&case["budget"])).unwrap();
        let mut operations = std::collections::HashMap::new();
        for step in case["steps"].as_array().unwrap() {
            let (now, number, some) =
                (digits(&step["now"]), step["operation"].as_u64(), Some(&budget));
            if text(&step["do"]) == "begin" {
                let stream = RandomStream::from_seed(0);
                let operation = Operation::begin(policy, stream, now, None, some);
                operations.insert(number, operation);
            }
            match text(&step["do"]) {
                "outcome" => {
                    let name = text(&step["outcome"]);
                    let outcome = Outcome::ALL.iter().find(|known| known.name() == name).unwrap();
                    operations.get_mut(&number).unwrap().decide(*outcome, None, now, some);
                }
                "cancel" => {
                    operations.get_mut(&number).unwrap().cancel(some);
                }
                "level" => {
                    let [level, max, unit] =
                        ["level", "max", "unit"].map(|name| digits(&step[name]));
                    let expected = BudgetLevel { level, max, unit };
                    assert_eq!(budget.level(now), expected, "{} {step}", case["id"]);
                }
                _ => {}
            }
        }
    }
}

/// The first loop of each case, if nothing but its outcomes, its policy and its deadline decide.
#[test]
fn attempts_have_the_time_of_the_loops() {
    let or_none = |value: &Value| value.as_str().map(number);
    let mut count = 0;
    for case in cases::<Value>("loops") {
        let played = &case["loops"][0];
        let others = [&case["budget"], &played["cancel"], &played["fail"], &played["delays"]];
        let (Some(policy), true) = (case["policy"].as_str(), others.iter().all(|it| it.is_null()))
        else {
            continue;
        };
        let deadline = or_none(&played["deadline"]);
        let policy = Policy::parse(policy).unwrap();
        let any_stream = RandomStream::from_seed(0);
        let mut operation = Operation::begin(policy, any_stream, 0, deadline, None);
        let (mut now, mut waits) = (0, all_digits(&played["waits"]).into_iter());
        for (index, call) in played["calls"].as_array().unwrap().iter().enumerate() {
            let times = (operation.attempt_limit_ns(now), operation.time_left_ns(now));
            let want = (or_none(&played["limits"][index]), or_none(&played["time_left"][index]));
            assert_eq!(times, want, "{} {index}", case["id"]);
            // An attempt ends at its limit.
            now += digits(&call["takes"]).min(times.0.unwrap_or(u64::MAX));
            // A call that ends the loop in another way has no outcome.
            let Some(name) = call["outcome"].as_str() else { break };
            let outcome = *Outcome::ALL.iter().find(|outcome| outcome.name() == name).unwrap();
            operation.decide(outcome, or_none(&call["retry_after"]), now, None);
            now += waits.next().unwrap_or_default();
            count += 1;
        }
    }
    assert!(count > 150, "{count}");
}

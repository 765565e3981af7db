//! Mistakes that a Rust caller can make, and the errors they get.

use std::time::Duration;

use backoff_core::{
    Backoff, Field, FieldValue, Jitter, Policy, PolicyBuilder, RandomStream, Ratio, RatioError,
    RetryAfterMode,
};

fn second() -> PolicyBuilder {
    Policy::exponential(Duration::from_secs(1))
}

#[test]
fn the_error_of_an_invalid_policy_names_the_field_its_value_and_the_limit() {
    let year = Duration::from_hours(365 * 24);
    let long = "9223372036854775807ns";
    let table: Vec<(PolicyBuilder, String)> = vec![
        (second().cap(Duration::from_millis(5)), "cap 5ms is below base 1s".into()),
        (second().floor(2 * year).cap(year), "floor 730d is above cap 365d".into()),
        (second().offset(2 * year).cap(year), "offset 730d is above cap 365d".into()),
        (second().multiplier(Ratio::new(1, 2)), "multiplier 0.5 is below 1".into()),
        (second().multiplier(Ratio::new(1, 0)), "multiplier 1/0 has a zero denominator".into()),
        (second().increment(year), "increment 365d is not used by growth exponential".into()),
        (Policy::constant(Duration::MAX), format!("base 18446744073709551615ns is above {long}")),
        (
            Policy::linear(Duration::from_secs(1)).jitter(Jitter::Decorrelated),
            "growth linear cannot be combined with jitter decorrelated, which needs growth exponential".into(),
        ),
        (
            second().jitter(Jitter::Slotted { slot: Duration::ZERO }),
            "jitter_slot 0s is below 1ns".into(),
        ),
        (Policy::polynomial(year).power(17), "power 17 is above 16".into()),
    ];
    for (builder, message) in table {
        assert_eq!(builder.build().unwrap_err().to_string(), message);
    }
}

#[test]
fn the_last_jitter_replaces_all_of_an_earlier_one() {
    let below = Jitter::Proportional { below: Ratio::new(1, 2), above: Ratio::new(1, 2) };
    let twice = second().jitter(below).jitter(Jitter::Full).build().unwrap();
    assert_eq!(twice, second().jitter(Jitter::Full).build().unwrap());
}

/// As after a preset in a policy string.
#[test]
fn a_field_replaces_those_of_the_policy_that_exclude_it() {
    type Change = fn(PolicyBuilder) -> PolicyBuilder;
    let full = FieldValue::Kind("full");
    let table: [(&str, &str, Change); 4] = [
        ("default", "max_attempts=6", |builder| builder.max_attempts(6)),
        ("azure-core", "jitter=full", |builder| builder.jitter(Jitter::Full)),
        ("default", "base=1s,cap=2s", |builder| {
            builder.base(Duration::from_secs(1)).cap(Duration::from_secs(2))
        }),
        ("default", "max_retries=none", |builder| builder.unset(Field::MaxRetries)),
    ];
    for (preset, pairs, change) in table {
        let expected = Policy::parse(format!("{preset}:{pairs}")).unwrap();
        let preset = Policy::parse(preset).unwrap();
        assert_eq!(change(preset.to_builder()).build(), Ok(expected), "{pairs}");
    }
    let azure = Policy::parse("azure-core").unwrap().to_builder().set(Field::Jitter, full);
    assert_eq!(azure.build().ok(), Policy::parse("azure-core:jitter=full").ok());
    let both = Policy::parse("default").unwrap().to_builder().max_retries(2).max_attempts(3);
    assert!(both.build().is_err());
}

#[test]
fn a_text_that_is_not_a_ratio_is_an_error() {
    let long = "99999999999999999999";
    let digits = [format!("{long}/abc"), format!("x.{long}"), format!("{long}.x")];
    let syntax = [
        "", " 1", "1 ", "+1", "-1", "1.", ".5", "1/", "/2", "1/2/3", "1.5/2", "1,5", "NaN", "١",
        "e3", "1e", "1e+", "1e-+3", "1e1.5", "1e3%", "1/2e3", "20%e1",
    ];
    for text in syntax.into_iter().chain(digits.iter().map(String::as_str)) {
        assert_eq!(Ratio::parse(text), Err(RatioError::Syntax), "{text:?}");
    }
    for text in ["1/0", "0/0", "1/00", &format!("{long}/0")] {
        assert_eq!(Ratio::parse(text), Err(RatioError::ZeroDenominator), "{text:?}");
    }
    let digits = [format!("0.{long}3"), format!("{long}/{long}")];
    let too_fine = [
        "0.0000000001",
        "4294967296",
        "1e10",
        "1e-10",
        "1e-400",
        "1e99999999999999999999",
        "1/4294967296",
        "18446744073709551616",
    ];
    for text in too_fine.into_iter().chain(digits.iter().map(String::as_str)) {
        assert_eq!(Ratio::parse(text), Err(RatioError::TooFine), "{text:?}");
    }
    // Digits without meaning make a text long, but not longer than 1,024 bytes.
    let zeros = "0".repeat(1021);
    for (text, n, d) in [
        (format!("{zeros}007"), 7, 1),
        (format!("{zeros}07%"), 7, 100),
        (format!("0.7{zeros}"), 7, 10),
    ] {
        assert_eq!((text.len(), Ratio::parse(&text)), (1024, Ok(Ratio::new(n, d))), "{text}");
        assert_eq!(Ratio::parse(format!("0{text}")), Err(RatioError::TooLong), "{text}");
    }
    let places = format!("0.{}1e1001", "0".repeat(1000));
    assert_eq!(Ratio::parse(places), Ok(Ratio::new(1, 1)));
    for text in ["x".repeat(1025), "1/".to_owned() + &"0".repeat(1 << 20)] {
        assert_eq!(Ratio::parse(text), Err(RatioError::TooLong));
    }
    for (text, n, d) in [
        ("1.6", 8, 5),
        ("1.60000000000000000000000000", 8, 5),
        ("016/10", 8, 5),
        ("0", 0, 1),
        ("0.0", 0, 1),
        ("0.000001", 1, 1_000_000),
        ("4294967295", u32::MAX, 1),
        ("4294967296/4294967296", 1, 1),
        ("4000000/2000000", 2, 1),
        ("20%", 1, 5),
        ("12.50%", 1, 8),
        ("1e3", 1000, 1),
        ("1e0", 1, 1),
        ("12.5e1", 125, 1),
        ("0.0e-400", 0, 1),
        ("1e-07", 1, 10_000_000),
        ("1.5E2", 150, 1),
        ("1.5e+2", 150, 1),
        ("0e99", 0, 1),
    ] {
        assert_eq!(Ratio::parse(text), Ok(Ratio::new(n, d)), "{text:?}");
    }
    let error: Box<dyn std::error::Error> = Box::new(RatioError::Syntax);
    assert_eq!(error.to_string(), "not a ratio such as 2, 1.6, 8/5 or 20%");
    assert_eq!(RatioError::TooLong.to_string(), "a ratio of more than 1024 bytes");
}

#[test]
fn a_backoff_is_an_iterator() {
    let backoff = Backoff::new(second().build().unwrap(), RandomStream::from_seed(0));
    let total: Duration = backoff.clone().take(4).sum();
    assert_eq!(total, Duration::from_secs(1 + 2 + 4 + 8));
    let retries = usize::try_from(1_u64 << 32).unwrap_or(usize::MAX);
    assert_eq!(backoff.size_hint().0, retries);
}

#[test]
fn a_builder_makes_the_policy_of_a_policy_string() {
    let aws = Policy::exponential(Duration::from_millis(50))
        .jitter(Jitter::Full)
        .cap(Duration::from_secs(20))
        .throttled_base(Duration::from_secs(1))
        .retry_after_max_extra(Duration::from_secs(5));
    let built = aws.max_attempts(3).build();
    assert_eq!(built, Ok(Policy::parse("aws-sdk-2026").unwrap()));
    let built = aws.max_retries(2).build();
    assert_eq!(built, Ok(Policy::parse("aws-sdk-2026").unwrap()));
    assert_eq!(
        aws.max_retries(2).max_attempts(3).build().unwrap_err().to_string(),
        "max_attempts 3 is set as well as max_retries 2; set one of them"
    );

    let polling = Policy::constant(Duration::from_secs(1))
        .max_elapsed(Duration::from_mins(1))
        .retry_after(RetryAfterMode::Spread)
        .retry_after_max(Duration::from_secs(30));
    let text = "constant:base=1s,max_elapsed=1m,retry_after=spread,retry_after_max=30s";
    assert_eq!(polling.build().unwrap().to_string(), text);
    let unlimited = polling.retry_after_max(None).build().unwrap().to_string();
    assert_eq!(unlimited, text.replace("retry_after_max=30s", "retry_after_max=none"));
    let default = polling.retry_after_max(Duration::from_hours(1)).build().unwrap().to_string();
    assert_eq!(default, text.replace(",retry_after_max=30s", ""));
}

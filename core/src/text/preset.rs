//! The presets: named policy and budget strings of published systems (SPEC 12, 15.1).
//!
//! `docs/presets.md` lists the source of each. A row never changes: when a source changes, a new
//! preset gets a new name.

/// A name and the string that it stands for.
pub(crate) struct Preset {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

const fn preset(name: &'static str, text: &'static str) -> Preset {
    Preset { name, text }
}

#[rustfmt::skip]
pub(crate) const POLICY_PRESETS: &[Preset] = &[
    // The shorthands of SPEC 11.2, which need a base.
    preset("full", "exponential:jitter=full"),
    preset("equal", "exponential:jitter=equal"),
    preset("decorrelated", "exponential:cap_on=delay,jitter=decorrelated"),
    preset("default", "full:base=100ms,cap=20s,max_retries=3"),
    preset("aws-sdk-standard", "full:base=1s,cap=20s,max_retries=2"),
    preset("aws-sdk-2026", "full:base=50ms,cap=20s,max_retries=2,throttled_base=1s,retry_after_max_extra=5s"),
    preset("aws-dynamodb-2026", "full:base=25ms,cap=20s,max_retries=3,throttled_base=1s,retry_after_max_extra=5s"),
    preset("aws-simulator", "full:base=10ms,cap=2s"),
    preset("grpc-connect", "exponential:base=1s,multiplier=1.6,cap=120s,jitter=0.2"),
    preset("grpc-retry", "exponential:base=100ms,cap=1s,jitter=0.2,max_retries=3,retry_after=exact"),
    preset("google-cloud", "exponential:base=1s,cap=32s,cap_on=delay,jitter=additive,jitter_max=1s"),
    preset("gax", "full:base=1s,cap=30s,floor=1ns"),
    preset("cenkalti-v4", "exponential:base=500ms,multiplier=1.5,cap=60s,jitter=0.5,max_elapsed=15m"),
    preset("resilience4j", "constant:base=500ms,max_retries=2"),
    preset("polly-v8", "constant:base=2s,max_retries=3"),
    preset("polly-v8-linear", "linear:base=2s,max_retries=3"),
    preset("polly-v8-exponential", "exponential:base=2s,max_retries=3"),
    preset("envoy", "exponential:base=25ms,cap=250ms,jitter=slotted,jitter_slot=1ms,max_retries=1"),
    preset("azure-core", "exponential:base=800ms,cap=60s,cap_on=delay,jitter=0.2,max_retries=3"),
    preset("azure-core-java", "exponential:base=800ms,cap=8s,cap_on=delay,jitter=0.05,max_retries=3"),
    preset("ethernet", "exponential:base=102400ns,cap=52428800ns,jitter=slotted,jitter_slot=51200ns,max_retries=15"),
    preset("k8s-crashloop", "exponential:base=10s,cap=300s"),
    preset("k8s-workqueue", "exponential:base=5ms,cap=1000s"),
    preset("k8s-conflict", "exponential:base=10ms,multiplier=5,jitter=proportional,jitter_above=0.1,max_retries=3"),
    preset("sidekiq", "polynomial:base=1s,power=4,origin=0,offset=15s,jitter=additive,jitter_max=9s,jitter_increment=10s,max_retries=25"),
    preset("faktory", "polynomial:base=1s,power=4,origin=0,offset=15s,jitter=additive,jitter_max=29s,jitter_increment=29s,max_retries=25"),
    preset("river", "polynomial:base=1s,power=4,jitter=0.1,max_retries=24"),
    preset("oban", "exponential:base=2s,offset=15s,jitter=proportional,jitter_above=0.1,max_retries=19"),
    preset("celery", "exponential:base=1s,offset=1s,cap=601s,jitter=slotted,jitter_slot=1s,max_retries=3"),
    preset("temporal", "exponential:base=1s,cap=100s"),
    preset("k8s-crashloop-reset", "exponential:base=10s,cap=300s,reset_after=10m"),
    preset("svix", "steps:waits=5s/5m/30m/2h/5h/10h,max_retries=7"),
    preset("standard-webhooks", "steps:waits=5s/5m/30m/2h/5h/10h/14h/20h/24h,max_retries=9"),
    preset("off", "constant:base=0s,max_retries=0"),
    preset("immediate", "constant:base=0s"),
    preset("none", "constant:base=0s"),
];

#[rustfmt::skip]
pub(crate) const BUDGET_PRESETS: &[Preset] = &[
    preset("aws-sdk-standard", "quota:cost=5,cost_timeout=10"),
    preset("aws-sdk-2026", "quota:cost=14,cost_throttled=5"),
    preset("grpc-retry", "throttle:max_tokens=10,ratio=0.1"),
    preset("sre", "ratio:ratio=0.1"),
    preset("sre-process", "rate:max_tokens=60,per=1m"),
    preset("finagle", "ttl:ttl=10s,min_per_second=10,ratio=0.2"),
    preset("envoy", "concurrent:ratio=0.2,min_concurrent=3"),
];

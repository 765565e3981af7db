// The presets of policies (SPEC 12), a line each: the name, and the string that it stands for.

export const PRESETS = `default full:base=100ms,cap=20s,max_retries=3
aws-sdk-standard full:base=1s,cap=20s,max_retries=2
aws-sdk-2026 full:base=50ms,cap=20s,max_retries=2,throttled_base=1s,retry_after_max_extra=5s
aws-dynamodb-2026 full:base=25ms,cap=20s,max_retries=3,throttled_base=1s,retry_after_max_extra=5s
aws-simulator full:base=10ms,cap=2s
grpc-connect exponential:base=1s,multiplier=1.6,cap=120s,jitter=0.2
grpc-retry exponential:base=100ms,cap=1s,jitter=0.2,max_retries=3,retry_after=exact
google-cloud exponential:base=1s,cap=32s,cap_on=delay,jitter=additive,jitter_max=1s
gax full:base=1s,cap=30s,floor=1ns
cenkalti-v4 exponential:base=500ms,multiplier=1.5,cap=60s,jitter=0.5,max_elapsed=15m
resilience4j constant:base=500ms,max_retries=2
polly-v8 constant:base=2s,max_retries=3
polly-v8-linear linear:base=2s,max_retries=3
polly-v8-exponential exponential:base=2s,max_retries=3
envoy exponential:base=25ms,cap=250ms,jitter=slotted,jitter_slot=1ms,max_retries=1
azure-core exponential:base=800ms,cap=60s,cap_on=delay,jitter=0.2,max_retries=3
azure-core-java exponential:base=800ms,cap=8s,cap_on=delay,jitter=0.05,max_retries=3
ethernet exponential:base=102400ns,cap=52428800ns,jitter=slotted,jitter_slot=51200ns,max_retries=15
k8s-crashloop exponential:base=10s,cap=300s
k8s-workqueue exponential:base=5ms,cap=1000s
k8s-conflict exponential:base=10ms,multiplier=5,jitter=proportional,jitter_above=0.1,max_retries=3
sidekiq polynomial:base=1s,power=4,origin=0,offset=15s,jitter=additive,jitter_max=9s,jitter_increment=10s,max_retries=25
faktory polynomial:base=1s,power=4,origin=0,offset=15s,jitter=additive,jitter_max=29s,jitter_increment=29s,max_retries=25
river polynomial:base=1s,power=4,jitter=0.1,max_retries=24
oban exponential:base=2s,offset=15s,jitter=proportional,jitter_above=0.1,max_retries=19
celery exponential:base=1s,offset=1s,cap=601s,jitter=slotted,jitter_slot=1s,max_retries=3
temporal exponential:base=1s,cap=100s
k8s-crashloop-reset exponential:base=10s,cap=300s,reset_after=10m
svix steps:waits=5s/5m/30m/2h/5h/10h,max_retries=7
standard-webhooks steps:waits=5s/5m/30m/2h/5h/10h/14h/20h/24h,max_retries=9
off constant:base=0s,max_retries=0
immediate constant:base=0s
none constant:base=0s`;

//! Requests in an unusual notation. The delays are those of `full-seed-only` and of the article
//! vectors, or of policies without jitter.

/// Why, the request, and the answer.
type Line = (&'static str, &'static str, &'static str);

const NONE: &str = r#"{"canonical":"constant:base=0s","delay_ns":"0"}"#;
/// Index 0, 1 and 2 of `full:base=100ms,cap=20s` under seed 42 and key `job-1`.
const FIRST: &str =
    r#"{"canonical":"exponential:base=100ms,cap=20s,jitter=full","delay_ns":"11399434"}"#;
const SECOND: &str =
    r#"{"canonical":"exponential:base=100ms,cap=20s,jitter=full","delay_ns":"83043876"}"#;
const THIRD: &str =
    r#"{"canonical":"exponential:base=100ms,cap=20s,jitter=full","delay_ns":"229309811"}"#;
const NO_STEPS: &str = r#"{"canonical":"constant:base=0s","budget":null,"answers":[]}"#;
const CANCELLED: &str = r#"{"canonical":"constant:base=0s","budget":null,"answers":[{"stop":"cancelled","delay":"0","retries":0}]}"#;
const SUCCESS: &str = r#"{"canonical":"constant:base=0s","budget":null,"answers":[{"stop":"success","delay":"0","retries":0}]}"#;
const DEADLINE: &str = r#"{"canonical":"constant:base=1s","budget":null,"answers":[{"stop":"deadline","delay":"1000000000","retries":0}]}"#;
const ROW: &str = r#"{"rows":[["0","0","0","0","0","0"]]}"#;
const TWO_MINUTES: &str = r#"{"retry_after":"120000000000"}"#;

/// These lines.
pub(super) fn lines() -> impl Iterator<Item = Line> {
    DELAYS.into_iter().chain(OTHER_FORMS).chain(KEPT_ELSEWHERE).chain(ORDER)
}

const DELAYS: [Line; 29] = [
    ("a policy is enough", r#"{"policy":"none"}"#, NONE),
    ("white space between all tokens", "\t{ \"policy\" :\t\"none\" , \"index\" : 0 } ", NONE),
    ("a carriage return is white space", "{\"policy\":\"none\"}\r", NONE),
    (
        "members in any order",
        r#"{"index":2,"key":"job-1","seed":"42","policy":"full:base=100ms,cap=20s"}"#,
        THIRD,
    ),
    (
        "a whole number as a decimal",
        r#"{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1","index":1.0}"#,
        SECOND,
    ),
    (
        "a whole number with an exponent",
        r#"{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1","index":2e0}"#,
        THIRD,
    ),
    (
        "a whole number with a negative exponent",
        r#"{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1","index":200E-2}"#,
        THIRD,
    ),
    (
        "-0 is 0",
        r#"{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1","index":-0}"#,
        FIRST,
    ),
    (
        "-0.0 is 0",
        r#"{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1","index":-0.0}"#,
        FIRST,
    ),
    (
        "the nearest double is whole",
        r#"{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1","index":2.00000000000000000001}"#,
        THIRD,
    ),
    (
        "leading zeros of a seed",
        r#"{"policy":"full:base=100ms,cap=20s","seed":"0000000000000000000000042","key":"job-1"}"#,
        FIRST,
    ),
    (
        "an escape stands for its character",
        r#"{"\u0070olicy":"\u0066ull:base=100ms,cap=20s","seed":"\u0034\u0032","key":"job\u002d1"}"#,
        FIRST,
    ),
    ("capital digits of an escape", r#"{"policy":"\u006Eo\u006ee","key":"\u00E9"}"#, NONE),
    (
        "an escape with capital digits is the same character",
        r#"{"policy":"full:base=100ms,cap=20s","seed":"42","key":"\u006Aob-1"}"#,
        FIRST,
    ),
    (
        "nesting of 91",
        r#"{"policy":"none","x":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"#,
        NONE,
    ),
    (
        "nesting of 100",
        r#"{"policy":"none","x":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"#,
        NONE,
    ),
    (
        "objects in a nesting of 100",
        r#"{"policy":"none","x":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":{"y":0}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}"#,
        NONE,
    ),
    ("no key", r#"{"policy":"none","key":null}"#, NONE),
    ("an escaped slash", r#"{"policy":"none","key":"\/"}"#, NONE),
    ("a pair of surrogates is a character", r#"{"policy":"none","x":"\ud83d\ude00"}"#, NONE),
    ("other members are ignored", r#"{"policy":"none","more":[null,{"index":-1}],"":{}}"#, NONE),
    ("names are case-sensitive", r#"{"policy":"none","Index":-1,"SEED":5}"#, NONE),
    ("a large number that is ignored", r#"{"policy":"none","more":[1e308,-1E+30,1e-300]}"#, NONE),
    (
        "the last of repeated members counts",
        r#"{"policy":5,"index":-1,"policy":"none","index":0}"#,
        NONE,
    ),
    ("an escaped name repeats a member", r#"{"policy":5,"\u0070olicy":"none"}"#, NONE),
    ("members of other requests are ignored", r#"{"policy":"none","budget":5,"now":5}"#, NONE),
    ("the last index", r#"{"policy":"none","index":4294967295}"#, NONE),
    ("the largest seed", r#"{"policy":"none","seed":"18446744073709551615"}"#, NONE),
    ("a null byte in a policy", r#"{"policy":"none\u0000"}"#, r#"{"error":"unknown_head","at":0}"#),
];

const OTHER_FORMS: [Line; 17] = [
    ("a list without steps", r#"{"policy":"none","steps":[]}"#, NO_STEPS),
    ("no budget", r#"{"policy":"none","steps":[],"budget":null}"#, NO_STEPS),
    (
        "operations in any notation",
        r#"{"policy":"none","steps":[{"operation":0.0,"do":"begin","now":"0"},{"operation":-0,"do":"cancel","now":"00"}]}"#,
        CANCELLED,
    ),
    (
        "the last operation",
        r#"{"policy":"none","steps":[{"operation":4294967295,"do":"begin","now":"9223372036854775807"},{"operation":4294967295,"do":"cancel","now":"0"}]}"#,
        CANCELLED,
    ),
    (
        "operations that differ by 2^16",
        r#"{"policy":"none","steps":[{"operation":0,"do":"begin","now":"0"},{"operation":65536,"do":"begin","now":"0"},{"operation":65536,"do":"cancel","now":"0"}]}"#,
        CANCELLED,
    ),
    (
        "operations that differ by 2^31",
        r#"{"policy":"none","steps":[{"operation":1,"do":"begin","now":"0"},{"operation":2147483649,"do":"begin","now":"0"},{"operation":1,"do":"cancel","now":"0"}]}"#,
        CANCELLED,
    ),
    (
        "members of other steps are ignored",
        r#"{"policy":"none","steps":[{"operation":0,"do":"begin","now":"0","outcome":5,"retry_after":5},{"operation":0,"do":"outcome","now":"0","outcome":"success","deadline":5}]}"#,
        SUCCESS,
    ),
    (
        "no deadline and no retry_after",
        r#"{"policy":"none","steps":[{"operation":0,"do":"begin","now":"0","deadline":null},{"operation":0,"do":"outcome","now":"0","outcome":"success","retry_after":null}]}"#,
        SUCCESS,
    ),
    (
        "leading zeros of a time",
        r#"{"policy":"constant:base=1s","steps":[{"operation":1,"do":"begin","now":"000","deadline":"0000000000000000000000999999999"},{"operation":1,"do":"outcome","now":"0","outcome":"transient"}]}"#,
        DEADLINE,
    ),
    (
        "the last of a step's repeated members counts",
        r#"{"steps":5,"policy":"none","steps":[{"operation":0,"do":"x","now":5,"now":"0","do":"begin"},{"operation":1,"operation":0,"do":"cancel","now":"0"}]}"#,
        CANCELLED,
    ),
    (
        "a preview without rows",
        r#"{"policy":"none","preview":{"first":0,"count":0}}"#,
        r#"{"rows":[]}"#,
    ),
    ("a preview in any notation", r#"{"policy":"none","preview":{"count":1e0,"first":1e4}}"#, ROW),
    (
        "members of a delay are ignored",
        r#"{"policy":"none","preview":{"first":0,"count":1,"policy":5},"seed":5,"key":5,"index":-1}"#,
        ROW,
    ),
    (
        "most attempts of a request are too many for a fit",
        r#"{"policy":"default","fit":{"field":"cap","attempts":4294967295,"total":"9223372036854775807"}}"#,
        r#"{"error":"too_large","field":"max_attempts","value":"4294967295","limit":"65536"}"#,
    ),
    ("a Retry-After needs no policy", r#"{"retry_after":{"value":"120","now":"0"}}"#, TWO_MINUTES),
    (
        "a Retry-After ignores the policy",
        r#"{"policy":5,"seed":5,"retry_after":{"now":"0","value":"120","key":5}}"#,
        TWO_MINUTES,
    ),
    ("no Retry-After", r#"{"retry_after":{"value":"","now":"0"}}"#, r#"{"retry_after":null}"#),
];

/// Responses, states of budgets and exchanges of shared ones. A quota of 5 tokens grants one retry that costs 5.
const KEPT_ELSEWHERE: [Line; 17] = [
    (
        "a response needs nothing else",
        r#"{"policy":5,"budget":5,"response":{"status":2.0e2,"fields":"","now":"00","value":5}}"#,
        r#"{"outcome":"success","retry_after":null}"#,
    ),
    (
        "the fields of a response",
        r#"{"response":{"status":503,"fields":"X: 1\nRETRY-after: 7\r\nRetry-After: 8","now":"0"}}"#,
        r#"{"outcome":"throttled","retry_after":"7000000000"}"#,
    ),
    (
        "the largest status",
        r#"{"response":{"status":65535,"fields":"retry-after:1","now":"9223372036854775807"}}"#,
        r#"{"outcome":"permanent","retry_after":"1000000000"}"#,
    ),
    (
        "a full state",
        r#"{"budget":"quota","state":{"events":[]}}"#,
        r#"{"budget":"quota","answers":[]}"#,
    ),
    (
        "no text is a full state",
        r#"{"policy":5,"budget":"quota:max_tokens=5","state":{"text":null,"events":[{"event":"retry_requested","outcome":"transient","now":"0"}]}}"#,
        r#"{"budget":"quota:max_tokens=5","answers":[{"granted":true,"holds":"5","state":"1 0"}]}"#,
    ),
    (
        "members of other events are ignored, and nothing is held by default",
        r#"{"budget":"quota:max_tokens=5","state":{"text":"7 1","events":[{"event":"operation_succeeded","outcome":5,"now":"00"},{"event":"attempt_failed","now":"0","held":"9"}]}}"#,
        r#"{"budget":"quota:max_tokens=5","answers":[{"granted":null,"holds":"0","state":"8 2"},{"granted":null,"holds":"0","state":"8 2"}]}"#,
    ),
    (
        "what a request holds already counts for nothing",
        r#"{"budget":"ratio:max_tokens=1","state":{"events":[{"event":"retry_requested","outcome":"success","now":"0","held":"9"}]}}"#,
        r#"{"budget":"ratio:max_tokens=1","answers":[{"granted":true,"holds":"0","state":"1 0"}]}"#,
    ),
    (
        "an empty text is no state",
        r#"{"budget":"sre","state":{"text":"","events":[]}}"#,
        r#"{"error":"not_a_state","at":0,"of":"text"}"#,
    ),
    (
        "the error of the budget comes before that of the text",
        r#"{"budget":"x","state":{"text":"","events":[]}}"#,
        r#"{"error":"unknown_head","at":0,"of":"budget"}"#,
    ),
    (
        "a member without steps",
        r#"{"budget":"sre","exchange":{"local":"ratio:max_tokens=10","lease":1e3,"fallback":"18446744073709551615","timeout":"9223372036854775807","seed":"0018446744073709551615","steps":[]}}"#,
        r#"{"budget":"ratio","local":"ratio","answers":[],"stats":{"exchanges":"0","failed_exchanges":"0","lost_swaps":"0","local_decisions":"0","processes":"1"}}"#,
    ),
    (
        "the error of the budget comes before that of the local one",
        r#"{"budget":"x","exchange":{"local":"","lease":1,"fallback":"0","timeout":"0","seed":"0","steps":[]}}"#,
        r#"{"error":"unknown_head","at":0,"of":"budget"}"#,
    ),
    (
        "the error of the local budget",
        r#"{"budget":"concurrent","exchange":{"local":"x","lease":1,"fallback":"1000000","timeout":"0","seed":"0","steps":[]}}"#,
        r#"{"error":"unknown_head","at":0,"of":"local"}"#,
    ),
    (
        "slots are not shared",
        r#"{"budget":"envoy","exchange":{"local":"envoy","lease":1,"fallback":"0","timeout":"0","seed":"0","steps":[]}}"#,
        r#"{"error":"not_shared","at":0,"of":"budget"}"#,
    ),
    (
        "what may not come now changes nothing",
        r#"{"budget":"sre","exchange":{"local":"sre","lease":1,"fallback":"0","timeout":"2000000000","seed":"0","steps":[{"do":"step","now":"0","store_now":"0"},{"do":"stored","now":"0"},{"do":"lost","now":"0"},{"do":"failed","now":"0","stored":false},{"do":"begin","now":"0"},{"do":"begin","now":"9000000000"},{"do":"stored","now":"0"},{"do":"late","now":"0"}]}}"#,
        r#"{"budget":"ratio","local":"ratio","answers":[{"error":"not_now"},{"error":"not_now"},{"error":"not_now"},{"error":"not_now"},{"away":false,"due_in":null,"unsent":true,"timeout":"2000000000"},{"error":"not_now"},{"error":"not_now"},{"away":true,"due_in":null,"unsent":true,"timeout":"2000000000"}],"stats":{"exchanges":"1","failed_exchanges":"0","lost_swaps":"0","local_decisions":"0","processes":"1"}}"#,
    ),
    (
        "a text that is no account makes no steps that could be stored",
        r#"{"budget":"sre","exchange":{"local":"sre","lease":1,"fallback":"0","timeout":"2000000000","seed":"0","steps":[{"do":"begin","now":"0","text":5},{"do":"step","now":"0","text":"x","store_now":"0"},{"do":"stored","now":"0"}]}}"#,
        r#"{"budget":"ratio","local":"ratio","answers":[{"away":false,"due_in":null,"unsent":true,"timeout":"2000000000"},{"after":null,"changed":false,"steps":[],"away":false,"due_in":null,"unsent":true,"timeout":"2000000000"},{"error":"not_now"}],"stats":{"exchanges":"1","failed_exchanges":"0","lost_swaps":"0","local_decisions":"0","processes":"1"}}"#,
    ),
    (
        "what happens so often is answered once, with the last answer",
        r#"{"budget":"sre","exchange":{"local":"quota:max_tokens=5","lease":1,"fallback":"1","timeout":"2000000000","seed":"0","steps":[{"do":"late","now":"0"},{"do":"request","now":"0","outcome":"transient","times":2e0},{"do":"note","now":"0","event":"operation_succeeded","held":"5","local":true},{"do":"request","now":"0","outcome":"transient"}]}}"#,
        r#"{"budget":"ratio","local":"quota:max_tokens=5","answers":[{"away":true,"due_in":null,"unsent":false,"timeout":"2000000000"},{"answer":"refused","held":"0","local":true,"away":true,"due_in":null,"unsent":false,"timeout":"2000000000"},{"away":true,"due_in":null,"unsent":true,"timeout":"2000000000"},{"answer":"granted","held":"5","local":true,"away":true,"due_in":null,"unsent":true,"timeout":"2000000000"}],"stats":{"exchanges":"0","failed_exchanges":"0","lost_swaps":"0","local_decisions":"3","processes":"1"}}"#,
    ),
    (
        "a cancellation of nothing, and requests after an end",
        r#"{"budget":"sre","exchange":{"local":"sre","lease":1,"fallback":"1","timeout":"0","seed":"0","steps":[{"do":"cancel","now":"0","outcome":"timeout"},{"do":"cancel","now":"0","outcome":"success"},{"do":"request","now":"0","outcome":"permanent"}]}}"#,
        r#"{"budget":"ratio","local":"ratio","answers":[{"away":false,"due_in":null,"unsent":false,"timeout":"1000000000"},{"away":false,"due_in":null,"unsent":false,"timeout":"1000000000"},{"answer":"refused","held":"0","local":true,"away":false,"due_in":null,"unsent":false,"timeout":"1000000000"}],"stats":{"exchanges":"0","failed_exchanges":"0","lost_swaps":"0","local_decisions":"0","processes":"1"}}"#,
    ),
];

/// The order of forms and of errors. The last of them is the last line of all.
const ORDER: [Line; 14] = [
    (
        "retry_after is the first form",
        r#"{"preview":5,"fit":5,"steps":5,"exchange":5,"state":5,"response":5,"policy":"none","retry_after":{"value":"120","now":"0"}}"#,
        TWO_MINUTES,
    ),
    (
        "response is the second form",
        r#"{"preview":5,"fit":5,"steps":5,"exchange":5,"state":5,"response":{"status":408,"fields":"","now":"0"}}"#,
        r#"{"outcome":"timeout","retry_after":null}"#,
    ),
    (
        "state is the third form",
        r#"{"preview":5,"fit":5,"steps":5,"exchange":5,"budget":"rate","state":{"events":[]}}"#,
        r#"{"budget":"rate","answers":[]}"#,
    ),
    (
        "exchange is the fourth form",
        r#"{"preview":5,"fit":5,"steps":5,"budget":"rate","exchange":{"local":"ttl","lease":1,"fallback":"0","timeout":"0","seed":"0","steps":[]}}"#,
        r#"{"budget":"rate","local":"ttl","answers":[],"stats":{"exchanges":"0","failed_exchanges":"0","lost_swaps":"0","local_decisions":"0","processes":"1"}}"#,
    ),
    ("steps is the fifth form", r#"{"preview":5,"fit":5,"policy":"none","steps":[]}"#, NO_STEPS),
    (
        "fit is the sixth form",
        r#"{"preview":5,"policy":"constant:base=1s","fit":{"field":"base","attempts":3,"total":"10000000000"}}"#,
        r#"{"canonical":"constant:base=5s"}"#,
    ),
    (
        "a line that is no request may have an invalid policy",
        r#"{"policy":"nonsense","index":-1}"#,
        super::not_requests::NOT_A_REQUEST,
    ),
    (
        "the error of the policy comes before that of the budget",
        r#"{"policy":"constant:base=1sec","steps":[],"budget":"x"}"#,
        r#"{"error":"unknown_unit","at":15}"#,
    ),
    (
        "the error of the budget",
        r#"{"policy":"none","steps":[],"budget":"x"}"#,
        r#"{"error":"unknown_head","at":0,"of":"budget"}"#,
    ),
    ("the empty policy string", r#"{"policy":""}"#, r#"{"error":"unknown_head","at":0}"#),
    (
        "the empty budget string",
        r#"{"policy":"none","steps":[],"budget":""}"#,
        r#"{"error":"unknown_head","at":0,"of":"budget"}"#,
    ),
    (
        "an invalid policy of a preview",
        r#"{"policy":"constant:base=1sec","preview":{"first":0,"count":1}}"#,
        r#"{"error":"unknown_unit","at":15}"#,
    ),
    (
        "an invalid policy of a fit",
        r#"{"policy":"constant:base=1sec","fit":{"field":"base","attempts":0,"total":"0"}}"#,
        r#"{"error":"unknown_unit","at":15}"#,
    ),
    (
        "a last line without a line feed counts",
        r#"{"policy":"full:base=100ms,cap=20s","seed":"42","key":"job-1"}"#,
        FIRST,
    ),
];

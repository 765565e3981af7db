//! Lines that are no requests.

use std::iter;

/// The answer to each.
pub(super) const NOT_A_REQUEST: &str = r#"{"error":"not_a_request","at":0}"#;

/// Why, and the line.
type Line = (&'static str, Vec<u8>);

/// These lines.
pub(super) fn lines() -> impl Iterator<Item = Line> {
    let bytes = BYTES.into_iter().map(|(why, line)| (why, line.to_vec()));
    let with = |before: &'static str, after: &'static str| {
        move |(why, value): (&'static str, &'static str)| {
            (why, [before, value, after].concat().into_bytes())
        }
    };
    let table = |rows: &'static [(&'static str, &'static str)], before, after| {
        rows.iter().copied().map(with(before, after))
    };
    iter::empty()
        .chain(bytes)
        .chain(table(JSON, "", ""))
        .chain(table(POLICIES, r#"{"policy":"#, "}"))
        .chain(table(WHOLE, r#"{"policy":"none","index":"#, "}"))
        .chain(table(DIGITS, r#"{"policy":"none","seed":"#, "}"))
        .chain(table(TEXTS, r#"{"policy":"none","key":"#, "}"))
        .chain(table(PREVIEWS, r#"{"policy":"none","preview":"#, "}"))
        .chain(table(FITS, r#"{"policy":"none","fit":"#, "}"))
        .chain(table(STEPS, r#"{"policy":"none","steps":"#, "}"))
        .chain(table(AFTER_BEGIN, BEGUN, "]}"))
        .chain(table(BUDGETS, r#"{"policy":"none","steps":[],"budget":"#, "}"))
        .chain(table(HEADERS, r#"{"policy":"none","retry_after":"#, "}"))
        .chain(table(RESPONSES, r#"{"policy":"none","response":"#, "}"))
        .chain(table(NO_BUDGETS, r#"{"state":{"events":[]},"budget":"#, "}"))
        .chain(table(STATES, r#"{"policy":"none","budget":"sre","state":"#, "}"))
        .chain(table(EVENTS, r#"{"budget":"sre","state":{"events":["#, "]}}"))
        .chain(table(NO_BUDGETS, EXCHANGE_OF, "}"))
        .chain(table(EXCHANGES, r#"{"policy":"none","budget":"sre","exchange":"#, "}"))
        .chain(table(MEMBER_STEPS, MEMBER, "]}}"))
}

const EXCHANGE_OF: &str = r#"{"exchange":{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":"0","steps":[]},"budget":"#;
const MEMBER: &str = r#"{"budget":"sre","exchange":{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":"0","steps":[{"do":"begin","now":"0"},"#;
const BEGUN: &str = r#"{"policy":"none","steps":[{"operation":0,"do":"begin","now":"0"},"#;

const BYTES: [(&str, &[u8]); 13] = [
    ("an empty line is a line", b""),
    ("spaces", b"  "),
    ("a carriage return alone", b"\r"),
    ("a byte order mark", b"\xef\xbb\xbf{\"policy\":\"none\"}"),
    ("a byte that is not UTF-8 in a string", b"{\"policy\":\"none\",\"key\":\"\xff\"}"),
    ("a byte that is not UTF-8 after the object", b"{\"policy\":\"none\"}\xff"),
    ("a surrogate as UTF-8", b"{\"policy\":\"none\",\"key\":\"\xed\xa0\x80\"}"),
    ("a character that is longer than necessary", b"{\"policy\":\"none\",\"key\":\"\xc1\xa1\"}"),
    ("a character that is cut off", b"{\"policy\":\"none\",\"key\":\"\xe2\x82\"}"),
    ("a zero byte", b"{\"policy\":\"none\"}\0"),
    ("a form feed is no white space", b"\x0c{\"policy\":\"none\"}"),
    ("a vertical tab is no white space", b"\x0b{\"policy\":\"none\"}"),
    ("a no-break space is no white space", b"\xc2\xa0{\"policy\":\"none\"}"),
];

const JSON: &[(&str, &str)] = &[
    ("not an object", "5"),
    ("not an object", "null"),
    ("not an object", "[]"),
    ("a request in a list", r#"[{"policy":"none"}]"#),
    ("a string", r#""none""#),
    ("a string with a lone surrogate", r#"["\ud800"]"#),
    ("a policy string that is not JSON", "none"),
    ("no member", "{}"),
    ("only other members", r#"{"Policy":"none","seed":"1"}"#),
    ("the end is missing", r#"{"policy":"none""#),
    ("the end of a string is missing", r#"{"policy":"none"#),
    ("two objects", r#"{"policy":"none"}{"policy":"none"}"#),
    ("a comma after the object", r#"{"policy":"none"},"#),
    ("a comma after the last member", r#"{"policy":"none",}"#),
    ("a comma before the first member", r#"{,"policy":"none"}"#),
    ("no comma", r#"{"policy":"none" "seed":"1"}"#),
    ("no colon", r#"{"policy" "none"}"#),
    ("a name without quotes", r#"{policy:"none"}"#),
    ("single quotes", "{'policy':'none'}"),
    ("a comment", r#"{"policy":"none"/* */}"#),
    ("a comment in a list", r#"{"policy":"none","x":[1/* */]}"#),
    ("a comment before the object", r#"/* */{"policy":"none"}"#),
    ("a comment after a number sign", r#"{"policy":"none"} # x"#),
    ("a comment after the object", r#"{"policy":"none"} // x"#),
    ("an unknown escape", r#"{"policy":"none","key":"\x41"}"#),
    ("an escape that is cut off", r#"{"policy":"none","key":"\u004"}"#),
    ("a tab in a string", "{\"policy\":\"none\",\"key\":\"\t\"}"),
    ("a zero byte in a string", "{\"policy\":\"none\",\"key\":\"\0\"}"),
    ("a raw 0x10 in a string", "{\"policy\":\"none\",\"key\":\"\x10\"}"),
    ("a raw 0x1a in a string", "{\"policy\":\"none\",\"key\":\"\x1a\"}"),
    ("a raw 0x1f in a string", "{\"policy\":\"none\",\"key\":\"\x1f\"}"),
    ("a raw 0x1f in a string that is ignored", "{\"policy\":\"none\",\"x\":[\"\x1f\"]}"),
    ("a lone surrogate in a member", r#"{"policy":"none\udfff"}"#),
    ("a lone surrogate in a key", r#"{"policy":"none","key":"\ud800"}"#),
    ("surrogates in the wrong order", r#"{"policy":"none","key":"\ude00\ud83d"}"#),
    ("a lone surrogate in a member that is ignored", r#"{"policy":"none","x":[{"y":"\ud83d"}]}"#),
    ("a lone surrogate in a name", r#"{"policy":"none","x":{"\udc00":1}}"#),
    ("a broken number in a member that is ignored", r#"{"policy":"none","x":01}"#),
    ("a comma after the last element", r#"{"policy":"none","x":[1,]}"#),
    ("a comma alone in a list", r#"{"policy":"none","x":[,]}"#),
    ("a comma after the last member of another object", r#"{"policy":"none","x":{"y":1,}}"#),
    ("NaN in a member that is ignored", r#"{"policy":"none","x":NaN}"#),
    ("-Infinity in a list that is ignored", r#"{"policy":"none","x":[-Infinity]}"#),
    ("a form feed between tokens", "{\"policy\":\x0c\"none\"}"),
    ("a word in a member that is ignored", r#"{"policy":"none","x":True}"#),
    ("the last policy counts", r#"{"policy":"none","policy":5}"#),
    ("a preview without a policy", r#"{"preview":{"first":0,"count":1}}"#),
    ("a fit without a policy", r#"{"fit":{"field":"base","attempts":1,"total":"0"}}"#),
    ("steps without a policy", r#"{"steps":[]}"#),
];

const POLICIES: &[(&str, &str)] =
    &[("null is no policy", "null"), ("not a string", "5"), ("not a string", r#"["none"]"#)];

const WHOLE: &[(&str, &str)] = &[
    ("below 0", "-1"),
    ("not whole", "0.5"),
    ("not whole", "1e-1"),
    ("above the last index", "4294967296"),
    ("above the last index", "1e99"),
    ("2^64 does not wrap to 0", "18446744073709551616"),
    ("a string", r#""0""#),
    ("null is no index", "null"),
    ("not a number", "true"),
    ("not a number", "[]"),
    ("not JSON", "NaN"),
    ("not JSON", "Infinity"),
    ("a leading zero", "01"),
    ("a plus", "+1"),
    ("no digit before the dot", ".5"),
    ("no digit after the dot", "1."),
    ("hexadecimal", "0x1"),
];

const DIGITS: &[(&str, &str)] = &[
    ("a number", "1"),
    ("null is no seed", "null"),
    ("no digit", r#""""#),
    ("a minus", r#""-1""#),
    ("a minus", r#""-0""#),
    ("a plus", r#""+1""#),
    ("a space before", r#"" 1""#),
    ("a space after", r#""1 ""#),
    ("a decimal", r#""1.0""#),
    ("an exponent", r#""1e3""#),
    ("hexadecimal", r#""0x1""#),
    ("an underscore", r#""1_0""#),
    ("a digit of another script", r#""\u0663""#),
    ("a superscript", r#""²""#),
    ("2^64", r#""18446744073709551616""#),
    (
        "99 digits",
        r#""999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999""#,
    ),
    ("not a string", "true"),
];

const TEXTS: &[(&str, &str)] =
    &[("a number", "1"), ("not a string", "false"), ("a list", "[]"), ("an object", "{}")];

const PREVIEWS: &[(&str, &str)] = &[
    ("null selects the form", "null"),
    ("not an object", "5"),
    ("an object in a list", r#"[{"first":0,"count":1}]"#),
    ("both members are missing", "{}"),
    ("first is missing", r#"{"count":1}"#),
    ("count is missing", r#"{"first":0}"#),
    ("first is above 10000", r#"{"first":10001,"count":1}"#),
    ("count is above 1000", r#"{"first":0,"count":1001}"#),
    ("first is below 0", r#"{"first":-1,"count":1}"#),
    ("count is not whole", r#"{"first":0,"count":1.5}"#),
    ("count is a string", r#"{"first":0,"count":"1"}"#),
    ("count is null", r#"{"first":0,"count":null}"#),
];

const FITS: &[(&str, &str)] = &[
    ("null selects the form", "null"),
    ("not an object", r#""base""#),
    ("all members are missing", "{}"),
    ("field is missing", r#"{"attempts":1,"total":"0"}"#),
    ("field is another field", r#"{"field":"floor","attempts":1,"total":"0"}"#),
    ("field has a capital letter", r#"{"field":"Base","attempts":1,"total":"0"}"#),
    ("field is not a string", r#"{"field":["base"],"attempts":1,"total":"0"}"#),
    ("attempts is missing", r#"{"field":"base","total":"0"}"#),
    ("attempts is below 0", r#"{"field":"base","attempts":-1,"total":"0"}"#),
    ("attempts is 2^32", r#"{"field":"base","attempts":4294967296,"total":"0"}"#),
    ("attempts is a string", r#"{"field":"base","attempts":"1","total":"0"}"#),
    ("total is missing", r#"{"field":"base","attempts":1}"#),
    ("total is a number", r#"{"field":"base","attempts":1,"total":0}"#),
    ("total is null", r#"{"field":"base","attempts":1,"total":null}"#),
    ("total is a duration", r#"{"field":"base","attempts":1,"total":"1s"}"#),
    ("total is 2^63", r#"{"field":"base","attempts":1,"total":"9223372036854775808"}"#),
];

const STEPS: &[(&str, &str)] = &[
    ("null selects the form", "null"),
    ("not a list", "{}"),
    ("a step that is not an object", "[null]"),
    ("a step in a list", r#"[[{"operation":0,"do":"begin","now":"0"}]]"#),
    ("operation is missing", r#"[{"do":"begin","now":"0"}]"#),
    ("operation is below 0", r#"[{"operation":-1,"do":"begin","now":"0"}]"#),
    ("operation is 2^32", r#"[{"operation":4294967296,"do":"begin","now":"0"}]"#),
    ("operation is not whole", r#"[{"operation":0.5,"do":"begin","now":"0"}]"#),
    ("operation is a string", r#"[{"operation":"0","do":"begin","now":"0"}]"#),
    ("now is missing", r#"[{"operation":0,"do":"begin"}]"#),
    ("now is a number", r#"[{"operation":0,"do":"begin","now":0}]"#),
    ("now is null", r#"[{"operation":0,"do":"begin","now":null}]"#),
    ("now is below 0", r#"[{"operation":0,"do":"begin","now":"-1"}]"#),
    ("now is 2^63", r#"[{"operation":0,"do":"begin","now":"9223372036854775808"}]"#),
    ("do is missing", r#"[{"operation":0,"now":"0"}]"#),
    ("do is no action", r#"[{"operation":0,"do":"end","now":"0"}]"#),
    ("do has a capital letter", r#"[{"operation":0,"do":"Begin","now":"0"}]"#),
    ("do is a name that languages know", r#"[{"operation":0,"do":"constructor","now":"0"}]"#),
    ("deadline is a number", r#"[{"operation":0,"do":"begin","now":"0","deadline":5}]"#),
    ("deadline is empty", r#"[{"operation":0,"do":"begin","now":"0","deadline":""}]"#),
    (
        "deadline is 2^63",
        r#"[{"operation":0,"do":"begin","now":"0","deadline":"9223372036854775808"}]"#,
    ),
    (
        "an outcome before the beginning",
        r#"[{"operation":0,"do":"outcome","now":"0","outcome":"success"}]"#,
    ),
    ("a cancellation before the beginning", r#"[{"operation":0,"do":"cancel","now":"0"}]"#),
];

const AFTER_BEGIN: &[(&str, &str)] = &[
    ("an operation begins twice", r#"{"operation":0,"do":"begin","now":"0"}"#),
    ("another operation has not begun", r#"{"operation":1,"do":"cancel","now":"0"}"#),
    (
        "an operation that was cancelled begins",
        r#"{"operation":0,"do":"cancel","now":"0"},{"operation":0,"do":"begin","now":"0"}"#,
    ),
    ("outcome is missing", r#"{"operation":0,"do":"outcome","now":"0"}"#),
    ("outcome is a number", r#"{"operation":0,"do":"outcome","now":"0","outcome":2}"#),
    (
        "outcome has a capital letter",
        r#"{"operation":0,"do":"outcome","now":"0","outcome":"Success"}"#,
    ),
    ("outcome is a reason", r#"{"operation":0,"do":"outcome","now":"0","outcome":"cancelled"}"#),
    (
        "outcome is a name that languages know",
        r#"{"operation":0,"do":"outcome","now":"0","outcome":"toString"}"#,
    ),
    (
        "retry_after is a number",
        r#"{"operation":0,"do":"outcome","now":"0","outcome":"transient","retry_after":5}"#,
    ),
    (
        "retry_after is 2^63",
        r#"{"operation":0,"do":"outcome","now":"0","outcome":"transient","retry_after":"9223372036854775808"}"#,
    ),
    (
        "a success checks its retry_after, too",
        r#"{"operation":0,"do":"outcome","now":"0","outcome":"success","retry_after":"-1"}"#,
    ),
    ("a cancellation needs a time", r#"{"operation":0,"do":"cancel"}"#),
];

const BUDGETS: &[(&str, &str)] =
    &[("a number", "5"), ("not a string", "false"), ("a list", r#"["sre"]"#), ("an object", "{}")];

const HEADERS: &[(&str, &str)] = &[
    ("null selects the form", "null"),
    ("not an object", r#""120""#),
    ("both members are missing", "{}"),
    ("value is missing", r#"{"now":"0"}"#),
    ("value is a number", r#"{"value":120,"now":"0"}"#),
    ("value is null", r#"{"value":null,"now":"0"}"#),
    ("now is missing", r#"{"value":"120"}"#),
    ("now is a number", r#"{"value":"120","now":0}"#),
    ("now is empty", r#"{"value":"120","now":""}"#),
    ("now is 2^63", r#"{"value":"120","now":"9223372036854775808"}"#),
];

const RESPONSES: &[(&str, &str)] = &[
    ("null selects the form", "null"),
    ("not an object", "429"),
    ("all members are missing", "{}"),
    ("status is missing", r#"{"fields":"","now":"0"}"#),
    ("fields is missing", r#"{"status":429,"now":"0"}"#),
    ("now is missing", r#"{"status":429,"fields":""}"#),
    ("status is a string", r#"{"status":"429","fields":"","now":"0"}"#),
    ("status is below 0", r#"{"status":-1,"fields":"","now":"0"}"#),
    ("status is 2^16", r#"{"status":65536,"fields":"","now":"0"}"#),
    ("status is not whole", r#"{"status":429.5,"fields":"","now":"0"}"#),
    ("fields are null", r#"{"status":429,"fields":null,"now":"0"}"#),
    ("fields are a list", r#"{"status":429,"fields":[],"now":"0"}"#),
    ("fields are an object", r#"{"status":429,"fields":{},"now":"0"}"#),
    ("now is a number", r#"{"status":429,"fields":"","now":0}"#),
    ("now is 2^63", r#"{"status":429,"fields":"","now":"9223372036854775808"}"#),
];

const NO_BUDGETS: &[(&str, &str)] =
    &[("null is no budget", "null"), ("not a string", "5"), ("not a string", r#"["sre"]"#)];

const STATES: &[(&str, &str)] = &[
    ("null selects the form", "null"),
    ("not an object", "[]"),
    ("events are missing", "{}"),
    ("text is a number", r#"{"text":5,"events":[]}"#),
    ("text is an object", r#"{"text":{},"events":[]}"#),
    ("text is false", r#"{"text":false,"events":[]}"#),
    ("events are null", r#"{"text":null,"events":null}"#),
    ("events are an object", r#"{"text":null,"events":{}}"#),
    ("an event that is null", r#"{"text":null,"events":[null]}"#),
    ("an event that is a string", r#"{"text":null,"events":["operation_began"]}"#),
    ("an event that is a list", r#"{"text":null,"events":[[]]}"#),
];

const EVENTS: &[(&str, &str)] = &[
    ("all members are missing", "{}"),
    ("event is missing", r#"{"now":"0","held":"1"}"#),
    ("now is missing", r#"{"event":"attempt_over","held":"1"}"#),
    ("event is a number", r#"{"event":2,"now":"0","held":"1"}"#),
    ("event is null", r#"{"event":null,"now":"0","held":"1"}"#),
    ("event has a capital letter", r#"{"event":"Attempt_over","now":"0","held":"1"}"#),
    ("event is no event", r#"{"event":"none","now":"0","held":"1"}"#),
    ("event is a name that languages know", r#"{"event":"constructor","now":"0","held":"1"}"#),
    ("now is a number", r#"{"event":"attempt_over","now":0,"held":"1"}"#),
    ("now is 2^63", r#"{"event":"attempt_over","now":"9223372036854775808","held":"1"}"#),
    ("held is null", r#"{"event":"attempt_over","now":"0","held":null}"#),
    ("held is a number", r#"{"event":"attempt_over","now":"0","held":1}"#),
    ("held is below 0", r#"{"event":"attempt_over","now":"0","held":"-1"}"#),
    ("held is 2^64", r#"{"event":"attempt_over","now":"0","held":"18446744073709551616"}"#),
    (
        "a request checks what is held, too",
        r#"{"event":"retry_requested","now":"0","outcome":"timeout","held":"x"}"#,
    ),
    ("outcome is missing", r#"{"event":"retry_requested","now":"0"}"#),
    ("outcome is null", r#"{"event":"retry_requested","now":"0","outcome":null}"#),
    ("outcome is a number", r#"{"event":"retry_requested","now":"0","outcome":2}"#),
    (
        "outcome has a capital letter",
        r#"{"event":"retry_requested","now":"0","outcome":"Timeout"}"#,
    ),
    ("outcome is no outcome", r#"{"event":"retry_requested","now":"0","outcome":"cancelled"}"#),
    (
        "outcome is a name that languages know",
        r#"{"event":"retry_requested","now":"0","outcome":"toString"}"#,
    ),
];

const EXCHANGES: &[(&str, &str)] = &[
    ("null selects the form", "null"),
    ("not an object", r#""sre""#),
    ("all members are missing", "{}"),
    ("local is missing", r#"{"lease":1,"fallback":"0","timeout":"1","seed":"0","steps":[]}"#),
    ("lease is missing", r#"{"local":"sre","fallback":"0","timeout":"1","seed":"0","steps":[]}"#),
    ("fallback is missing", r#"{"local":"sre","lease":1,"timeout":"1","seed":"0","steps":[]}"#),
    ("timeout is missing", r#"{"local":"sre","lease":1,"fallback":"0","seed":"0","steps":[]}"#),
    ("seed is missing", r#"{"local":"sre","lease":1,"fallback":"0","timeout":"1","steps":[]}"#),
    ("steps are missing", r#"{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":"0"}"#),
    (
        "local is null",
        r#"{"local":null,"lease":1,"fallback":"0","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "local is a number",
        r#"{"local":5,"lease":1,"fallback":"0","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "lease is 0",
        r#"{"local":"sre","lease":0,"fallback":"0","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "lease is above 1000",
        r#"{"local":"sre","lease":1001,"fallback":"0","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "lease is not whole",
        r#"{"local":"sre","lease":1.5,"fallback":"0","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "lease is a string",
        r#"{"local":"sre","lease":"1","fallback":"0","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "lease is null",
        r#"{"local":"sre","lease":null,"fallback":"0","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "fallback is a number",
        r#"{"local":"sre","lease":1,"fallback":0,"timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "fallback is a name",
        r#"{"local":"sre","lease":1,"fallback":"share","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "fallback is above 1000000",
        r#"{"local":"sre","lease":1,"fallback":"1000001","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "fallback is 2^64 - 2",
        r#"{"local":"sre","lease":1,"fallback":"18446744073709551614","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "fallback is 2^64",
        r#"{"local":"sre","lease":1,"fallback":"18446744073709551616","timeout":"1","seed":"0","steps":[]}"#,
    ),
    (
        "timeout is a number",
        r#"{"local":"sre","lease":1,"fallback":"0","timeout":1,"seed":"0","steps":[]}"#,
    ),
    (
        "timeout is 2^63",
        r#"{"local":"sre","lease":1,"fallback":"0","timeout":"9223372036854775808","seed":"0","steps":[]}"#,
    ),
    (
        "timeout is null",
        r#"{"local":"sre","lease":1,"fallback":"0","timeout":null,"seed":"0","steps":[]}"#,
    ),
    (
        "seed is a number",
        r#"{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":0,"steps":[]}"#,
    ),
    (
        "seed is 2^64",
        r#"{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":"18446744073709551616","steps":[]}"#,
    ),
    (
        "seed is null",
        r#"{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":null,"steps":[]}"#,
    ),
    (
        "steps are null",
        r#"{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":"0","steps":null}"#,
    ),
    (
        "steps are an object",
        r#"{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":"0","steps":{}}"#,
    ),
    (
        "a step that is null",
        r#"{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":"0","steps":[null]}"#,
    ),
    (
        "a step that is a list",
        r#"{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":"0","steps":[[]]}"#,
    ),
];

const MEMBER_STEPS: &[(&str, &str)] = &[
    ("all members are missing", "{}"),
    ("do is missing", r#"{"now":"0"}"#),
    ("now is missing", r#"{"do":"late"}"#),
    ("do is no action", r#"{"do":"flush","now":"0"}"#),
    ("do has a capital letter", r#"{"do":"Late","now":"0"}"#),
    ("do is null", r#"{"do":null,"now":"0"}"#),
    ("do is a number", r#"{"do":0,"now":"0"}"#),
    ("do is a name that languages know", r#"{"do":"constructor","now":"0"}"#),
    ("do is another name that languages know", r#"{"do":"__proto__","now":"0"}"#),
    ("now is a number", r#"{"do":"late","now":0}"#),
    ("now is 2^63", r#"{"do":"late","now":"9223372036854775808"}"#),
    ("event of a note is missing", r#"{"do":"note","now":"0"}"#),
    ("event of a note is no event", r#"{"do":"note","now":"0","event":"begin"}"#),
    ("event of a note is null", r#"{"do":"note","now":"0","event":null}"#),
    ("held of a note is a number", r#"{"do":"note","now":"0","event":"attempt_failed","held":1}"#),
    (
        "held of a note is 2^64",
        r#"{"do":"note","now":"0","event":"attempt_failed","held":"18446744073709551616"}"#,
    ),
    ("local is null", r#"{"do":"note","now":"0","event":"attempt_failed","local":null}"#),
    ("local is a number", r#"{"do":"note","now":"0","event":"attempt_failed","local":1}"#),
    ("local is a string", r#"{"do":"note","now":"0","event":"attempt_failed","local":"true"}"#),
    ("times is 0", r#"{"do":"note","now":"0","event":"attempt_failed","times":0}"#),
    ("times is above 100000", r#"{"do":"note","now":"0","event":"attempt_failed","times":100001}"#),
    ("times is not whole", r#"{"do":"note","now":"0","event":"attempt_failed","times":1.5}"#),
    ("times is a string", r#"{"do":"note","now":"0","event":"attempt_failed","times":"1"}"#),
    ("times is null", r#"{"do":"note","now":"0","event":"attempt_failed","times":null}"#),
    ("outcome of a request is missing", r#"{"do":"request","now":"0"}"#),
    ("outcome of a request is no outcome", r#"{"do":"request","now":"0","outcome":"refused"}"#),
    ("outcome of a request is null", r#"{"do":"request","now":"0","outcome":null}"#),
    ("times of a request is 0", r#"{"do":"request","now":"0","outcome":"timeout","times":0}"#),
    ("outcome of a cancellation is missing", r#"{"do":"cancel","now":"0"}"#),
    ("outcome of a cancellation is a number", r#"{"do":"cancel","now":"0","outcome":2}"#),
    ("store_now is missing", r#"{"do":"step","now":"0","text":null}"#),
    ("store_now is a number", r#"{"do":"step","now":"0","text":null,"store_now":0}"#),
    (
        "store_now is 2^63",
        r#"{"do":"step","now":"0","text":null,"store_now":"9223372036854775808"}"#,
    ),
    ("store_now is null", r#"{"do":"step","now":"0","text":null,"store_now":null}"#),
    ("text of a step is a number", r#"{"do":"step","now":"0","text":5,"store_now":"0"}"#),
    ("text of a step is an object", r#"{"do":"step","now":"0","text":{},"store_now":"0"}"#),
    ("stored is missing", r#"{"do":"failed","now":"0"}"#),
    ("stored is null", r#"{"do":"failed","now":"0","stored":null}"#),
    ("stored is a number", r#"{"do":"failed","now":"0","stored":1}"#),
    ("a step that may not come now is checked, too", r#"{"do":"begin","now":"x"}"#),
];

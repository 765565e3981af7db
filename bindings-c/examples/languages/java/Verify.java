// The evaluator for `backoff verify -- java Verify.java`: answers lines of JSON about what the binding does.
static final List<String> FORMS = List.of("retry_after", "response", "state", "exchange", "steps", "fit", "preview", "delays");
static final BigInteger MAX_NS = BigInteger.TWO.pow(63).subtract(BigInteger.ONE), MAX = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);
static final long MAX_INDEX = (1L << 32) - 1;

/** What a policy or budget was refused with, of which the first is answered. */
List<String> refusals = new ArrayList<>();

<T> T as(Class<T> type, Object value) {
    Json.need(type.isInstance(value));
    return type.cast(value);
}

long whole(Object value, long limit) {
    double number = as(Double.class, value);
    Json.need(number >= 0 && number <= limit && number == Math.rint(number));
    return (long) number;
}

long digits(Object value, BigInteger limit) {
    var digits = as(String.class, value);
    Json.need(digits.matches("[0-9]+") && new BigInteger(digits).compareTo(limit) <= 0);
    return new BigInteger(digits).longValue();
}

OptionalLong time(Object value, BigInteger limit) {
    return value == null ? OptionalLong.empty() : OptionalLong.of(digits(value, limit));
}

String shown(OptionalLong number) { return number.isPresent() ? shown(number.getAsLong()) : "null"; }

String shown(long number) { return '"' + Long.toUnsignedString(number) + '"'; }

/** A valid policy or budget takes the place of an invalid one, because the rest of the request is read, too. */
<T> T parsed(Function<String, T> parse, Object text, String otherwise, String of) {
    try {
        return parse.apply(as(String.class, text));
    } catch (Backoff.BackoffException refusal) {
        refusals.add("{\"error\":\"%s\",\"at\":%d%s}".formatted(refusal.code, refusal.at, of));
        return parse.apply(otherwise);
    }
}

Backoff.Policy policy(Map<?, ?> request) { return parsed(Backoff.Policy::parse, request.get("policy"), "none", ""); }

long stream(Map<?, ?> request) {
    long seed = request.containsKey("seed") ? digits(request.get("seed"), MAX) : 0;
    return request.get("key") == null ? seed : Backoff.stream(seed, as(String.class, request.get("key")));
}

String delay(Map<?, ?> request) {
    var policy = policy(request);
    long delayNs = policy.delayNs(stream(request), request.containsKey("index") ? whole(request.get("index"), MAX_INDEX) : 0);
    return "{\"canonical\":\"%s\",\"delay_ns\":%s}".formatted(policy, shown(delayNs));
}

String steps(Map<?, ?> request) {
    var policy = policy(request);
    long stream = stream(request);
    var text = request.get("budget");
    var budget = text == null ? null : parsed(Backoff.Budget::parse, text, "rate", ",\"of\":\"budget\"");
    var running = new HashMap<Long, Backoff.Operation>();
    var answers = new StringJoiner(",", "[", "]");
    for (var item : as(List.class, request.get("steps"))) {
        var step = as(Map.class, item);
        long number = whole(step.get("operation"), MAX_INDEX), nowNs = digits(step.get("now"), MAX);
        var operation = running.get(number);
        Json.need((operation == null) == "begin".equals(step.get("do")));
        if (operation == null) running.put(number, new Backoff.Operation(policy, stream, nowNs, time(step.get("deadline"), MAX), budget));
        else answers.add(decided(operation, step, nowNs));
    }
    return "{\"canonical\":\"%s\",\"budget\":%s,\"answers\":%s}".formatted(policy, budget == null ? null : "\"" + budget + '"', answers);
}

String decided(Backoff.Operation operation, Map<?, ?> step, long nowNs) {
    Backoff.Decision decision;
    if ("outcome".equals(step.get("do"))) {
        var outcome = EnumSet.range(Backoff.Outcome.SUCCESS, Backoff.Outcome.PERMANENT).stream()
            .filter(known -> name(known).equals(step.get("outcome"))).findFirst().orElseThrow(Json.NotJson::new);
        decision = operation.decide(outcome, nowNs, time(step.get("retry_after"), MAX_NS));
    } else {
        Json.need("cancel".equals(step.get("do")));
        decision = new Backoff.Decision(0, operation.cancel());
    }
    var found = decision.reason() == Backoff.Reason.NONE ? "\"wait\"" : "\"stop\":\"" + name(decision.reason()) + "\",\"delay\"";
    return "{%s:%s,\"retries\":%d}".formatted(found, shown(decision.delayNs()), operation.retries());
}

String name(Enum<?> number) { return number.name().toLowerCase(Locale.ROOT); }

String retryAfter(Map<?, ?> asked) {
    var found = Backoff.parseRetryAfter(as(String.class, asked.get("value")), digits(asked.get("now"), MAX_NS));
    return "{\"retry_after\":%s}".formatted(shown(found));
}

String response(Map<?, ?> asked) {
    int status = (int) whole(asked.get("status"), 0xFFFF);
    var fields = as(String.class, asked.get("fields"));
    long nowNs = digits(asked.get("now"), MAX_NS);
    var found = OptionalLong.empty();
    try { found = OptionalLong.of(Backoff.number("http_retry_after", status, fields, nowNs)); } catch (Backoff.BackoffException none) {}
    var outcome = Backoff.Outcome.values()[(int) Backoff.call("http_outcome", status)];
    return "{\"outcome\":\"%s\",\"retry_after\":%s}".formatted(name(outcome), shown(found));
}

String answer(byte[] line) {
    refusals.clear();
    try {
        var request = as(Map.class, Json.read(line));
        var form = FORMS.stream().filter(request::containsKey).findFirst().orElse("delay");
        var answer = switch (form) {
            case "delay" -> delay(request);
            case "steps" -> steps(request);
            case "retry_after" -> retryAfter(as(Map.class, request.get(form)));
            case "response" -> response(as(Map.class, request.get(form)));
            default -> "{\"unsupported\":true}";
        };
        return refusals.isEmpty() ? answer : refusals.getFirst();
    } catch (Json.NotJson no) {
        return "{\"error\":\"not_a_request\",\"at\":0}";
    }
}

void main() throws IOException {
    var out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    var line = new ByteArrayOutputStream();
    int last = '\n';
    for (byte one : System.in.readAllBytes()) {
        if (one != '\n') line.write(one);
        else { out.print(answer(line.toByteArray()) + '\n'); line.reset(); }
        last = one;
    }
    if (last != '\n') out.print(answer(line.toByteArray()) + '\n');
    out.flush();
}

import module java.base;
import static java.lang.foreign.ValueLayout.*;
/** Retries with exponential backoff and jitter: libbackoff through java.lang.foreign. Times are nanoseconds. */
public final class Backoff {
    private static final Path PREFIX = Path.of(Objects.requireNonNullElse(System.getenv("BACKOFF_PREFIX"), "/usr/local"));
    private static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup(PREFIX.resolve("lib/libbackoff.so"), Arena.global());
    private static final Map<String, MethodHandle> FUNCTIONS = new ConcurrentHashMap<>();
    private static final long NO_TIME = -1; // 2^64 - 1 in a long, which has a sign
    /** A function with the parameters that the header for parsers declares. Enums have 32 bits. */
    private static MethodHandle function(String name) throws IOException {
        var header = Files.readString(PREFIX.resolve("share/backoff/backoff.ffi.h"));
        var line = Pattern.compile("(?m)^(.*)\\b" + name + "\\((.*)\\);$").matcher(header).results().findFirst().orElseThrow();
        var parameters = Stream.of(line.group(2).split(", ")).map(Backoff::layout).toArray(MemoryLayout[]::new);
        var type = FunctionDescriptor.of(layout(line.group(1)), parameters);
        return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), type).asSpreader(Object[].class, parameters.length);
    }
    static MemoryLayout layout(String type) { return type.contains("*") ? ADDRESS : type.startsWith("uint64_t") ? JAVA_LONG : JAVA_INT; }
    /** Calls a function. A string stands for an address and a length. */
    static Object call(String function, Object... arguments) {
        var given = Stream.of(arguments).flatMap(argument -> switch (argument) {
            case null -> Stream.of(MemorySegment.NULL);
            case String text -> { var bytes = Arena.ofAuto().allocateFrom(text); yield Stream.of(bytes, bytes.byteSize() - 1); }
            default -> Stream.of(argument);
        }).toArray();
        try {
            if (!FUNCTIONS.containsKey(function)) FUNCTIONS.put(function, function("backoff_" + function));
            return FUNCTIONS.get(function).invoke(given);
        } catch (Throwable failure) { throw new IllegalStateException(function, failure); }
    }
    /** A function that takes no error says nothing but the code. */
    private static void check(String function, Object... arguments) {
        int code = (int) call(function, arguments);
        if (code != 0) throw new BackoffException(code, struct("error"));
    }
    /** The number that a function writes after its other arguments. */
    static long number(String function, Object... arguments) {
        try (var arena = Arena.ofConfined()) {
            var number = arena.allocate(JAVA_LONG);
            check(function, Stream.concat(Stream.of(arguments), Stream.of(number)).toArray());
            return number.get(JAVA_LONG, 0);
        }
    }
    private static String text(String function, MemorySegment struct) {
        var buffer = Arena.ofAuto().allocate(number("constant", "BACKOFF_TEXT_SIZE"));
        check(function, struct, buffer, buffer.byteSize(), null);
        return buffer.getString(0);
    }
    static MemorySegment struct(String name) { return Arena.ofAuto().allocate(number("constant", "sizeof(backoff_" + name + ")"), 8); }
    private static MemorySegment parsed(String kind, String text) {
        MemorySegment struct = struct(kind), error = struct("error");
        if ((int) call(kind + "_parse", struct, text, error) != 0) throw new BackoffException(error.get(JAVA_INT, 0), error);
        return struct;
    }
    /** Its message, its code, such as "missing_unit", and the place in the text of a policy or budget. */
    public static final class BackoffException extends IllegalArgumentException {
        public final String code; public final long at;
        private BackoffException(int code, MemorySegment error) {
            error.set(JAVA_INT, 0, code);
            super(text("error_message", error));
            this.code = ((MemorySegment) call("code_name", code)).reinterpret(64).getString(0);
            at = error.get(JAVA_LONG, 24);
        }
    }
    /** The stream of a seed and a key. Without a key it is the seed. All 64 bits count: print it as unsigned. */
    public static long stream(long seed, String key) { return number("stream_from_key", seed, key); }
    public static long streamFromEntropy() { return number("stream_from_entropy"); }
    /** The time that a Retry-After asks for, if it is valid. `nowNs` is the time since 1970. */
    public static OptionalLong parseRetryAfter(String text, long nowNs) {
        try { return OptionalLong.of(number("parse_retry_after", text, nowNs)); }
        catch (BackoffException none) { return OptionalLong.empty(); }
    }
    /** How retries are spaced, and what limits the retries of all operations with one server. Threads may share both. */
    public record Policy(MemorySegment struct) {
        public static Policy parse(String text) { return new Policy(parsed("policy", text)); }
        public long delayNs(long of, long index) { return number("policy_delay_ns", struct, of, (int) Objects.checkIndex(index, 1L << 32)); }
        @Override public String toString() { return text("policy_print", struct); }
    }
    public record Budget(MemorySegment struct) {
        public static Budget parse(String text) { return new Budget(parsed("budget", text)); }
        @Override public String toString() { return text("budget_print", struct); }
    }
    public enum Outcome { NONE, SUCCESS, TRANSIENT, THROTTLED, TIMEOUT, PERMANENT } // in the order of their numbers
    public enum Reason { NONE, SUCCESS, PERMANENT, MAX_RETRIES, MAX_ELAPSED, DEADLINE, BUDGET, CANCELLED, UNKNOWN; // of a later version
        static Reason of(int number) { return values()[Math.min(number, UNKNOWN.ordinal())]; } }
    public record Decision(long delayNs, Reason reason) {}
    /** A call with its retries, for one thread. Its close cancels it, unless it has stopped. */
    public static final class Operation implements AutoCloseable {
        private final MemorySegment operation = struct("operation"), out = struct("decision"), budget;
        public Operation(Policy policy, long stream, long nowNs, OptionalLong deadlineNs, Budget budget) {
            this.budget = budget == null ? null : budget.struct;
            check("operation_begin", operation, policy.struct, stream, nowNs, deadlineNs.orElse(NO_TIME), this.budget);
        }
        public Decision decide(Outcome outcome, long nowNs, OptionalLong retryAfterNs) {
            check("operation_decide", operation, outcome.ordinal(), retryAfterNs.orElse(NO_TIME), nowNs, budget, out);
            return new Decision(out.get(JAVA_LONG, 8), Reason.of(out.get(JAVA_INT, 0))); }
        public Reason cancel() { check("operation_cancel", operation, budget, out); return Reason.of(out.get(JAVA_INT, 0)); }
        @Override public void close() { cancel(); }
        public long retries() { check("operation_state", operation, out, null, null); return out.get(JAVA_LONG, 0); }
    }
}

//! The evaluator for `backoff verify -- ./verify`: answers lines of JSON about what the binding does.
const std = @import("std");
const c = @import("c");
const backoff = @import("backoff.zig");
const Value = std.json.Value;

const Form = enum { retry_after, response, state, exchange, steps, fit, preview, delays };
const not_a_request = "{\"error\":\"not_a_request\",\"at\":0}";
var gpa: std.mem.Allocator = undefined;
var refusal: ?[]const u8 = null; // of the first policy or budget of a request

fn print(comptime format: []const u8, arguments: anytype) ![]const u8 {
    return std.fmt.allocPrint(gpa, format, arguments);
}

fn get(from: Value, name: []const u8) Value {
    return if (from == .object) from.object.get(name) orelse .null else .null;
}

fn is(value: Value, text: []const u8) bool {
    return value == .string and std.mem.eql(u8, value.string, text);
}

fn string(value: Value) ![]const u8 {
    return if (value == .string) value.string else error.NotARequest;
}

fn whole(T: type, value: Value) !T {
    if (value != .number_string) return error.NotARequest;
    const number = try std.fmt.parseFloat(f64, value.number_string);
    return if (number >= 0 and number <= std.math.maxInt(T) and @floor(number) == number) @trunc(number) else error.NotARequest;
}

fn digits(T: type, value: Value) !T {
    for (try string(value)) |digit| if (!std.ascii.isDigit(digit)) return error.NotARequest;
    return std.fmt.parseInt(T, value.string, 10) catch error.NotARequest;
}

fn time(T: type, value: Value) !?u64 {
    return if (value == .null) null else try digits(T, value);
}

fn shown(number: ?u64) ![]const u8 {
    return if (number) |found| print("\"{d}\"", .{found}) else "null";
}

/// A valid policy or budget takes the place of an invalid one, because the rest of the request is read, too.
fn parsed(T: type, given: Value, otherwise: []const u8, of: []const u8) !T {
    var failure: backoff.Failure = .{};
    return T.parse(try string(given), &failure) catch {
        refusal = refusal orelse try print("{{\"error\":\"{s}\",\"at\":{d}{s}}}", .{ failure.code(), failure.raw.at, of });
        return T.parse(otherwise, &failure);
    };
}

fn streamOf(request: Value) !u64 {
    const seed = if (request.object.get("seed")) |seed| try digits(u64, seed) else 0;
    const key = get(request, "key");
    return backoff.stream(seed, if (key == .null) null else try string(key));
}

fn delay(request: Value) ![]const u8 {
    const policy = try parsed(backoff.Policy, get(request, "policy"), "none", "");
    const index = if (request.object.get("index")) |index| try whole(u32, index) else 0;
    const delay_ns = policy.delayNs(try streamOf(request), index);
    return refusal orelse print("{{\"canonical\":\"{f}\",\"delay_ns\":\"{d}\"}}", .{ policy, delay_ns });
}

fn steps(request: Value) ![]const u8 {
    const policy = try parsed(backoff.Policy, get(request, "policy"), "none", "");
    const stream = try streamOf(request);
    const text = get(request, "budget");
    var budget: ?backoff.Budget = if (text == .null) null else try parsed(backoff.Budget, text, "rate", ",\"of\":\"budget\"");
    var running: std.AutoHashMapUnmanaged(u32, backoff.Operation) = .empty;
    var answers: std.Io.Writer.Allocating = .init(gpa);
    if (get(request, "steps") != .array) return error.NotARequest;
    for (get(request, "steps").array.items) |step| {
        const operation = try running.getOrPut(gpa, try whole(u32, get(step, "operation")));
        const now_ns = try digits(u64, get(step, "now"));
        if (is(get(step, "do"), "begin") == operation.found_existing) return error.NotARequest;
        if (operation.found_existing) {
            try answers.writer.writeAll(try decided(operation.value_ptr, step, now_ns));
        } else {
            const deadline_ns = try time(u64, get(step, "deadline"));
            operation.value_ptr.* = try .begin(&policy, stream, now_ns, deadline_ns, if (budget) |*shared| shared else null);
        }
    }
    const shown_budget = if (budget) |*shared| try print("\"{f}\"", .{shared}) else "null";
    const shown_answers = std.mem.trimStart(u8, answers.written(), ",");
    return refusal orelse print("{{\"canonical\":\"{f}\",\"budget\":{s},\"answers\":[{s}]}}", .{ policy, shown_budget, shown_answers });
}

/// The answer to an outcome or a cancellation, after a comma.
fn decided(operation: *backoff.Operation, step: Value, now_ns: u64) ![]const u8 {
    var decision: backoff.Decision = .{ .delay_ns = 0, .reason = .none };
    if (is(get(step, "do"), "outcome")) {
        const outcome = std.meta.stringToEnum(backoff.Outcome, try string(get(step, "outcome"))) orelse return error.NotARequest;
        decision = try operation.decide(outcome, now_ns, try time(u63, get(step, "retry_after")));
    } else if (is(get(step, "do"), "cancel")) decision.reason = operation.cancel() else return error.NotARequest;
    const found = if (decision.reason == .none) "\"wait\"" else try print("\"stop\":\"{t}\",\"delay\"", .{decision.reason});
    return print(",{{{s}:\"{d}\",\"retries\":{d}}}", .{ found, decision.delay_ns, operation.retries() });
}

fn retryAfter(asked: Value) ![]const u8 {
    const found = backoff.parseRetryAfter(try string(get(asked, "value")), try digits(u63, get(asked, "now")));
    return print("{{\"retry_after\":{s}}}", .{try shown(found)});
}

fn response(asked: Value) ![]const u8 {
    const status = try whole(u16, get(asked, "status"));
    const fields = try string(get(asked, "fields"));
    var wait_ns: u64 = undefined;
    const code = c.backoff_http_retry_after(status, fields.ptr, fields.len, try digits(u63, get(asked, "now")), &wait_ns);
    const outcome: backoff.Outcome = @fromBackingInt(@intCast(c.backoff_http_outcome(status)));
    return print("{{\"outcome\":\"{t}\",\"retry_after\":{s}}}", .{ outcome, try shown(if (code == c.BACKOFF_OK) wait_ns else null) });
}

fn answer(line: []const u8) ![]const u8 {
    const options: std.json.ParseOptions = .{ .duplicate_field_behavior = .use_last, .parse_numbers = false };
    const request = std.json.parseFromSliceLeaky(Value, gpa, line, options) catch return error.NotARequest;
    if (request != .object) return error.NotARequest;
    const form = for (std.enums.values(Form)) |form| {
        if (request.object.contains(@tagName(form))) break form;
    } else return delay(request);
    return switch (form) {
        .steps => steps(request),
        .retry_after => retryAfter(get(request, "retry_after")),
        .response => response(get(request, "response")),
        else => "{\"unsupported\":true}",
    };
}

pub fn main(init: std.process.Init) !void {
    gpa = init.arena.allocator();
    var in = std.Io.File.stdin().readerStreaming(init.io, &.{});
    const input = try in.interface.allocRemaining(gpa, .unlimited);
    if (input.len == 0) return; // no line
    var buffer: [65536]u8 = undefined;
    var out = std.Io.File.stdout().writerStreaming(init.io, &buffer);
    var lines = std.mem.splitScalar(u8, std.mem.cutSuffix(u8, input, "\n") orelse input, '\n');
    while (lines.next()) |line| {
        refusal = null;
        refusal = null;
        const found = answer(line) catch |failure| if (failure == error.NotARequest) not_a_request else return failure;
        try out.interface.print("{s}\n", .{found});
    }
    try out.interface.flush();
}

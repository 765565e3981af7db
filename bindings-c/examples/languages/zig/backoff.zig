//! Retries with exponential backoff and jitter: libbackoff. Times are nanoseconds.
//! The module `c` is what `zig translate-c` makes of backoff.h.
const std = @import("std");
const c = @import("c");
const Writer = std.Io.Writer;
const none = c.BACKOFF_NO_TIME;

fn check(code: c.backoff_code) error{ NoEntropy, DamagedBudget, WrongUse }!void {
    return switch (code) {
        c.BACKOFF_OK => {},
        c.BACKOFF_ERROR_NO_ENTROPY => error.NoEntropy,
        c.BACKOFF_ERROR_DAMAGED => error.DamagedBudget,
        else => error.WrongUse,
    };
}
fn print(function: anytype, raw: anytype, writer: *Writer) Writer.Error!void {
    var buffer: [c.BACKOFF_TEXT_SIZE]u8 = undefined;
    var length: u64 = undefined;
    if (function(raw, &buffer, buffer.len, &length) != c.BACKOFF_OK) return error.WriteFailed;
    try writer.writeAll(buffer[0..length]);
}
/// Why a text was refused, and the place in it. {f} prints the message.
pub const Failure = struct {
    raw: c.backoff_error = .{},
    /// Such as "missing_unit".
    pub fn code(self: *const Failure) []const u8 {
        return std.mem.span(c.backoff_code_name(self.raw.code));
    }
    pub fn format(self: *const Failure, writer: *Writer) Writer.Error!void {
        return print(c.backoff_error_message, &self.raw, writer);
    }
};

/// The stream of a seed and a key. Without a key it is the seed.
pub fn stream(seed: u64, key: ?[]const u8) u64 {
    var made = seed;
    if (key) |bytes| check(c.backoff_stream_from_key(seed, bytes.ptr, bytes.len, &made)) catch unreachable;
    return made;
}
pub fn streamFromEntropy() !u64 {
    var made: u64 = undefined;
    try check(c.backoff_stream_from_entropy(&made));
    return made;
}
/// The time that a Retry-After asks for. `now_ns` is the time since 1970.
pub fn parseRetryAfter(text: []const u8, now_ns: u64) ?u64 {
    var wait_ns: u64 = undefined;
    return if (c.backoff_parse_retry_after(text.ptr, text.len, now_ns, &wait_ns) == c.BACKOFF_OK) wait_ns else null;
}

fn Parsed(Raw: type, parseRaw: anytype, printRaw: anytype) type {
    return struct {
        raw: Raw,
        pub fn parse(text: []const u8, failure: *Failure) error{InvalidText}!@This() {
            var made: @This() = undefined;
            return if (parseRaw(&made.raw, text.ptr, text.len, &failure.raw) == c.BACKOFF_OK) made else error.InvalidText;
        }
        pub fn format(self: *const @This(), writer: *Writer) Writer.Error!void {
            return print(printRaw, &self.raw, writer);
        }
        pub fn delayNs(policy: *const @This(), of: u64, index: u32) u64 {
            var delay_ns: u64 = undefined;
            check(c.backoff_policy_delay_ns(&policy.raw, of, index, &delay_ns)) catch unreachable;
            return delay_ns;
        }
    };
}
/// How retries are spaced, and what limits the retries with one server: threads share both, and do not move a budget.
pub const Policy = Parsed(c.backoff_policy, c.backoff_policy_parse, c.backoff_policy_print);
pub const Budget = Parsed(c.backoff_budget, c.backoff_budget_parse, c.backoff_budget_print);

pub const Outcome = enum(c.backoff_outcome) { success = 1, transient, throttled, timeout, permanent };
pub const Reason = enum(c.backoff_reason) { none, success, permanent, max_retries, max_elapsed, deadline, budget, cancelled, _ };
pub const Decision = struct { delay_ns: u64, reason: Reason };
/// A call with its retries, for one thread: how long to wait, or why to stop.
pub const Operation = struct {
    raw: c.backoff_operation,
    budget: ?*c.backoff_budget,
    pub fn begin(policy: *const Policy, of: u64, now_ns: u64, deadline_ns: ?u64, budget: ?*Budget) !Operation {
        var self: Operation = .{ .raw = undefined, .budget = if (budget) |shared| &shared.raw else null };
        try check(c.backoff_operation_begin(&self.raw, &policy.raw, of, now_ns, deadline_ns orelse none, self.budget));
        return self;
    }
    pub fn decide(self: *Operation, outcome: Outcome, now_ns: u64, retry_after_ns: ?u64) !Decision {
        var made: c.backoff_decision = undefined;
        try check(c.backoff_operation_decide(&self.raw, @backingInt(outcome), retry_after_ns orelse none, now_ns, self.budget, &made));
        return .{ .delay_ns = made.delay_ns, .reason = @fromBackingInt(@intCast(made.reason)) };
    }
    /// Ends the operation, unless it has stopped.
    pub fn cancel(self: *Operation) Reason {
        var reason: c.backoff_reason = c.BACKOFF_REASON_NONE;
        _ = c.backoff_operation_cancel(&self.raw, self.budget, &reason);
        return @fromBackingInt(@intCast(reason));
    }
    pub fn retries(self: *const Operation) u64 {
        var count: u64 = undefined;
        check(c.backoff_operation_state(&self.raw, &count, null, null)) catch unreachable;
        return count;
    }
};

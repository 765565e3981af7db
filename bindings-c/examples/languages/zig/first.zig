//! A call that is retried.
const std = @import("std");
const backoff = @import("backoff.zig");

const Client = struct {
    io: std.Io,
    out: *std.Io.Writer,
    policy: backoff.Policy,
    budget: backoff.Budget, // one for each server
    calls: u32 = 0,

    fn nowNs(self: *const Client) u64 {
        return @intCast(std.Io.Clock.awake.now(self.io).nanoseconds);
    }

    fn send(self: *Client) error{ Timeout, Refused }![]const u8 {
        self.calls += 1;
        return if (self.calls < 3) error.Timeout else "ready";
    }

    fn sendWithRetries(self: *Client, stream: u64) ![]const u8 {
        var operation = try backoff.Operation.begin(&self.policy, stream, self.nowNs(), null, &self.budget);
        defer _ = operation.cancel(); // if an error left the loop, such as error.Canceled; otherwise it has stopped
        var attempt: u32 = 1;
        while (true) : (attempt += 1) {
            const result = self.send();
            const outcome: backoff.Outcome = if (result) |_| .success else |failure| switch (failure) {
                error.Timeout => .timeout,
                else => .permanent,
            };
            const decision = try operation.decide(outcome, self.nowNs(), null);
            if (decision.reason != .none) return result; // a success or the last failure
            try self.out.print("attempt {d}: {t}, wait {d} ns\n", .{ attempt, outcome, decision.delay_ns });
            try self.io.sleep(.fromNanoseconds(decision.delay_ns), .awake);
        }
    }
};

pub fn main(init: std.process.Init) !void {
    var buffer: [256]u8 = undefined;
    var out = std.Io.File.stdout().writerStreaming(init.io, &buffer);
    var failure: backoff.Failure = .{};
    var client: Client = .{
        .io = init.io,
        .out = &out.interface,
        .policy = try .parse("full:base=100ms,cap=20s,max_retries=5", &failure),
        .budget = try .parse("aws-sdk-2026", &failure),
    };
    try client.out.print("{s}\n", .{try client.sendWithRetries(backoff.stream(42, "job-1"))});

    if (backoff.Policy.parse("full:base=1", &failure)) |_| {} else |_| try client.out.print("{f}\n", .{&failure});
    try client.out.flush();
}

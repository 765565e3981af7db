//! `zig build` makes zig-out/bin/first and zig-out/bin/verify.
const std = @import("std");

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{});
    const optimize = b.standardOptimizeOption(.{});
    const prefix = b.graph.environ_map.get("BACKOFF_PREFIX") orelse "/usr/local";

    const header: std.Build.LazyPath = .{ .cwd_relative = b.pathJoin(&.{ prefix, "include/backoff.h" }) };
    const c = b.addTranslateC(.{ .root_source_file = header, .target = target, .optimize = optimize }).createModule();
    const libraries: std.Build.LazyPath = .{ .cwd_relative = b.pathJoin(&.{ prefix, "lib" }) };
    c.addLibraryPath(libraries);
    c.addRPath(libraries);
    c.linkSystemLibrary("backoff", .{ .use_pkg_config = .no });

    inline for (.{ "first", "verify" }) |name| {
        const root = b.createModule(.{ .root_source_file = b.path(name ++ ".zig"), .target = target, .optimize = optimize });
        root.addImport("c", c);
        b.installArtifact(b.addExecutable(.{ .name = name, .root_module = root }));
    }
}

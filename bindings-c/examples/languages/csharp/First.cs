// A call that is retried. The program needs libbackoff.so in its folder.
using System;
using System.Diagnostics;
using System.Runtime.ExceptionServices;
using System.Threading;
using static Backoff;

static class First {
    static readonly Policy policy = new Policy("full:base=100ms,cap=20s,max_retries=5");
    static readonly Budget budget = new Budget("aws-sdk-2026"); // one for each server
    static readonly Stopwatch clock = Stopwatch.StartNew();

    static ulong NowNs() => (ulong) clock.Elapsed.Ticks * 100;

    static T WithRetries<T>(ulong stream, Func<T> call) {
        // Its end cancels the operation if an exception left the loop; otherwise it has stopped.
        using (var operation = new Operation(policy, stream, NowNs(), budget: budget)) {
            for (var attempt = 1;; attempt++) {
                var result = default(T);
                Exception failure = null;
                var outcome = Outcome.Success;
                try {
                    result = call();
                } catch (Exception thrown) {
                    failure = thrown;
                    outcome = thrown is TimeoutException ? Outcome.Timeout : Outcome.Permanent;
                }
                var (delayNs, reason) = operation.Decide(outcome, NowNs());
                if (reason == Reason.Success) return result;
                if (reason != Reason.None) ExceptionDispatchInfo.Capture(failure).Throw(); // with its stack
                Console.WriteLine($"attempt {attempt}: {outcome.ToString().ToLower()}, wait {delayNs} ns");
                Thread.Sleep(TimeSpan.FromMilliseconds(Math.Ceiling(delayNs / 1e6)));
            }
        }
    }

    static void Main() {
        var calls = 0;
        Console.WriteLine(WithRetries(Stream(42, "job-1"), () => ++calls < 3 ? throw new TimeoutException() : "ready"));
        try {
            new Policy("full:base=1");
        } catch (BackoffException failure) {
            Console.WriteLine(failure.Message);
        }
    }
}

// The evaluator for `backoff verify -- mono verify.exe`: answers lines of JSON about what the binding does.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;
using static Backoff;
using Members = System.Collections.Generic.Dictionary<string, object>;

static class Verify {
    static readonly string[] forms = { "retry_after", "response", "state", "exchange", "steps", "fit", "preview", "delays" };
    const ulong MaxNs = long.MaxValue;
    /// What a policy or budget was refused with, of which the first is answered.
    static readonly List<string> refusals = new List<string>();

    [DllImport("backoff")] static extern Outcome backoff_http_outcome(uint status);
    [DllImport("backoff")] static extern uint backoff_http_retry_after(uint status, byte[] fields, ulong length, ulong now, out ulong wait);

    static T As<T>(object value) => value is T found ? found : throw new NotJson();
    static object Get(Members members, string name) => members.TryGetValue(name, out var value) ? value : null;

    static uint Whole(object value, uint limit) {
        var number = As<double>(value);
        Json.Need(number >= 0 && number <= limit && number == Math.Floor(number));
        return (uint) number;
    }

    static ulong Digits(object value, ulong limit = ulong.MaxValue) {
        Json.Need(ulong.TryParse(As<string>(value), NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number <= limit);
        return number;
    }

    static ulong? Time(object value, ulong limit = ulong.MaxValue) => value == null ? (ulong?) null : Digits(value, limit);
    static string Shown(ulong? number) => number == null ? "null" : $"\"{number}\"";
    static string Name(Enum number) => Regex.Replace(number.ToString(), "(?<=.)[A-Z]", "_$0").ToLowerInvariant();

    /// A valid policy or budget takes the place of an invalid one, because the rest of the request is read, too.
    static T Parsed<T>(Func<string, T> parse, object text, string otherwise, string of) {
        try {
            return parse(As<string>(text));
        } catch (BackoffException refusal) {
            refusals.Add($"{{\"error\":\"{refusal.Code}\",\"at\":{refusal.At}{of}}}");
            return parse(otherwise);
        }
    }

    static Policy PolicyOf(Members request) => Parsed(text => new Policy(text), Get(request, "policy"), "none", "");

    static ulong StreamOf(Members request) {
        var seed = request.ContainsKey("seed") ? Digits(request["seed"]) : 0;
        return Stream(seed, Get(request, "key") == null ? null : As<string>(request["key"]));
    }

    static string Delay(Members request) {
        var policy = PolicyOf(request);
        var delayNs = policy.DelayNs(StreamOf(request), request.ContainsKey("index") ? Whole(request["index"], uint.MaxValue) : 0);
        return $"{{\"canonical\":\"{policy}\",\"delay_ns\":{Shown(delayNs)}}}";
    }

    static string Steps(Members request) {
        var policy = PolicyOf(request);
        var stream = StreamOf(request);
        var text = Get(request, "budget");
        var budget = text == null ? null : Parsed(given => new Budget(given), text, "rate", ",\"of\":\"budget\"");
        var running = new Dictionary<uint, Operation>();
        var answers = new List<string>();
        foreach (var step in As<List<object>>(Get(request, "steps")).Select(As<Members>)) {
            var number = Whole(Get(step, "operation"), uint.MaxValue);
            var nowNs = Digits(Get(step, "now"));
            var found = running.TryGetValue(number, out var operation);
            Json.Need(found != "begin".Equals(Get(step, "do")));
            if (found) answers.Add(Decided(operation, step, nowNs));
            else running[number] = new Operation(policy, stream, nowNs, Time(Get(step, "deadline")), budget);
        }
        var shown = budget == null ? "null" : $"\"{budget}\"";
        return $"{{\"canonical\":\"{policy}\",\"budget\":{shown},\"answers\":[{string.Join(",", answers)}]}}";
    }

    static string Decided(Operation operation, Members step, ulong nowNs) {
        (ulong delayNs, Reason reason) = (0, Reason.None);
        if ("outcome".Equals(Get(step, "do"))) {
            var name = Get(step, "outcome");
            var outcome = Enum.GetValues(typeof(Outcome)).Cast<Outcome>().FirstOrDefault(known => Name(known).Equals(name));
            Json.Need(outcome != 0);
            (delayNs, reason) = operation.Decide(outcome, nowNs, Time(Get(step, "retry_after"), MaxNs));
        } else {
            Json.Need("cancel".Equals(Get(step, "do")));
            reason = operation.Cancel();
        }
        var found = reason == Reason.None ? "\"wait\"" : $"\"stop\":\"{Name(reason)}\",\"delay\"";
        return $"{{{found}:{Shown(delayNs)},\"retries\":{operation.Retries}}}";
    }

    static string RetryAfter(Members asked) {
        var found = ParseRetryAfter(As<string>(Get(asked, "value")), Digits(Get(asked, "now"), MaxNs));
        return $"{{\"retry_after\":{Shown(found)}}}";
    }

    static string Response(Members asked) {
        var status = Whole(Get(asked, "status"), 0xFFFF);
        var fields = Encoding.UTF8.GetBytes(As<string>(Get(asked, "fields")));
        var found = backoff_http_retry_after(status, fields, (ulong) fields.Length, Digits(Get(asked, "now"), MaxNs), out var wait) == 0;
        return $"{{\"outcome\":\"{Name(backoff_http_outcome(status))}\",\"retry_after\":{Shown(found ? wait : (ulong?) null)}}}";
    }

    static string Answer(byte[] line) {
        refusals.Clear();
        try {
            var request = As<Members>(Json.Read(line));
            var form = forms.FirstOrDefault(request.ContainsKey);
            var answer = form == null ? Delay(request)
                : form == "steps" ? Steps(request)
                : form == "retry_after" ? RetryAfter(As<Members>(request[form]))
                : form == "response" ? Response(As<Members>(request[form]))
                : "{\"unsupported\":true}";
            return refusals.FirstOrDefault() ?? answer;
        } catch (NotJson) {
            return "{\"error\":\"not_a_request\",\"at\":0}";
        }
    }

    static void Main() {
        var input = new MemoryStream();
        Console.OpenStandardInput().CopyTo(input);
        var line = new List<byte>();
        var ended = true;
        using (var output = new StreamWriter(Console.OpenStandardOutput())) {
            foreach (var one in input.ToArray()) {
                ended = one == '\n';
                if (!ended) { line.Add(one); continue; }
                output.Write(Answer(line.ToArray()) + "\n");
                line.Clear();
            }
            if (!ended) output.Write(Answer(line.ToArray()) + "\n");
        }
    }
}

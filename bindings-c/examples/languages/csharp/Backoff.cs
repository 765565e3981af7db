using System;
using System.Runtime.InteropServices;
using System.Text;

/// Retries with exponential backoff and jitter: libbackoff in the folder of the program. Times are nanoseconds.
public static class Backoff {
    [DllImport("backoff")] static extern uint backoff_constant(byte[] name, ulong length, out ulong value);
    [DllImport("backoff")] static extern uint backoff_policy_parse(Struct policy, byte[] text, ulong length, Struct error);
    [DllImport("backoff")] static extern uint backoff_policy_print(Struct policy, byte[] buffer, ulong size, out ulong length);
    [DllImport("backoff")] static extern uint backoff_policy_delay_ns(Struct policy, ulong stream, uint index, out ulong delay);
    [DllImport("backoff")] static extern uint backoff_stream_from_key(ulong seed, byte[] key, ulong length, out ulong stream);
    [DllImport("backoff")] static extern uint backoff_stream_from_entropy(out ulong stream);
    [DllImport("backoff")] static extern uint backoff_budget_parse(Struct budget, byte[] text, ulong length, Struct error);
    [DllImport("backoff")] static extern uint backoff_budget_print(Struct budget, byte[] buffer, ulong size, out ulong length);
    [DllImport("backoff")] static extern uint backoff_operation_begin(Struct op, Struct policy, ulong of, ulong now, ulong end, Struct budget);
    [DllImport("backoff")]
    static extern uint backoff_operation_decide(Struct op, Outcome outcome, ulong retryAfter, ulong now, Struct budget, Struct made);
    [DllImport("backoff")] static extern uint backoff_operation_cancel(Struct op, Struct budget, out Reason reason);
    [DllImport("backoff")] static extern uint backoff_operation_state(Struct op, out ulong retries, IntPtr attempts, IntPtr reason);
    [DllImport("backoff")] static extern uint backoff_parse_retry_after(byte[] text, ulong length, ulong now, out ulong retryAfter);
    [DllImport("backoff")] static extern uint backoff_error_message(Struct error, byte[] buffer, ulong size, out ulong length);
    [DllImport("backoff")] static extern IntPtr backoff_code_name(uint code);
    delegate uint Parse(Struct parsed, byte[] text, ulong length, Struct error);
    delegate uint Print(Struct printed, byte[] buffer, ulong size, out ulong length);
    /// Memory that does not move. Without a name it is NULL.
    internal sealed class Struct : Microsoft.Win32.SafeHandles.SafeHandleZeroOrMinusOneIsInvalid {
        internal Struct(string name = null) : base(true) {
            if (name == null) return;
            var zeros = new byte[Constant($"sizeof(backoff_{name})")];
            SetHandle(Marshal.AllocHGlobal(zeros.Length));
            Marshal.Copy(zeros, 0, handle, zeros.Length);
        }
        protected override bool ReleaseHandle() { Marshal.FreeHGlobal(handle); return true; }
        internal uint this[int at] { get => (uint) Marshal.ReadInt32(handle, at); set => Marshal.WriteInt32(handle, at, (int) value); }
        internal ulong Long(int at) => (ulong) Marshal.ReadInt64(handle, at);
    }
    static ulong Constant(string name) { backoff_constant(Bytes(name), (ulong) name.Length, out ulong value); return value; }
    static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
    /// A function that takes no error says nothing but the code.
    static void Check(uint code) { if (code != 0) throw new BackoffException(new Struct("error") { [0] = code }); }
    static Struct Parsed(string kind, Parse parse, string text) {
        Struct parsed = new Struct(kind), error = new Struct("error");
        var bytes = Bytes(text);
        return parse(parsed, bytes, (ulong) bytes.Length, error) == 0 ? parsed : throw new BackoffException(error);
    }
    static string Text(Print print, Struct printed) {
        var buffer = new byte[Constant("BACKOFF_TEXT_SIZE")];
        Check(print(printed, buffer, (ulong) buffer.Length, out ulong length));
        return Encoding.UTF8.GetString(buffer, 0, (int) length);
    }
    /// Its message, its code, such as "missing_unit", and the place in the text of a policy or budget.
    public sealed class BackoffException : Exception {
        internal BackoffException(Struct error) : base(Text(backoff_error_message, error)) {
            (Code, At) = (Marshal.PtrToStringAnsi(backoff_code_name(error[0])), error.Long(24));
        }
        public readonly string Code; public readonly ulong At;
    }
    /// The stream of a seed and a key. Without a key it is the seed.
    public static ulong Stream(ulong seed, string key = null) {
        if (key == null) return seed;
        var bytes = Bytes(key);
        Check(backoff_stream_from_key(seed, bytes, (ulong) bytes.Length, out ulong stream));
        return stream;
    }
    public static ulong StreamFromEntropy() { Check(backoff_stream_from_entropy(out ulong stream)); return stream; }
    /// The time that a Retry-After asks for, or null. `nowNs` is the time since 1970.
    public static ulong? ParseRetryAfter(string text, ulong nowNs) {
        var bytes = Bytes(text);
        return backoff_parse_retry_after(bytes, (ulong) bytes.Length, nowNs, out ulong wait) == 0 ? wait : (ulong?) null;
    }
    /// How retries are spaced, and what limits the retries of all operations with one server. Threads share both.
    public sealed class Policy {
        internal readonly Struct Struct;
        public Policy(string text) { Struct = Parsed("policy", backoff_policy_parse, text); }
        public ulong DelayNs(ulong of, uint index) { Check(backoff_policy_delay_ns(Struct, of, index, out ulong delay)); return delay; }
        public override string ToString() => Text(backoff_policy_print, Struct);
    }
    public sealed class Budget {
        internal readonly Struct Struct;
        public Budget(string text) { Struct = Parsed("budget", backoff_budget_parse, text); }
        public override string ToString() => Text(backoff_budget_print, Struct);
    }
    public enum Outcome : uint { Success = 1, Transient, Throttled, Timeout, Permanent }
    public enum Reason : uint { None, Success, Permanent, MaxRetries, MaxElapsed, Deadline, Budget, Cancelled }
    /// A call with its retries, for one thread: how long to wait, or why to stop. Its end cancels it, unless it has stopped.
    public sealed class Operation : IDisposable {
        readonly Struct operation = new Struct("operation"), decision = new Struct("decision"), budget;
        public Operation(Policy policy, ulong stream, ulong nowNs, ulong? deadlineNs = null, Budget budget = null) {
            this.budget = budget?.Struct ?? new Struct();
            Check(backoff_operation_begin(operation, policy.Struct, stream, nowNs, deadlineNs ?? ulong.MaxValue, this.budget));
        }
        public (ulong DelayNs, Reason Reason) Decide(Outcome outcome, ulong nowNs, ulong? retryAfterNs = null) {
            Check(backoff_operation_decide(operation, outcome, retryAfterNs ?? ulong.MaxValue, nowNs, budget, decision));
            return (decision.Long(8), (Reason) decision[0]);
        }
        public Reason Cancel() { Check(backoff_operation_cancel(operation, budget, out Reason reason)); return reason; }
        public void Dispose() => Cancel();
        public ulong Retries { get { Check(backoff_operation_state(operation, out ulong count, IntPtr.Zero, IntPtr.Zero)); return count; } }
    }
}

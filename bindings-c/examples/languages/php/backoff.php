<?php // Retries with exponential backoff and jitter: libbackoff through FFI. Times are nanoseconds.
declare(strict_types=1);
namespace Backoff;
use FFI, FFI\CData;

const NO_TIME = -1; // 2^64 - 1 in an int, which has a sign

function c(): FFI {
    static $c;
    $prefix = getenv('BACKOFF_PREFIX') ?: '/usr/local';
    return $c ??= FFI::cdef(file_get_contents("$prefix/share/backoff/backoff.ffi.h"), "$prefix/lib/libbackoff.so");
}

/** Its message, its code, such as "missing_unit", and the place in the text of a policy or budget. */
final class Error extends \RuntimeException {
    public readonly int $at;
    public function __construct(CData $error) {
        parent::__construct(text('error_message', $error));
        $this->code = c()->backoff_code_name($error[0]->code);
        $this->at = $error[0]->at;
    }
}

/** A function that takes no error says nothing but the code. */
function call(string $function, array $arguments, ?CData $error = null): void {
    $code = c()->{"backoff_$function"}(...$arguments);
    if ($code === 0) return;
    $error ??= c()->new('backoff_error[1]');
    $error[0]->code = $code;
    throw new Error($error);
}

/** The number that a function writes between its other arguments. An array is passed as a pointer. */
function number(string $function, array $arguments, mixed ...$rest): int {
    call($function, [...$arguments, $value = c()->new('uint64_t[1]'), ...$rest]);
    return $value[0];
}
function text(string $function, CData $struct): string {
    $buffer = c()->new('char[' . c()->BACKOFF_TEXT_SIZE . ']');
    call($function, [$struct, $buffer, FFI::sizeof($buffer), null]);
    return FFI::string($buffer);
}
function parsed(string $kind, string $text): CData {
    [$struct, $error] = [c()->new("backoff_{$kind}[1]"), c()->new('backoff_error[1]')];
    call("{$kind}_parse", [$struct, $text, strlen($text), $error], $error);
    return $struct;
}

/** The stream of a seed and a key. Without a key it is the seed. */
function stream(int $seed, ?string $key = null): int {
    return $key === null ? $seed : number('stream_from_key', [$seed, $key, strlen($key)]);
}
function stream_from_entropy(): int { return number('stream_from_entropy', []); }

/** The time that a Retry-After asks for, or null. $nowNs is the time since 1970. */
function parse_retry_after(string $text, int $nowNs): ?int {
    try { return number('parse_retry_after', [$text, strlen($text), $nowNs]); } catch (Error) { return null; }
}

/** How retries are spaced. */
final class Policy {
    public readonly CData $struct;
    public function __construct(string $text) { $this->struct = parsed('policy', $text); }
    public function __toString(): string { return text('policy_print', $this->struct); }
    public function delayNs(int $stream, int $index): int {
        if ($index >> 32 !== 0) throw new \ValueError("the index $index is not from 0 to 2^32 - 1"); // FFI would cut it
        return number('policy_delay_ns', [$this->struct, $stream, $index]);
    }
}

/** What limits the retries of all operations with one server. */
final class Budget {
    public readonly CData $struct;
    public function __construct(string $text) { $this->struct = parsed('budget', $text); }
    public function __toString(): string { return text('budget_print', $this->struct); }
}

/** A call with its retries. */
final class Operation {
    private CData $struct;
    public function __construct(Policy $policy, int $stream, int $nowNs, ?int $deadlineNs = null, private ?Budget $budget = null) {
        $this->struct = c()->new('backoff_operation[1]');
        call('operation_begin', [$this->struct, $policy->struct, $stream, $nowNs, $deadlineNs ?? NO_TIME, $budget?->struct]);
    }
    /** After "success", "transient", "throttled", "timeout" or "permanent": a delay, and null or the reason to stop. */
    public function decide(string $outcome, int $nowNs, ?int $retryAfterNs = null): array {
        $number = c()->backoff_outcome_from_name($outcome, strlen($outcome));
        $decision = c()->new('backoff_decision[1]');
        call('operation_decide', [$this->struct, $number, $retryAfterNs ?? NO_TIME, $nowNs, $this->budget?->struct, $decision]);
        $reason = $decision[0]->reason;
        return [$decision[0]->delay_ns, $reason === 0 ? null : c()->backoff_reason_name($reason)];
    }
    /** Ends the operation, unless it has stopped. Returns the reason. */
    public function cancel(): string {
        $reason = c()->new('backoff_reason[1]');
        call('operation_cancel', [$this->struct, $this->budget?->struct, $reason]);
        return c()->backoff_reason_name($reason[0]);
    }
    public function retries(): int { return number('operation_state', [$this->struct], null, null); }
}

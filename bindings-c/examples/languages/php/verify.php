<?php // The evaluator for `backoff verify -- php verify.php`: answers lines of JSON about what the binding does.
declare(strict_types=1);
require __DIR__ . '/backoff.php';
use Backoff\{Budget, Operation, Policy};

final class NotARequest extends Exception {}

const FORMS = ['retry_after', 'response', 'state', 'exchange', 'steps', 'fit', 'preview', 'delays'];
const OUTCOMES = ['success', 'transient', 'throttled', 'timeout', 'permanent'];

function need(bool $holds): void { if (!$holds) throw new NotARequest(); }
function an_object(mixed $value): stdClass { need($value instanceof stdClass); return $value; }
function string(mixed $value): string { need(is_string($value)); return $value; }

/** A member that may be missing, but not null. */
function member(stdClass $of, string $name, mixed $otherwise): mixed {
    return property_exists($of, $name) ? $of->$name : $otherwise;
}

function whole(mixed $value, int $limit): int {
    need((is_int($value) || is_float($value)) && $value >= 0 && $value <= $limit && floor($value) == $value);
    return (int) $value;
}

/** Digits up to 2^64 - 1: an int, which is negative from 2^63 on. */
function digits(mixed $value): int {
    need(preg_match('/^[0-9]+$/D', string($value)) === 1);
    [$high, $low] = [0, 0];
    foreach (str_split($value) as $digit) {
        $low = $low * 10 + (int) $digit;
        $high = $high * 10 + ($low >> 32);
        $low &= 0xFFFFFFFF;
        need($high <= 0xFFFFFFFF);
    }
    return $high << 32 | $low;
}

function time_of(mixed $value): int { $time = digits($value); need($time >= 0); return $time; }
function shown(?int $number): ?string { return $number === null ? null : sprintf('%u', $number); }

/** A valid policy or budget takes the place of an invalid one, because the rest of the request is read, too. */
function parsed(string $kind, mixed $text, string $otherwise, ?array &$refused, array $of = []): Policy|Budget {
    try {
        return new $kind(string($text));
    } catch (Backoff\Error $error) {
        $refused ??= ['error' => $error->getCode(), 'at' => $error->at, ...$of];
        return new $kind($otherwise);
    }
}

function policy(stdClass $request, ?array &$refused): Policy {
    return parsed(Policy::class, $request->policy ?? null, 'none', $refused);
}

function stream(stdClass $request): int {
    return Backoff\stream(digits(member($request, 'seed', '0')), isset($request->key) ? string($request->key) : null);
}

function delay(stdClass $request, ?array &$refused): array {
    [$policy, $stream] = [policy($request, $refused), stream($request)];
    $delay = $policy->delayNs($stream, whole(member($request, 'index', 0), 0xFFFFFFFF));
    return ['canonical' => (string) $policy, 'delay_ns' => shown($delay)];
}

function steps(stdClass $request, ?array &$refused): array {
    [$policy, $stream, $running, $answers] = [policy($request, $refused), stream($request), [], []];
    $budget = isset($request->budget) ? parsed(Budget::class, $request->budget, 'rate', $refused, ['of' => 'budget']) : null;
    need(is_array($request->steps));
    foreach ($request->steps as $step) {
        [$number, $now] = [whole(an_object($step)->operation ?? null, 0xFFFFFFFF), digits($step->now ?? null)];
        [$operation, $do] = [$running[$number] ?? null, $step->do ?? null];
        need(($operation === null) === ($do === 'begin'));
        if ($operation === null) {
            $deadline = isset($step->deadline) ? digits($step->deadline) : null;
            $running[$number] = new Operation($policy, $stream, $now, $deadline, $budget);
            continue;
        }
        need($do === 'cancel' || $do === 'outcome' && in_array($step->outcome ?? null, OUTCOMES, true));
        $retry_after = $do === 'outcome' && isset($step->retry_after) ? time_of($step->retry_after) : null;
        [$delay, $reason] = $do === 'cancel' ? [0, $operation->cancel()] : $operation->decide($step->outcome, $now, $retry_after);
        $answer = $reason === null ? ['wait' => shown($delay)] : ['stop' => $reason, 'delay' => shown($delay)];
        $answers[] = [...$answer, 'retries' => $operation->retries()];
    }
    return ['canonical' => (string) $policy, 'budget' => $budget === null ? null : (string) $budget, 'answers' => $answers];
}

function retry_after(stdClass $asked): array {
    $found = Backoff\parse_retry_after(string($asked->value ?? null), time_of($asked->now ?? null));
    return ['retry_after' => shown($found)];
}

function response(stdClass $asked): array {
    [$status, $fields] = [whole($asked->status ?? null, 0xFFFF), string($asked->fields ?? null)];
    [$now, $wait] = [time_of($asked->now ?? null), Backoff\c()->new('uint64_t[1]')];
    $code = Backoff\c()->backoff_http_retry_after($status, $fields, strlen($fields), $now, $wait);
    $outcome = Backoff\c()->backoff_outcome_name(Backoff\c()->backoff_http_outcome($status));
    return ['outcome' => $outcome, 'retry_after' => $code === 0 ? shown($wait[0]) : null];
}

function answer(string $line): array {
    $refused = null;
    try {
        $request = an_object(json_decode($line, flags: JSON_THROW_ON_ERROR));
        $form = array_values(array_filter(FORMS, fn ($form) => property_exists($request, $form)))[0] ?? null;
        $answer = match ($form) {
            null => delay($request, $refused),
            'steps' => steps($request, $refused),
            'retry_after', 'response' => $form(an_object($request->$form)),
            default => ['unsupported' => true],
        };
        return $refused ?? $answer;
    } catch (NotARequest | JsonException) {
        return ['error' => 'not_a_request', 'at' => 0];
    }
}

while (($line = fgets(STDIN)) !== false) echo json_encode(answer($line), JSON_UNESCAPED_SLASHES), "\n";

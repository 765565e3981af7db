<?php // A call that is retried. Set BACKOFF_PREFIX to the folder of libbackoff.
declare(strict_types=1);
require __DIR__ . '/backoff.php';
use Backoff\{Budget, Operation, Policy};

final class Timeout extends RuntimeException {}

function with_retries(Policy $policy, Budget $budget, int $stream, callable $call): mixed {
    $operation = new Operation($policy, $stream, hrtime(true), budget: $budget);
    try {
        for ($attempt = 1;; $attempt++) {
            try {
                [$result, $outcome] = [$call(), 'success'];
            } catch (Exception $failure) {
                $outcome = $failure instanceof Timeout ? 'timeout' : 'permanent';
            }
            [$delayNs, $reason] = $operation->decide($outcome, hrtime(true));
            if ($reason === 'success') return $result;
            if ($reason !== null) throw $failure;
            echo "attempt $attempt: $outcome, wait $delayNs ns\n";
            time_nanosleep(intdiv($delayNs, 1_000_000_000), $delayNs % 1_000_000_000);
        }
    } finally {
        $operation->cancel(); // if an Error left the loop; otherwise it has stopped
    }
}

$policy = new Policy('full:base=100ms,cap=20s,max_retries=5');
$budget = new Budget('aws-sdk-2026'); // one for each server
$calls = 0;
$call = function () use (&$calls) { return ++$calls < 3 ? throw new Timeout() : 'ready'; };
echo with_retries($policy, $budget, Backoff\stream(42, 'job-1'), $call), "\n";

try {
    new Policy('full:base=1');
} catch (Backoff\Error $error) {
    echo $error->getMessage(), "\n";
}

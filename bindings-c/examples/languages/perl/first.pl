# A call that is retried. Set BACKOFF_PREFIX to the folder of libbackoff.
use v5.36;
use FindBin;
use lib $FindBin::Bin;
use Backoff;
use Time::HiRes qw(clock_gettime usleep CLOCK_MONOTONIC);

my $policy = Backoff::Policy->parse("full:base=100ms,cap=20s,max_retries=5");
my $budget = Backoff::Budget->parse("aws-sdk-2026"); # one for each server

sub now_ns() { return int(1e9 * clock_gettime(CLOCK_MONOTONIC)) }

sub with_retries($stream, $call) {
    my $operation = Backoff::Operation->new($policy, $stream, now_ns(), budget => $budget);
    for (my $attempt = 1;; $attempt++) {
        my $result;
        my $outcome = eval { $result = $call->(); 1 } ? "success" : $@ eq "timeout\n" ? "timeout" : "permanent";
        my $failure = $@;
        my ($delay_ns, $reason) = $operation->decide($outcome, now_ns());
        return $result if defined $reason && $reason eq "success";
        die $failure if defined $reason;
        say "attempt $attempt: $outcome, wait $delay_ns ns";
        usleep($delay_ns / 1000);
    }
}

my $calls = 0;
say with_retries(Backoff::stream(42, "job-1"), sub { return ++$calls < 3 ? die "timeout\n" : "ready" });

eval { Backoff::Policy->parse("full:base=1") };
say $@;

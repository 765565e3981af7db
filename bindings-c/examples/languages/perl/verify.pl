# The evaluator for `backoff verify -- perl verify.pl`: answers lines of JSON about what the binding does.
use v5.36;
use FindBin;
use lib $FindBin::Bin;
use Backoff;
use JSON::PP;
use Scalar::Util qw(looks_like_number);
no warnings "experimental::builtin";

my @FORMS = qw(retry_after response state exchange steps fit preview delays);
my %OUTCOMES = map { $_ => 1 } qw(success transient throttled timeout permanent);
my ($MAX, $MAX_NS) = (~0, ~0 >> 1);
my ($json, $refused) = (JSON::PP->new->utf8->canonical);

sub need($holds) { $holds or die "not a request\n" }
sub object($value) { need(ref $value eq "HASH"); return $value }
sub string($value) { need(defined $value && !ref $value && !builtin::created_as_number($value)); return $value }

sub whole($value, $limit) {
    need(defined $value && builtin::created_as_number($value) && $value >= 0 && $value <= $limit && $value == int $value);
    return int $value;
}

sub digits($value, $limit = $MAX) {
    my ($number) = string($value) =~ /\A0*([0-9]{1,20})\z/;
    need(defined $number && (length $number < 20 || $number le "18446744073709551615") && $number <= $limit);
    return 0 + $number;
}

sub given($value, $read) { return defined $value ? $read->($value) : undef }

# A valid policy or budget takes the place of an invalid one, because the rest of the request is read, too.
sub parsed($class, $text, $otherwise, $of) {
    string($text);
    my $found = eval { $class->parse($text) };
    $refused //= qq({"error":"$@->{code}","at":$@->{at}$of}) if !defined $found;
    return $found // $class->parse($otherwise);
}

sub policy_of($request) { return parsed("Backoff::Policy", $request->{policy}, "none", "") }
sub stream_of($request) {
    return Backoff::stream(exists $request->{seed} ? digits($request->{seed}) : 0, given($request->{key}, \&string));
}

sub delay($request) {
    my ($policy, $index) = (policy_of($request), exists $request->{index} ? whole($request->{index}, 2**32 - 1) : 0);
    my $delay_ns = $policy->delay_ns(stream_of($request), $index);
    return qq({"canonical":"$policy","delay_ns":"$delay_ns"});
}

sub step($step, $running, $policy, $stream, $budget) {
    my ($number, $now_ns, $do) = (whole($step->{operation}, 2**32 - 1), digits($step->{now}), string($step->{do}));
    my $operation = $running->{$number};
    need(defined $operation xor $do eq "begin");
    my ($delay_ns, $reason) = (0);
    if (!$operation) {
        my $deadline_ns = given($step->{deadline}, \&digits);
        $running->{$number} = Backoff::Operation->new($policy, $stream, $now_ns, deadline_ns => $deadline_ns, budget => $budget);
        return ();
    } elsif ($do eq "outcome") {
        need($OUTCOMES{string($step->{outcome})});
        my $retry_after_ns = given($step->{retry_after}, sub ($value) { digits($value, $MAX_NS) });
        ($delay_ns, $reason) = $operation->decide($step->{outcome}, $now_ns, $retry_after_ns);
    } else {
        need($do eq "cancel");
        $reason = $operation->cancel;
    }
    my $answer = defined $reason ? qq("stop":"$reason","delay") : qq("wait");
    return "{$answer:\"$delay_ns\",\"retries\":" . $operation->retries . "}";
}

sub steps($request) {
    my ($policy, $stream) = (policy_of($request), stream_of($request));
    my $budget = given($request->{budget}, sub ($text) { parsed("Backoff::Budget", $text, "rate", ',"of":"budget"') });
    need(ref $request->{steps} eq "ARRAY");
    my %running;
    my $answers = join ",", map { step(object($_), \%running, $policy, $stream, $budget) } @{ $request->{steps} };
    my $shown = defined $budget ? "\"$budget\"" : "null";
    return qq({"canonical":"$policy","budget":$shown,"answers":[$answers]});
}

sub retry_after($asked) {
    my $found = Backoff::parse_retry_after(string($asked->{value}), digits($asked->{now}, $MAX_NS));
    return '{"retry_after":' . (defined $found ? "\"$found\"" : "null") . "}";
}

sub response($asked) {
    my ($status, $fields, $now_ns) = (whole($asked->{status}, 65535), string($asked->{fields}), digits($asked->{now}, $MAX_NS));
    my $is_found = Backoff::C::backoff_http_retry_after($status, Backoff::octets($fields), $now_ns, \my $found) == 0;
    my $outcome = Backoff::C::backoff_outcome_name(Backoff::C::backoff_http_outcome($status));
    return qq({"outcome":"$outcome","retry_after":) . ($is_found ? "\"$found\"" : "null") . "}";
}

sub answer($line) {
    my $request = object($json->decode($line));
    $refused = undef;
    my ($form) = grep { exists $request->{$_} } @FORMS;
    return delay($request) if !defined $form;
    return retry_after(object($request->{$form})) if $form eq "retry_after";
    return response(object($request->{$form})) if $form eq "response";
    return $form eq "steps" ? steps($request) : '{"unsupported":true}';
}

binmode STDIN;
while (my $line = <STDIN>) {
    my $answer = eval { answer($line) };
    say $answer ? $refused // $answer : '{"error":"not_a_request","at":0}';
}

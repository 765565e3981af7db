# Retries with exponential backoff and jitter: libbackoff through FFI::Platypus. Times are nanoseconds.
package Backoff;
use v5.36;
use FFI::Platypus 2.00;
use JSON::PP qw(decode_json);

my $prefix = $ENV{BACKOFF_PREFIX} // "/usr/local";
my $ffi = FFI::Platypus->new(api => 2, lib => "$prefix/lib/libbackoff.so");

# Attaches each function that abi.json describes. Other pointers are addresses, other types are enums.
my %types = ("const char *" => "string", "const void *" => "string", uint64_t => "uint64");
@types{"uint64_t *", "uint32_t *", "backoff_reason *"} = ("uint64*", "uint32*", "uint32*");
sub type($c) { return $types{$c} // ($c =~ /\*/ ? "opaque" : "uint32") }
open my $abi, "<", "$prefix/share/backoff/abi.json" or die "abi.json: $!";
my $functions = decode_json(join "", <$abi>)->{functions};
for my $name (keys %$functions) {
    my ($returned, $parameters) = @{ $functions->{$name} }{qw(returns parameters)};
    $ffi->attach([$name => "Backoff::C::$name"] => [map { type($_->{type}) } @$parameters] => type($returned));
}

sub call($function, @arguments) {
    my $code = Backoff::C->can("backoff_$function")->(@arguments);
    Backoff::Error->throw($code) if $code != 0;
}
# The number that a function writes after its other arguments, and a text as functions take it.
sub number($function, @arguments) { call($function, @arguments, \my $number); return $number }
sub constant($name) { return number(constant => octets($name)) }
sub octets($text) { utf8::encode($text); return ($text, length $text) }
# The stream of a seed and a key. Without a key it is the seed.
sub stream($seed, $key = undef) { return defined $key ? number(stream_from_key => $seed, octets($key)) : $seed }
sub stream_from_entropy() { return number("stream_from_entropy") }
# The time that a Retry-After asks for, or undef. $now_ns is the time since 1970.
sub parse_retry_after($text, $now_ns) {
    my $code = Backoff::C::backoff_parse_retry_after(octets($text), $now_ns, \my $wait);
    return $code == 0 ? $wait : undef;
}

# The bytes of a struct. Nobody copies this string, so that it does not move.
package Backoff::Struct {
    use FFI::Platypus::Buffer qw(scalar_to_pointer);
    use overload '""' => sub ($self, @) { $self->text($self->name . "_print") };
    sub new($class, $name) { return bless \(my $bytes = "\0" x Backoff::constant("sizeof(backoff_$name)")), $class }
    sub name($class) { return lc((ref $class || $class) =~ s/.*:://r) }
    sub at($self) { return scalar_to_pointer($$self) }
    sub text($self, $function) {
        my $buffer = "\0" x Backoff::constant("BACKOFF_TEXT_SIZE");
        Backoff::call($function, $self->at, scalar_to_pointer($buffer), length $buffer, undef);
        return unpack "Z*", $buffer;
    }
    sub parse($class, $text) {
        my ($self, $error) = ($class->new($class->name), Backoff::Struct->new("error"));
        my $code = Backoff::C->can("backoff_" . $class->name . "_parse")->($self->at, Backoff::octets($text), $error->at);
        return $code == 0 ? $self : Backoff::Error->throw($code, $error);
    }
}

# Its message, its code, such as "missing_unit", and the place in the text of a policy or budget.
package Backoff::Error {
    use overload '""' => sub ($self, @) { $self->{message} };
    sub throw($class, $code, $error = Backoff::Struct->new("error")) {
        substr($$error, 0, 4) = pack "L", $code;
        my ($message, $name) = ($error->text("error_message"), Backoff::C::backoff_code_name($code));
        die bless { message => $message, code => $name, at => unpack "x24 Q", $$error }, $class;
    }
}

# How retries are spaced: Backoff::Policy->parse("full:base=100ms,cap=20s").
package Backoff::Policy {
    use parent -norequire => "Backoff::Struct";
    sub delay_ns($self, $stream, $index) {
        die "the index $index is not from 0 to 2^32 - 1" if $index < 0 || $index >= 2**32; # the FFI would cut it
        return Backoff::number(policy_delay_ns => $self->at, $stream, $index);
    }
}

# What limits the retries of all operations with one server: Backoff::Budget->parse("aws-sdk-2026").
package Backoff::Budget { use parent -norequire => "Backoff::Struct" }

# A call with its retries, which is cancelled when its variable goes, unless it has stopped. ~0 is no time.
package Backoff::Operation {
    sub new($class, $policy, $stream, $now_ns, %given) {
        my ($struct, $budget) = (Backoff::Struct->new("operation"), $given{budget});
        my @at = ($struct->at, defined $budget ? $budget->at : undef);
        Backoff::call(operation_begin => $at[0], $policy->at, $stream, $now_ns, $given{deadline_ns} // ~0, $at[1]);
        return bless { at => \@at, kept => [$struct, $budget] }, $class;
    }
    # The delay, and undef or the reason to stop, after "success", "transient", "throttled", "timeout" or "permanent".
    sub decide($self, $outcome, $now_ns, $retry_after_ns = undef) {
        my $decision = Backoff::Struct->new("decision");
        my $number = Backoff::C::backoff_outcome_from_name($outcome, length $outcome);
        Backoff::call(operation_decide => $self->{at}[0], $number, $retry_after_ns // ~0, $now_ns, $self->{at}[1], $decision->at);
        my ($reason, $delay_ns) = unpack "L x4 Q", $$decision;
        return ($delay_ns, $reason == 0 ? undef : Backoff::C::backoff_reason_name($reason));
    }
    sub cancel($self) { return Backoff::C::backoff_reason_name(Backoff::number(operation_cancel => @{ $self->{at} })) }
    sub DESTROY($self) { $self->cancel }
    sub CLONE_SKIP { return 1 } # a copy in a new thread would cancel this one
    sub retries($self) { Backoff::call(operation_state => $self->{at}[0], \my $count, undef, undef); return $count }
}
1;

# Retries with exponential backoff and jitter: libbackoff through FFI::Platypus. Times are nanoseconds.
package Backoff;
use v5.36;
use FFI::Platypus 2.00;

my $prefix = $ENV{BACKOFF_PREFIX} // "/usr/local";
my $ffi = FFI::Platypus->new(api => 2, lib => "$prefix/lib/libbackoff.so");

# Attaches what the header for parsers declares: backoff_policy_parse is Backoff::C::policy_parse. A pointer to a number
# is a reference, `const char *` a string, and any other pointer an address.
sub type($declared) {
    return () if $declared eq "void";
    return $declared =~ /const (char|void)/ ? "string" : "opaque" if $declared =~ /\*/ && $declared !~ /_(t|reason) \*/;
    return ($declared =~ /uint64/ ? "uint64" : "uint32") . ($declared =~ /\*/ ? "*" : "");
}
open my $header, "<", "$prefix/share/backoff/backoff.ffi.h" or die "backoff.ffi.h: $!";
my $declarations = join "", <$header>;
while ($declarations =~ /^(?!typedef)(\w[\w ]*[ *])backoff_(\w+)\(([^()]*)\);/mg) {
    my ($returned, $name, $parameters) = ($1, $2, $3);
    $ffi->attach(["backoff_$name" => "Backoff::C::$name"], [map { type($_) } split /,\s*/, $parameters] => type($returned));
}

sub call($function, @arguments) {
    my $code = Backoff::C->can($function)->(@arguments);
    Backoff::Error->throw($code) if $code != 0;
}

# The number that a function writes after its other arguments.
sub number($function, @arguments) { call($function, @arguments, \my $number); return $number }
sub constant($name) { return number(constant => $name, length $name) }

# The stream of a seed and a key. Without a key it is the seed.
sub stream($seed, $key = undef) {
    utf8::encode($key) if defined $key;
    return defined $key ? number(stream_from_key => $seed, $key, length $key) : $seed;
}
sub stream_from_entropy() { return number("stream_from_entropy") }

# The time that a Retry-After asks for, or undef. `now_ns` is the time since 1970.
sub parse_retry_after($text, $now_ns) { return eval { number(parse_retry_after => $text, length $text, $now_ns) } }

# The bytes of a struct, in a string that nobody copies, because a budget must not move.
package Backoff::Struct {
    use FFI::Platypus::Buffer qw(scalar_to_pointer);
    sub new($class, $name) { return bless \(my $bytes = "\0" x Backoff::constant("sizeof(backoff_$name)")), $class }
    sub at($self) { return scalar_to_pointer($$self) }
    sub parsed($class, $name, $text) {
        my ($self, $error) = ($class->new($name), Backoff::Struct->new("error"));
        utf8::encode($text);
        my $code = Backoff::C->can("${name}_parse")->($self->at, $text, length $text, $error->at);
        return $code == 0 ? $self : Backoff::Error->throw($code, $error);
    }
    sub text($self, $function) {
        my $buffer = "\0" x Backoff::constant("BACKOFF_TEXT_SIZE");
        Backoff::call($function, $self->at, scalar_to_pointer($buffer), length $buffer, undef);
        return unpack "Z*", $buffer;
    }
}

# Its message, its code, such as "missing_unit", and the place in the text of a policy or budget.
package Backoff::Error {
    use overload '""' => sub ($self, @) { $self->{message} };
    sub throw($class, $code, $error = Backoff::Struct->new("error")) {
        substr($$error, 0, 4) = pack "L", $code;
        my ($message, $name) = ($error->text("error_message"), Backoff::C::code_name($code));
        die bless { message => $message, code => $name, at => unpack "x24 Q", $$error }, $class;
    }
}

# How retries are spaced.
package Backoff::Policy {
    use parent -norequire => "Backoff::Struct";
    use overload '""' => sub ($self, @) { $self->text("policy_print") };
    sub parse($class, $text) { return $class->parsed(policy => $text) }
    sub delay_ns($self, $stream, $index) { return Backoff::number(policy_delay_ns => $self->at, $stream, $index) }
}

# What limits the retries of all operations with one server.
package Backoff::Budget {
    use parent -norequire => "Backoff::Struct";
    use overload '""' => sub ($self, @) { $self->text("budget_print") };
    sub parse($class, $text) { return $class->parsed(budget => $text) }
}

# A call with its retries.
package Backoff::Operation {
    sub new($class, $policy, $stream, $now_ns, %given) {
        my $self = bless { struct => Backoff::Struct->new("operation"), budget => $given{budget} }, $class;
        my $deadline_ns = $given{deadline_ns} // ~0; # ~0 is no time
        Backoff::call(operation_begin => $self->{struct}->at, $policy->at, $stream, $now_ns, $deadline_ns, $self->budget);
        return $self;
    }
    sub budget($self) { return defined $self->{budget} ? $self->{budget}->at : undef }

    # The delay, and a reason if the operation stops, after "success", "transient", "throttled", "timeout" or "permanent".
    sub decide($self, $outcome, $now_ns, $retry_after_ns = undef) {
        my ($decision, $number) = (Backoff::Struct->new("decision"), Backoff::C::outcome_from_name($outcome, length $outcome));
        my @given = ($number, $retry_after_ns // ~0, $now_ns, $self->budget);
        Backoff::call(operation_decide => $self->{struct}->at, @given, $decision->at);
        my ($reason, $delay_ns) = unpack "L x4 Q", $$decision;
        return ($delay_ns, $reason == 0 ? undef : Backoff::C::reason_name($reason));
    }

    # Ends the operation, unless it has stopped. Returns the reason.
    sub cancel($self) {
        return Backoff::C::reason_name(Backoff::number(operation_cancel => $self->{struct}->at, $self->budget));
    }
    sub retries($self) {
        Backoff::call(operation_state => $self->{struct}->at, \my $count, undef, undef);
        return $count;
    }
}
1;

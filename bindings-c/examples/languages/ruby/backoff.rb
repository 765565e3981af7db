# Retries with exponential backoff and jitter: libbackoff through Fiddle, which comes with Ruby.
require "fiddle/import"

module Backoff
  # The functions of the library, as its header for parsers declares them, and how they are called.
  module C
    extend Fiddle::Importer
    prefix = ENV.fetch("BACKOFF_PREFIX", "/usr/local")
    dlload "#{prefix}/lib/libbackoff.so"
    header = File.read("#{prefix}/share/backoff/backoff.ffi.h")
    header.scan(/^typedef enum (\w+)/) { |(name)| typealias name, "uint32_t" }
    header.scan(/^\w.*\);$/) { |function| extern function }

    # A function without an argument `error` says nothing but the code.
    def self.call(function, *arguments, error: nil)
      code = send("backoff_#{function}", *arguments)
      raise Error, error || struct("error").tap { |made| made[0, 4] = [code].pack("L") } if code != 0
    end

    # The number that a function writes, whatever the `rest` of its arguments.
    def self.number(function, *arguments, rest: [], as: "Q")
      value = "\0" * 8
      call(function, *arguments, value, *rest)
      value.unpack1(as)
    end
    def self.constant(name) = number(:constant, name, name.length)
    def self.text(function, struct)
      buffer = "\0" * constant("BACKOFF_TEXT_SIZE")
      call(function, struct, buffer, buffer.bytesize, nil)
      buffer.unpack1("Z*").force_encoding("UTF-8")
    end

    # Memory of Fiddle does not move, as a budget needs it. The garbage collector frees it.
    def self.struct(name)
      bytes = constant("sizeof(backoff_#{name})")
      Fiddle::Pointer.malloc(bytes, Fiddle::RUBY_FREE).tap { |made| made[0, bytes] = "\0" * bytes }
    end
    def self.parse(kind, text)
      error = struct("error")
      struct(kind).tap { |made| call("#{kind}_parse", made, text, text.bytesize, error, error:) }
    end
  end
  NO_TIME = C.constant("BACKOFF_NO_TIME")

  # Its message, the code, such as :missing_unit, and the place in the text.
  class Error < StandardError
    attr_reader :code, :at
    def initialize(struct)
      code, _, _, _, @at = struct[0, 32].unpack("LLQQQ")
      @code = C.backoff_code_name(code).to_s.to_sym
      super(C.text(:error_message, struct))
    end
  end

  # The stream of a seed and a key. Without a key it is the seed.
  def self.stream(seed, key = nil) = key ? C.number(:stream_from_key, seed, key, key.bytesize) : seed
  def self.stream_from_entropy = C.number(:stream_from_entropy)

  # The time that a Retry-After asks for, or nil. `now_ns` is the time since 1970.
  def self.parse_retry_after(text, now_ns)
    wait = "\0" * 8
    C.backoff_parse_retry_after(text, text.bytesize, now_ns, wait) == 0 ? wait.unpack1("Q") : nil
  end

  # How retries are spaced. Threads may share one.
  Policy = Struct.new(:struct) do
    def self.parse(text) = new(C.parse("policy", text))
    def delay_ns(stream, index)
      raise RangeError, "the index #{index} is negative" if index.negative? # Fiddle would take its bits
      C.number(:policy_delay_ns, struct, stream, index)
    end
    def to_s = C.text(:policy_print, struct)
  end
  # What limits the retries of all operations with one server. Threads share one.
  Budget = Struct.new(:struct) do
    def self.parse(text) = new(C.parse("budget", text))
    def to_s = C.text(:budget_print, struct)
  end

  # A call with its retries, for one thread.
  class Operation
    def initialize(policy, stream, now_ns:, deadline_ns: nil, budget: nil)
      @struct, @budget, @decision = C.struct("operation"), budget&.struct, C.struct("decision")
      C.call(:operation_begin, @struct, policy.struct, stream, now_ns, deadline_ns || NO_TIME, @budget)
    end

    # After :success, :transient, :throttled, :timeout or :permanent: a delay, and nil or the reason to stop.
    def decide(outcome, now_ns:, retry_after_ns: nil)
      number = C.backoff_outcome_from_name(outcome.to_s, outcome.length)
      C.call(:operation_decide, @struct, number, retry_after_ns || NO_TIME, now_ns, @budget, @decision)
      reason, _, delay_ns = @decision[0, 16].unpack("LLQ")
      [delay_ns, reason == 0 ? nil : name(reason)]
    end

    # Ends the operation, unless it has stopped. Returns the reason.
    def cancel = name(C.number(:operation_cancel, @struct, @budget, as: "L"))
    def retries = C.number(:operation_state, @struct, rest: [nil, nil])
    private def name(reason) = C.backoff_reason_name(reason).to_s.to_sym
  end
end

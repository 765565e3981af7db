import com.dylibso.chicory.compiler.MachineFactoryCompiler;
import com.dylibso.chicory.runtime.ByteArrayMemory;
import com.dylibso.chicory.runtime.Instance;
import com.dylibso.chicory.runtime.Memory;
import com.dylibso.chicory.wasm.Parser;
import java.io.File;
import java.nio.charset.StandardCharsets;

/**
 * libbackoff.wasm on Chicory, without native code: delays, decisions with a budget, and the message of an error.
 *
 * <pre>
 * mvn dependency:copy-dependencies -DoutputDirectory=lib
 * java -cp 'lib/*' OnChicory.java ../libbackoff.wasm
 * </pre>
 */
public class OnChicory {
  final Instance instance;
  final Memory memory;
  int free; // all memory from here on is ours
  final int number, text, error;

  OnChicory(File file) {
    var module = Parser.parse(file);
    var compiled = MachineFactoryCompiler.compile(module);
    var builder = Instance.builder(module).withMachineFactory(compiled);
    instance = builder.withMemoryFactory(ByteArrayMemory::new).build();
    memory = instance.memory();
    free = (int) instance.exports().global("__heap_base").getValue();
    number = place(8); // where functions write a number
    text = place(4096); // where the texts of calls are
    error = struct("backoff_error");
  }

  /** The address of memory that nothing else uses, a multiple of 8. */
  int place(long size) {
    int at = free;
    free += (size + 7) / 8 * 8;
    int missing = free - memory.pages() * Memory.PAGE_SIZE;
    if (missing > 0) memory.grow((missing + Memory.PAGE_SIZE - 1) / Memory.PAGE_SIZE);
    return at;
  }

  int struct(String name) {
    return place(constant("sizeof(" + name + ")"));
  }

  long constant(String name) {
    check("backoff_constant", text, write(name), number);
    return memory.readLong(number);
  }

  /** Writes a text. Returns its length. */
  int write(String string) {
    byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
    memory.write(text, bytes);
    return bytes.length;
  }

  int call(String name, long... arguments) {
    return (int) instance.export(name).apply(arguments)[0];
  }

  void check(String name, long... arguments) {
    int code = call(name, arguments);
    if (code != 0) throw new IllegalArgumentException(name + ": " + name("code", code));
  }

  String name(String of, int number) {
    return memory.readCString(call("backoff_" + of + "_name", number));
  }

  int parse(String of, String string) {
    int parsed = struct(of);
    if (call(of + "_parse", parsed, text, write(string), error) == 0) return parsed;
    check("backoff_error_message", error, text, 4096, 0);
    throw new IllegalArgumentException(memory.readCString(text));
  }

  public static void main(String[] arguments) {
    var backoff = new OnChicory(new File(arguments[0]));
    int policy = backoff.parse("backoff_policy", "default");
    int length = backoff.write("job-1");
    backoff.check("backoff_stream_from_key", 42, backoff.text, length, backoff.number);
    long stream = backoff.memory.readLong(backoff.number);
    for (int i = 0; i < 3; i++) {
      backoff.check("backoff_policy_delay_ns", policy, stream, i, backoff.number);
      System.out.printf("delay %d: %d ns%n", i, backoff.memory.readLong(backoff.number));
    }

    // Three requests to a server share its budget, in which a retry costs 5 tokens.
    int budget = backoff.parse("backoff_budget", "quota:max_tokens=20");
    int[] requests = new int[3];
    long noTime = backoff.constant("BACKOFF_NO_TIME");
    long start = System.nanoTime(); // it may be negative
    for (int i = 0; i < requests.length; i++) {
      requests[i] = backoff.struct("backoff_operation");
      long now = System.nanoTime() - start;
      backoff.check("backoff_operation_begin", requests[i], policy, stream, now, noTime, budget);
    }
    int decision = backoff.struct("backoff_decision");
    for (int i = 0; i < 6; i++) {
      long outcome = backoff.constant("BACKOFF_OUTCOME_" + (i < 5 ? "TRANSIENT" : "SUCCESS"));
      long request = requests[i % 3], now = System.nanoTime() - start;
      backoff.check("backoff_operation_decide", request, outcome, noTime, now, budget, decision);
      int reason = backoff.memory.readInt(decision);
      long delay = backoff.memory.readLong(decision + 8);
      String next = reason == 0 ? "wait " + delay + " ns" : "stop, " + backoff.name("reason", reason);
      System.out.printf("request %d: %s%n", i % 3, next);
    }

    try {
      backoff.parse("backoff_policy", "full:base=30s,cap=20s");
    } catch (IllegalArgumentException error) {
      System.out.println(error.getMessage());
    }
  }
}

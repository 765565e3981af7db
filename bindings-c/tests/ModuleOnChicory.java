import com.dylibso.chicory.compiler.MachineFactoryCompiler;
import com.dylibso.chicory.runtime.ByteArrayMemory;
import com.dylibso.chicory.runtime.Instance;
import com.dylibso.chicory.wasm.Parser;
import java.io.File;
import java.util.HexFormat;
import java.util.Scanner;
import java.util.stream.Stream;

/** For module.py: writes bytes behind __heap_base, calls a function, and reads them again. */
class ModuleOnChicory {
  public static void main(String[] arguments) {
    var module = Parser.parse(new File(arguments[0]));
    var builder = Instance.builder(module).withMemoryFactory(ByteArrayMemory::new);
    var instance = builder.withMachineFactory(MachineFactoryCompiler.compile(module)).build();
    var memory = instance.memory();
    int base = (int) instance.exports().global("__heap_base").getValue();
    System.out.println(base);
    for (var lines = new Scanner(System.in); lines.hasNextLine(); ) {
      // The name, the bytes in hexadecimal, and the arguments; or `read` with an address.
      String[] words = lines.nextLine().split(",");
      if (words[0].equals("read")) {
        System.out.println(memory.readCString(Integer.parseInt(words[1])));
        continue;
      }
      byte[] bytes = HexFormat.of().parseHex(words[1]);
      memory.write(base, bytes);
      long[] numbers = Stream.of(words).skip(2).mapToLong(Long::parseUnsignedLong).toArray();
      long result = instance.export(words[0]).apply(numbers)[0];
      String after = HexFormat.of().formatHex(memory.readBytes(base, bytes.length));
      System.out.println(result + "," + after);
    }
  }
}

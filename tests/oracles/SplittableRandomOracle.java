import java.util.SplittableRandom;

/** Prints a line for each argument, a seed, and its first draws: SEED DRAW DRAW DRAW DRAW, unsigned. */
public class SplittableRandomOracle {
    public static void main(String[] seeds) {
        for (String text : seeds) {
            long seed = Long.parseUnsignedLong(text);
            SplittableRandom random = new SplittableRandom(seed);
            StringBuilder line = new StringBuilder(text);
            for (int draw = 0; draw < 4; draw++) {
                line.append(' ').append(Long.toUnsignedString(random.nextLong()));
            }
            System.out.println(line);
        }
    }
}

import module java.base;

/** Reads JSON (RFC 8259), and nothing else: maps, lists, strings, doubles, booleans and null. */
final class Json {
    static final class NotJson extends RuntimeException {}

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
    private static final Pattern PLAIN = Pattern.compile("[^\"\\\\\\x00-\\x1f]+");
    private static final Pattern SPACE = Pattern.compile("[ \\t\\r\\n]*");
    private static final String ESCAPES = "\"\\/bfnrt", ESCAPED = "\"\\/\b\f\n\r\t";
    private final String text;
    private int at;

    private Json(String text) { this.text = text; }

    static Object read(byte[] bytes) {
        try {
            var json = new Json(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
            var value = json.value();
            need(json.at == json.text.length());
            return value;
        } catch (CharacterCodingException malformed) { throw new NotJson(); }
    }

    static void need(boolean holds) { if (!holds) throw new NotJson(); }

    private boolean has(String token) {
        boolean found = text.startsWith(token, at);
        if (found) at += token.length();
        return found;
    }

    private String taken(Pattern pattern) {
        var matcher = pattern.matcher(text).region(at, text.length());
        need(matcher.lookingAt());
        at = matcher.end();
        return matcher.group();
    }

    /** A value and the white space around it. */
    private Object value() {
        taken(SPACE);
        Object value = has("{") ? object() : has("[") ? list() : has("\"") ? string()
            : has("true") ? (Object) true : has("false") ? false : has("null") ? null : (Object) Double.parseDouble(taken(NUMBER));
        taken(SPACE);
        return value;
    }

    private void items(String close, Runnable item) {
        taken(SPACE);
        if (has(close)) return;
        do item.run(); while (has(","));
        need(has(close));
    }

    private Map<String, Object> object() {
        var object = new HashMap<String, Object>();
        items("}", () -> {
            taken(SPACE);
            need(has("\""));
            var name = string();
            taken(SPACE);
            need(has(":"));
            object.put(name, value());
        });
        return object;
    }

    private List<Object> list() {
        var list = new ArrayList<>();
        items("]", () -> list.add(value()));
        return list;
    }

    private String string() {
        var string = new StringBuilder();
        while (!has("\"")) string.append(has("\\") ? escaped() : taken(PLAIN));
        need(StandardCharsets.UTF_8.newEncoder().canEncode(string)); // no half of a surrogate pair
        return string.toString();
    }

    private String escaped() {
        if (has("u")) return String.valueOf((char) Integer.parseInt(taken(Pattern.compile("[0-9a-fA-F]{4}")), 16));
        int escape = at < text.length() ? ESCAPES.indexOf(text.charAt(at++)) : -1;
        need(escape >= 0);
        return ESCAPED.substring(escape, escape + 1);
    }
}

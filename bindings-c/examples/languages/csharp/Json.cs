using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

sealed class NotJson : Exception {}

/// Reads JSON (RFC 8259), and nothing else: dictionaries, lists, strings, doubles, bools and null.
sealed class Json {
    static readonly Regex number = new Regex(@"\G-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?");
    static readonly Regex plain = new Regex(@"\G[^""\\\x00-\x1f]+");
    static readonly Regex hex = new Regex(@"\G[0-9a-fA-F]{4}");
    static readonly Regex space = new Regex(@"\G[ \t\r\n]*");
    readonly string text;
    int at;

    Json(string text) { this.text = text; }

    public static object Read(byte[] line) {
        try {
            var json = new Json(new UTF8Encoding(false, true).GetString(line));
            var value = json.Value();
            Need(json.at == json.text.Length);
            return value;
        } catch (DecoderFallbackException) { throw new NotJson(); }
    }

    public static void Need(bool holds) { if (!holds) throw new NotJson(); }

    bool Has(string token) {
        var found = string.CompareOrdinal(text, at, token, 0, token.Length) == 0;
        if (found) at += token.Length;
        return found;
    }

    string Taken(Regex pattern) {
        var match = pattern.Match(text, at);
        Need(match.Success);
        at += match.Length;
        return match.Value;
    }

    /// A value and the white space around it.
    object Value() {
        Taken(space);
        var value = Has("{") ? Object() : Has("[") ? List() : Has("\"") ? String() : Has("true") ? true : Has("false") ? false
            : Has("null") ? null : (object) double.Parse(Taken(number), CultureInfo.InvariantCulture);
        Taken(space);
        return value;
    }

    void Items(string close, Action item) {
        Taken(space);
        if (Has(close)) return;
        do item(); while (Has(","));
        Need(Has(close));
    }

    object Object() {
        var found = new Dictionary<string, object>();
        Items("}", () => {
            Taken(space);
            Need(Has("\""));
            var name = String();
            Taken(space);
            Need(Has(":"));
            found[name] = Value();
        });
        return found;
    }

    object List() {
        var found = new List<object>();
        Items("]", () => found.Add(Value()));
        return found;
    }

    string String() {
        var found = new StringBuilder();
        while (!Has("\"")) found.Append(Has("\\") ? Escaped() : Taken(plain));
        try { new UTF8Encoding(false, true).GetByteCount(found.ToString()); } // no half of a surrogate pair
        catch (EncoderFallbackException) { throw new NotJson(); }
        return found.ToString();
    }

    string Escaped() {
        if (Has("u")) return ((char) Convert.ToInt32(Taken(hex), 16)).ToString();
        var escape = at < text.Length ? "\"\\/bfnrt".IndexOf(text[at++]) : -1;
        Need(escape >= 0);
        return "\"\\/\b\f\n\r\t".Substring(escape, 1);
    }
}

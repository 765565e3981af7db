(** Reads JSON (RFC 8259), and nothing else. The last member of an object is first, because of members of one name it counts. *)

type t = Null | Bool of bool | Number of float | String of string | List of t list | Object of (string * t) list

exception Not_json

let need holds = if not holds then raise Not_json

(* The length of each sequence of bytes in UTF-8, and the range of its second byte. *)
let is_utf8 text =
  let byte at = if at < String.length text then Char.code text.[at] else 0 in
  let within low high at = byte at >= low && byte at <= high in
  let rec from at =
    at >= String.length text
    ||
    let count, low, high =
      match byte at with
      | 0xE0 -> 2, 0xA0, 0xBF
      | 0xED -> 2, 0x80, 0x9F
      | 0xF0 -> 3, 0x90, 0xBF
      | 0xF4 -> 3, 0x80, 0x8F
      | first when first < 0x80 -> 0, 0, 0
      | first when first >= 0xC2 && first <= 0xF4 -> (if first < 0xE0 then 1 else if first < 0xF0 then 2 else 3), 0x80, 0xBF
      | _ -> 1, 1, 0
    in
    (count < 1 || within low high (at + 1))
    && (count < 2 || within 0x80 0xBF (at + 2))
    && (count < 3 || within 0x80 0xBF (at + 3))
    && from (at + count + 1)
  in
  from 0

let read text =
  let at = ref 0 in
  let peek () = if !at < String.length text then text.[!at] else '\000' in
  let next () = let found = peek () in incr at; found in
  let has token =
    let found = !at + String.length token <= String.length text && String.sub text !at (String.length token) = token in
    if found then at := !at + String.length token;
    found
  in
  let rec space () = match peek () with ' ' | '\t' | '\r' | '\n' -> incr at; space () | _ -> () in
  let rec digits () = match peek () with '0' .. '9' -> incr at; digits () | _ -> () in
  let some_digits () = need (peek () >= '0' && peek () <= '9'); digits () in
  let number () =
    let start = !at in
    ignore (has "-");
    if not (has "0") then some_digits ();
    if has "." then some_digits ();
    if has "e" || has "E" then begin
      ignore (has "+" || has "-");
      some_digits ()
    end;
    Number (float_of_string (String.sub text start (!at - start)))
  in
  let hex () =
    need (!at + 4 <= String.length text);
    let digit _ = match next () with '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' as digit -> digit | _ -> raise Not_json in
    int_of_string ("0x" ^ String.init 4 digit)
  in
  let point () =
    match hex () with
    | high when high >= 0xD800 && high < 0xDC00 ->
      need (has "\\u");
      let low = hex () in
      need (low >= 0xDC00 && low < 0xE000);
      0x10000 + ((high - 0xD800) lsl 10) + low - 0xDC00
    | low when low >= 0xDC00 && low < 0xE000 -> raise Not_json
    | point -> point
  in
  let string () =
    let found = Buffer.create 16 in
    while not (has "\"") do
      match next () with
      | '\\' ->
        (match next () with
         | 'u' -> Buffer.add_utf_8_uchar found (Uchar.of_int (point ()))
         | 'b' -> Buffer.add_char found '\b'
         | 'f' -> Buffer.add_char found '\012'
         | 'n' -> Buffer.add_char found '\n'
         | 'r' -> Buffer.add_char found '\r'
         | 't' -> Buffer.add_char found '\t'
         | ('"' | '\\' | '/') as plain -> Buffer.add_char found plain
         | _ -> raise Not_json)
      | '\000' .. '\031' -> raise Not_json
      | plain -> Buffer.add_char found plain
    done;
    Buffer.contents found
  in
  let rec value () =
    space ();
    let found =
      if has "{" then Object (items "}" member)
      else if has "[" then List (List.rev (items "]" value))
      else if has "\"" then String (string ())
      else if has "true" then Bool true
      else if has "false" then Bool false
      else if has "null" then Null
      else number ()
    in
    space ();
    found
  and member () =
    space ();
    need (has "\"");
    let name = string () in
    space ();
    need (has ":");
    name, value ()
  and items : 'a. string -> (unit -> 'a) -> 'a list = fun close item ->
    space ();
    let rec more found = if has "," then more (item () :: found) else (need (has close); found) in
    if has close then [] else more [ item () ]
  in
  need (is_utf8 text);
  let found = value () in
  need (!at = String.length text);
  found

(* The evaluator for `backoff verify -- ./verify`: answers lines of JSON about what the binding does. *)
open Json

let forms = [ "retry_after"; "response"; "state"; "exchange"; "steps"; "fit"; "preview"; "delays" ]
let max_ns = Int64.max_int
let max_time = -1L (* 2^64 - 1 *)

let http_outcome = Backoff.(c "http_outcome" Ctypes.(u32 @-> returning u32))
let outcome_name = Backoff.(c "outcome_name" Ctypes.(u32 @-> returning string))
let http_retry_after = Backoff.(c "http_retry_after" Ctypes.(u32 @-> string @-> size @-> u64 @-> ptr u64 @-> returning u32))

let member name = function Object members -> List.assoc_opt name members | _ -> raise Not_json
let get name value = Option.value (member name value) ~default:Null
let string = function String text -> text | _ -> raise Not_json
let given read = function Null -> None | value -> Some (read value)

let whole limit = function
  | Number number when number >= 0. && number <= limit && Float.is_integer number -> int_of_float number
  | _ -> raise Not_json

let digits limit value =
  let text = string value in
  need (text <> "" && String.for_all (fun digit -> digit >= '0' && digit <= '9') text);
  match Int64.of_string_opt ("0u" ^ text) with
  | Some number when Int64.unsigned_compare number limit <= 0 -> number
  | _ -> raise Not_json

let index = whole 4294967295.
let shown = function Some number -> Printf.sprintf "\"%Lu\"" number | None -> "null"

(* A valid policy or budget takes the place of an invalid one, because the rest of the request is read, too. *)
let refusal = ref None

let parsed parse otherwise suffix value =
  try parse (string value)
  with Backoff.Error { code; at; _ } ->
    if !refusal = None then refusal := Some (Printf.sprintf "{\"error\":\"%s\",\"at\":%Lu%s}" code at suffix);
    parse otherwise

let policy_of request = parsed Backoff.Policy.parse "none" "" (get "policy" request)

let stream_of request =
  let seed = Option.fold (member "seed" request) ~none:0L ~some:(digits max_time) in
  Backoff.stream seed ?key:(given string (get "key" request))

let delay request =
  let policy = policy_of request in
  let index = Option.fold (member "index" request) ~none:0 ~some:index in
  let delay_ns = Backoff.Policy.delay_ns policy (stream_of request) index in
  Printf.sprintf "{\"canonical\":\"%s\",\"delay_ns\":\"%Lu\"}" (Backoff.Policy.to_string policy) delay_ns

let decided operation step ~now_ns =
  let delay_ns, reason =
    match get "do" step with
    | String "outcome" ->
      let outcome =
        match List.find_opt (fun (_, name) -> String name = get "outcome" step) Backoff.outcomes with
        | Some (outcome, _) -> outcome
        | None -> raise Not_json
      in
      Backoff.Operation.decide operation outcome ~now_ns ?retry_after_ns:(given (digits max_ns) (get "retry_after" step))
    | String "cancel" -> 0L, Backoff.Operation.cancel operation
    | _ -> raise Not_json
  in
  let name reason = fst (List.find (fun (_, known) -> known = reason) Backoff.reasons) in
  let found = match reason with Some reason -> Printf.sprintf "\"stop\":\"%s\",\"delay\"" (name reason) | None -> "\"wait\"" in
  Printf.sprintf "{%s:\"%Lu\",\"retries\":%Lu}" found delay_ns (Backoff.Operation.retries operation)

let steps request =
  let policy = policy_of request and stream = stream_of request in
  let budget = given (parsed Backoff.Budget.parse "rate" ",\"of\":\"budget\"") (get "budget" request) in
  let running = Hashtbl.create 8 in
  let step step =
    let number = index (get "operation" step) and now_ns = digits max_time (get "now" step) in
    let operation = Hashtbl.find_opt running number in
    need (Option.is_none operation = (get "do" step = String "begin"));
    match operation with
    | Some operation -> Some (decided operation step ~now_ns)
    | None ->
      let deadline_ns = given (digits max_time) (get "deadline" step) in
      Hashtbl.add running number (Backoff.Operation.begin_ policy stream ~now_ns ?deadline_ns ?budget);
      None
  in
  let answers = match get "steps" request with List steps -> List.filter_map step steps | _ -> raise Not_json in
  let budget = Option.fold budget ~none:"null" ~some:(fun budget -> "\"" ^ Backoff.Budget.to_string budget ^ "\"") in
  Printf.sprintf "{\"canonical\":\"%s\",\"budget\":%s,\"answers\":[%s]}" (Backoff.Policy.to_string policy) budget
    (String.concat "," answers)

let retry_after asked =
  let text = string (get "value" asked) and now_ns = digits max_ns (get "now" asked) in
  Printf.sprintf "{\"retry_after\":%s}" (shown (Backoff.parse_retry_after text ~now_ns))

let response asked =
  let status = whole 65535. (get "status" asked) and fields = string (get "fields" asked) in
  let now_ns = digits max_ns (get "now" asked) in
  let wait_ns = try Some (Backoff.number (http_retry_after status fields (String.length fields) now_ns)) with Backoff.Error _ -> None in
  Printf.sprintf "{\"outcome\":\"%s\",\"retry_after\":%s}" (outcome_name (http_outcome status)) (shown wait_ns)

let answer line =
  refusal := None;
  try
    let request = Json.read line in
    let answer =
      match List.find_opt (fun form -> member form request <> None) forms with
      | None -> delay request
      | Some "steps" -> steps request
      | Some "retry_after" -> retry_after (get "retry_after" request)
      | Some "response" -> response (get "response" request)
      | Some _ -> "{\"unsupported\":true}"
    in
    Option.value !refusal ~default:answer
  with Not_json -> "{\"error\":\"not_a_request\",\"at\":0}"

let () =
  try
    while true do
      print_endline (answer (input_line stdin))
    done
  with End_of_file -> ()

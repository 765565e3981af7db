(* A call that is retried. Set BACKOFF_PREFIX to the folder of libbackoff. *)
exception Timeout

let policy = Backoff.Policy.parse "full:base=100ms,cap=20s,max_retries=5"
let budget = Backoff.Budget.parse "aws-sdk-2026" (* one for each server *)
let now_ns () = Mtime.to_uint64_ns (Mtime_clock.now ())

let with_retries stream call =
  let operation = Backoff.Operation.begin_ policy stream ~budget ~now_ns:(now_ns ()) in
  let rec attempt number =
    let result, outcome =
      match call () with
      | value -> Ok value, `Success
      | exception (Timeout as failure) -> Error failure, `Timeout
      | exception failure -> Error failure, `Permanent
    in
    match Backoff.Operation.decide operation outcome ~now_ns:(now_ns ()), result with
    | (_, Some _), Ok value -> value
    | (_, Some _), Error failure -> raise failure
    | (delay_ns, None), _ ->
      Printf.printf "attempt %d: %s, wait %Ld ns\n%!" number (List.assoc outcome Backoff.outcomes) delay_ns;
      Unix.sleepf (Int64.to_float delay_ns /. 1e9);
      attempt (number + 1)
  in
  (* If an exception left the loop, such as Sys.Break; otherwise the operation has stopped. *)
  Fun.protect (fun () -> attempt 1) ~finally:(fun () -> ignore (Backoff.Operation.cancel operation))

let calls = ref 0

let flaky () =
  incr calls;
  if !calls < 3 then raise Timeout else "ready"

let () =
  print_endline (with_retries (Backoff.stream 42L ~key:"job-1") flaky);
  match Backoff.Policy.parse "full:base=1" with
  | _ -> ()
  | exception Backoff.Error { message; _ } -> print_endline message

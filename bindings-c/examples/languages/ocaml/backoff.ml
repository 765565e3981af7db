(** Retries with exponential backoff and jitter: libbackoff through Ctypes. Times are nanoseconds. *)
open Ctypes
let library =
  let prefix = Option.value (Sys.getenv_opt "BACKOFF_PREFIX") ~default:"/usr/local" in
  Dl.dlopen ~filename:(prefix ^ "/lib/libbackoff.so") ~flags:[ RTLD_NOW ]

(* Enums and indices have 32 bits. An int64 has the bits of a number without a sign: print it with %Lu. *)
let u32 = view uint32_t ~read:Unsigned.UInt32.to_int ~write:Unsigned.UInt32.of_int
let u64 = int64_t
let size = view int64_t ~read:Int64.to_int ~write:Int64.of_int
let memory = ptr char
let c name signature = Foreign.foreign ~from:library ("backoff_" ^ name) signature
let parser name = c name (memory @-> string @-> size @-> memory @-> returning u32)
let printer name = c name (memory @-> memory @-> size @-> ptr_opt u64 @-> returning u32)
let c_constant = c "constant" (string @-> size @-> ptr u64 @-> returning u32)
let c_delay_ns = c "policy_delay_ns" (memory @-> u64 @-> u32 @-> ptr u64 @-> returning u32)
let c_from_key = c "stream_from_key" (u64 @-> string @-> size @-> ptr u64 @-> returning u32)
let c_from_entropy = c "stream_from_entropy" (ptr u64 @-> returning u32)
let c_retry_after = c "parse_retry_after" (string @-> size @-> u64 @-> ptr u64 @-> returning u32)
let c_begin = c "operation_begin" (memory @-> memory @-> u64 @-> u64 @-> u64 @-> ptr_opt char @-> returning u32)
let c_decide = c "operation_decide" (memory @-> u32 @-> u64 @-> u64 @-> ptr_opt char @-> memory @-> returning u32)
let c_cancel = c "operation_cancel" (memory @-> ptr_opt char @-> memory @-> returning u32)
let c_state = c "operation_state" (memory @-> ptr u64 @-> ptr_opt u64 @-> ptr_opt u32 @-> returning u32)
let c_outcome_from_name = c "outcome_from_name" (string @-> size @-> returning u32)
let c_code_name = c "code_name" (u32 @-> returning string)
let c_reason_name = c "reason_name" (u32 @-> returning string)

(** The code, such as ["missing_unit"], the place in the text of a policy or budget, and the message. *)
exception Error of { code : string; at : int64; message : string }
let constant name =
  let value = allocate u64 0L in
  ignore (c_constant name (String.length name) value);
  Int64.to_int !@value
(* Zeros that do not move. The garbage collector frees them. *)
let make name = allocate_n char ~count:(constant ("sizeof(backoff_" ^ name ^ ")"))
let at kind offset memory = from_voidp kind (to_voidp (memory +@ offset))

let rec check ?error code =
  if code <> 0 then begin
    let error = match error with Some error -> error | None -> make "error" in
    at u32 0 error <-@ code;
    raise (Error { code = c_code_name code; at = !@(at u64 24 error); message = text (printer "error_message") error })
  end
and text print printed =
  let room = constant "BACKOFF_TEXT_SIZE" in
  let buffer = allocate_n char ~count:room in
  check (print printed buffer room None);
  coerce memory string buffer
let parsed name parse text =
  let made = make name and error = make "error" in
  check ~error (parse made text (String.length text) error);
  made
(* The number that a function writes. *)
let number call =
  let number = allocate u64 0L in
  check (call number);
  !@number
(** The stream of a seed and a key. Without a key it is the seed. *)
let stream ?key seed = match key with Some key -> number (c_from_key seed key (String.length key)) | None -> seed
let stream_from_entropy () = number c_from_entropy
(** The time that a Retry-After asks for. [now_ns] is the time since 1970. *)
let parse_retry_after text ~now_ns = try Some (number (c_retry_after text (String.length text) now_ns)) with Error _ -> None
(** How retries are spaced. *)
module Policy = struct
  let parse = parsed "policy" (parser "policy_parse")
  let to_string = text (printer "policy_print")
  let delay_ns policy stream index =
    if index lsr 32 <> 0 then invalid_arg "an index is from 0 to 2^32 - 1"; (* Ctypes would cut it *)
    number (c_delay_ns policy stream index)
end
(** What limits the retries of all operations with one server. *)
module Budget = struct
  let parse = parsed "budget" (parser "budget_parse")
  let to_string = text (printer "budget_print")
end
let outcomes =
  [ `Success, "success"; `Transient, "transient"; `Throttled, "throttled"; `Timeout, "timeout"; `Permanent, "permanent" ]
let reasons =
  [ "success", `Success; "permanent", `Permanent; "max_retries", `Max_retries; "max_elapsed", `Max_elapsed;
    "deadline", `Deadline; "budget", `Budget; "cancelled", `Cancelled ] (* `Unknown is of a later version *)
(** A call with its retries. *)
module Operation = struct
  type t = { memory : char ptr; decision : char ptr; budget : char ptr option }
  let optional = Option.value ~default:(-1L) (* 2^64 - 1 *)
  let begin_ ?deadline_ns ?budget policy stream ~now_ns =
    let operation = { memory = make "operation"; decision = make "decision"; budget } in
    check (c_begin operation.memory policy stream now_ns (optional deadline_ns) budget);
    operation
  let reason { decision; _ } =
    match !@(at u32 0 decision) with 0 -> None | number -> Some (Option.value (List.assoc_opt (c_reason_name number) reasons) ~default:`Unknown)
  (** How long to wait, and [None] or why to stop. *)
  let decide ?retry_after_ns operation outcome ~now_ns =
    let name = List.assoc outcome outcomes in
    let number = c_outcome_from_name name (String.length name) in
    check (c_decide operation.memory number (optional retry_after_ns) now_ns operation.budget operation.decision);
    !@(at u64 8 operation.decision), reason operation
  (** Ends the operation, unless it has stopped. *)
  let cancel operation = check (c_cancel operation.memory operation.budget operation.decision); reason operation
  let retries operation = number (fun count -> c_state operation.memory count None None)
end

//! What only bindings of other languages need: the end of the header.

use core::ffi::c_char;

use backoff_core::RandomStream;

use crate::code::backoff_code;
use crate::error::{backoff_error, write_message};
use crate::exported::exported;
use crate::text::{Output, bytes_at};

/// Returns the random number of an index of a stream: SplitMix64 used as a counter (SPEC 2.1).
#[unsafe(no_mangle)]
pub extern "C" fn backoff_stream_draw(stream: u64, index: u32) -> u64 {
    RandomStream::from_seed(stream).draw(index)
}

/// Returns the stream whose draw of index 0 is the draw of index `draws` of this stream.
/// backoff_iter_reset moves to it after `draws` delays (SPEC 9.2).
#[unsafe(no_mangle)]
pub extern "C" fn backoff_stream_advance(stream: u64, draws: u64) -> u64 {
    RandomStream::from_seed(stream).advance(draws).state()
}

/// Writes the message of an error with `shown_length` bytes of `shown` in place of the value: "cap
/// 0.005 is below base 10ns" for the shown text "0.005". It is for bindings whose users wrote the
/// value in another form. An error of a string shows the text found in the string and ignores
/// `shown`. At most 128 bytes are copied, as they are.
///
/// Fails as backoff_error_message does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_error_message_with(
    error: *const backoff_error,
    shown: *const c_char,
    shown_length: u64,
    buffer: *mut c_char,
    size: u64,
    length: *mut u64,
) -> backoff_code {
    exported!({
        let shown = bytes_at(shown, shown_length).map(Some);
        write_message(error, shown, Output { buffer, size, length })
    })
}

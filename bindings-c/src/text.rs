use core::ffi::c_char;

use crate::code::{BACKOFF_BUFFER_TOO_SMALL, BACKOFF_NULL_POINTER, BACKOFF_OK};
use crate::filled::length_of;

/// The bytes of a text that C gave, or why there are none.
///
/// # Safety
/// `text` is null or points to `length` bytes that nobody writes meanwhile.
pub(crate) unsafe fn text_at<'a>(text: *const c_char, length: u64) -> Result<&'a [u8], u32> {
    if text.is_null() {
        return Err(BACKOFF_NULL_POINTER);
    }
    let length = length_of(length)?;
    // SAFETY: not null, and the caller promises `length` bytes.
    Ok(unsafe { core::slice::from_raw_parts(text.cast::<u8>(), length) })
}

/// Writes a text and a terminating zero, if the buffer holds both.
///
/// # Safety
/// `buffer` is null or points to `size` bytes that are not part of the text.
pub(crate) unsafe fn put_text(text: &[u8], buffer: *mut c_char, size: u64) -> u32 {
    if buffer.is_null() {
        return BACKOFF_NULL_POINTER;
    }
    if text.len() as u64 >= size {
        return BACKOFF_BUFFER_TOO_SMALL;
    }
    // SAFETY: not null, and the buffer holds more bytes than the text has.
    unsafe {
        buffer.copy_from_nonoverlapping(text.as_ptr().cast(), text.len());
        buffer.add(text.len()).write(0);
    }
    BACKOFF_OK
}

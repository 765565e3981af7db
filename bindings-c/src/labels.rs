//! Stats as text with a prefix and labels.

use core::ffi::c_char;

use backoff_core::ffi;

use crate::code::{BACKOFF_ERROR_NOT_A_LABEL, BACKOFF_ERROR_NOT_A_PREFIX, backoff_code};
use crate::exported::{exported, length_of, required};
use crate::stats::{StatsHandle, backoff_stats};
use crate::text::{Output, bytes_at, write_pieces};

/// A label of every count that backoff_stats_print_with writes, such as `upstream="payments"`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct backoff_label {
    /// The name: letters of A to Z and a to z, digits and `_`. It begins neither with a digit nor with `__`, and is
    /// neither `le` nor `reason`.
    pub name: *const c_char,
    /// The length of the name in bytes.
    pub name_length: u64,
    /// The value: any text in UTF-8. The function escapes what needs it.
    pub value: *const c_char,
    /// The length of the value in bytes. The value may be NULL if it is 0.
    pub value_length: u64,
}

/// Writes what backoff_stats_print writes, with a prefix of `prefix_length` bytes in place of `backoff` in every name,
/// and with `count` labels in front of those of each line (SPEC 17.3). The prefix has letters of A to Z and a to z,
/// digits, `_` and `:`, and does not begin with a digit. It is never empty: without one of your own, pass "backoff".
/// `labels` may be NULL if `count` is 0. The length of the text depends on the prefix and the labels: measure it.
///
/// Fails with BACKOFF_ERROR_NOT_A_PREFIX, BACKOFF_ERROR_NOT_A_LABEL, or BACKOFF_ERROR_TOO_LONG if `count` labels do not
/// fit into memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_stats_print_with(
    stats: *const backoff_stats,
    prefix: *const c_char,
    prefix_length: u64,
    labels: *const backoff_label,
    count: u64,
    buffer: *mut c_char,
    size: u64,
    length: *mut u64,
) -> backoff_code {
    exported!({
        // A copy, so that the text is the same each time while other threads record.
        let stats = StatsHandle::get(stats).cloned();
        write_pieces(Output { buffer, size, length }, &|piece| {
            let stats = stats.as_ref().map_err(|&code| code)?;
            let prefix = text_at(prefix, prefix_length)?.unwrap_or_default();
            let labels: &[backoff_label] = labels_at(labels, count)?;
            for label in labels {
                label.name()?;
                label.value()?.ok_or(BACKOFF_ERROR_NOT_A_LABEL)?;
            }
            // Of a name that is not UTF-8, the empty one is as wrong.
            let text =
                |text: Result<Option<&'static str>, u32>| text.ok().flatten().unwrap_or_default();
            let texts =
                |at: usize| labels.get(at).map(|label| (text(label.name()), text(label.value())));
            let written =
                ffi::write_stats(stats, prefix, &texts, &mut |text| piece(text.as_bytes()));
            written.map_err(|refused| match refused {
                ffi::Refused::Prefix => BACKOFF_ERROR_NOT_A_PREFIX,
                ffi::Refused::Label(_) => BACKOFF_ERROR_NOT_A_LABEL,
            })
        })
    })
}

impl backoff_label {
    /// # Safety
    /// As for `text_at`.
    unsafe fn name<'a>(&self) -> Result<Option<&'a str>, u32> {
        // SAFETY: as the caller promises.
        unsafe { text_at(self.name, self.name_length) }
    }

    /// # Safety
    /// As for `text_at`.
    unsafe fn value<'a>(&self) -> Result<Option<&'a str>, u32> {
        // SAFETY: as the caller promises.
        unsafe { text_at(self.value, self.value_length) }
    }
}

/// A text from C, if it is UTF-8.
///
/// # Safety
/// As for `bytes_at`.
unsafe fn text_at<'a>(text: *const c_char, length: u64) -> Result<Option<&'a str>, u32> {
    // SAFETY: as the caller promises.
    let bytes = unsafe { bytes_at(text, length)? };
    Ok(core::str::from_utf8(bytes).ok())
}

/// The labels of the caller.
///
/// # Safety
/// `labels` is null or valid for reads of `count` labels, and nobody writes to them.
unsafe fn labels_at<'a>(
    labels: *const backoff_label,
    count: u64,
) -> Result<&'a [backoff_label], u32> {
    if count == 0 {
        return Ok(&[]);
    }
    let size = size_of::<backoff_label>();
    let length = length_of(count.saturating_mul(size as u64))? / size;
    let labels = required(labels.cast_mut())?;
    // SAFETY: not null, and the caller promises that many labels.
    Ok(unsafe { core::slice::from_raw_parts(labels.as_ptr(), length) })
}

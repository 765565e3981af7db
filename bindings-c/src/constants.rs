//! The constants and the sizes of the header by name, so that a binding need not copy them.

use core::ffi::c_char;

use crate::code::{BACKOFF_ERROR_END, BACKOFF_ERROR_UNKNOWN_NAME, backoff_code};
use crate::constant_table::{EVERYWHERE, NATIVE};
use crate::exported::{exported, required};
use crate::text::bytes_at;

/// Each name, behind which is its terminating zero, and its value.
fn constants() -> impl Iterator<Item = (&'static [u8], u64)> {
    [&EVERYWHERE, &NATIVE].into_iter().flat_map(|table| {
        let names = table.names.as_bytes().split(|&byte| byte == 0);
        names.zip(table.values.iter().copied())
    })
}

/// Writes the value of a constant of this header, such as "BACKOFF_OUTCOME_SUCCESS", or the size of
/// a struct in bytes: "sizeof(backoff_policy)". The name has `length` bytes.
///
/// Fails with BACKOFF_ERROR_UNKNOWN_NAME.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_constant(
    name: *const c_char,
    length: u64,
    value: *mut u64,
) -> backoff_code {
    exported!({
        let value = required(value)?;
        let name = bytes_at(name, length)?;
        let constant = constants().find(|(known, _)| *known == name);
        value.write(constant.ok_or(BACKOFF_ERROR_UNKNOWN_NAME)?.1);
        Ok(())
    })
}

/// Writes the name and the value of one of all that backoff_constant knows, numbered from 0, so
/// that a binding can make its tables. The name is static.
///
/// Fails with BACKOFF_ERROR_END after the last.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_constant_at(
    index: u64,
    name: *mut *const c_char,
    value: *mut u64,
) -> backoff_code {
    exported!({
        let (name, value) = (required(name)?, required(value)?);
        let index = usize::try_from(index).map_err(|_| BACKOFF_ERROR_END)?;
        let (text, number) = constants().nth(index).ok_or(BACKOFF_ERROR_END)?;
        name.write(text.as_ptr().cast());
        value.write(number);
        Ok(())
    })
}

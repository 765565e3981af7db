//! Text in and out, and names that live as long as the program.

use core::ffi::c_char;

use crate::code::{BACKOFF_ERROR_BUFFER_TOO_SMALL, BACKOFF_ERROR_NULL_POINTER};
use crate::exported::{length_of, write_optional};

/// The bytes of a text from C, which has no terminating zero. An empty text may be null.
///
/// # Safety
/// `text` is null or valid for reads of `length` bytes, and nobody writes to them during `'a`.
pub(crate) unsafe fn bytes_at<'a>(text: *const c_char, length: u64) -> Result<&'a [u8], u32> {
    if length == 0 {
        return Ok(&[]);
    }
    if text.is_null() {
        return Err(BACKOFF_ERROR_NULL_POINTER);
    }
    let length = length_of(length)?;
    // SAFETY: not null, and the caller promises `length` readable bytes.
    Ok(unsafe { core::slice::from_raw_parts(text.cast::<u8>(), length) })
}

/// Where an exported function writes a text: a buffer of `size` bytes, and an optional length.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    pub(crate) buffer: *mut c_char,
    pub(crate) size: u64,
    pub(crate) length: *mut u64,
}

/// Writes a text and a terminating zero, if the buffer holds both, and the length of the text in any
/// case. Without a text, or in a buffer that is too small, leaves an empty string.
///
/// # Safety
/// The buffer is null or valid for writes of its size, the length is null or valid for a write, and
/// neither overlaps the text.
pub(crate) unsafe fn write_text(
    text: &Result<impl AsRef<[u8]>, u32>,
    output: Output,
) -> Result<(), u32> {
    // SAFETY: as the caller promises.
    unsafe {
        write_pieces(output, &|piece| {
            piece(text.as_ref().map_err(|&code| code)?.as_ref());
            Ok(())
        })
    }
}

/// Gives a text piece by piece, the same each time, or the code that says why there is none.
pub(crate) type Pieces<'a> = &'a dyn Fn(&mut dyn FnMut(&[u8])) -> Result<(), u32>;

/// [`write_text`] of a text in pieces.
///
/// # Safety
/// As for `write_text`.
pub(crate) unsafe fn write_pieces(
    Output { buffer, size, length }: Output,
    pieces: Pieces,
) -> Result<(), u32> {
    let mut end = 0_usize;
    let result = pieces(&mut |piece| end = end.saturating_add(piece.len()));
    let text_length = if result.is_ok() { end } else { 0 };
    // SAFETY: the caller promises both outputs; a buffer that is not null has `size` bytes.
    unsafe {
        write_optional(length, text_length as u64);
        if size > 0 {
            write_optional(buffer, 0);
        }
    }
    result?;
    if buffer.is_null() && size > 0 {
        return Err(BACKOFF_ERROR_NULL_POINTER);
    }
    if text_length as u64 >= size {
        return Err(BACKOFF_ERROR_BUFFER_TOO_SMALL);
    }
    let mut at = buffer;
    pieces(&mut |piece| {
        // SAFETY: not null, and `size` is at least one byte more than all pieces have, which are the same again.
        at = unsafe {
            at.copy_from_nonoverlapping(piece.as_ptr().cast(), piece.len());
            at.add(piece.len())
        };
    })?;
    // SAFETY: the pieces leave room for one more byte.
    unsafe { at.write(0) };
    Ok(())
}

/// A name of the core with a terminating zero. The core's names have none, so the compiler makes a
/// copy of each (see `name_of`).
#[derive(Clone, Copy)]
pub(crate) struct Name([u8; Self::SIZE]);

impl Name {
    const SIZE: usize = 24;

    pub(crate) const EMPTY: Self = Self([0; Self::SIZE]);

    /// Compilation fails for a name that is too long.
    pub(crate) const fn new(name: &str) -> Self {
        let mut bytes = [0; Self::SIZE];
        let (name, room) = (name.as_bytes(), bytes.split_at_mut(name.len()).0);
        assert!(name.len() < Self::SIZE);
        room.copy_from_slice(name);
        Self(bytes)
    }

    pub(crate) const fn as_ptr(&'static self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}

/// The C string of the name at a position of a constant list, if the list is that long:
/// `name_of!(LIST, item => item.name(), position)`.
macro_rules! name_of {
    ($list:expr, $item:ident => $name:expr, $position:expr) => {{
        static NAMES: [$crate::text::Name; $list.len()] = {
            let mut names = [$crate::text::Name::EMPTY; $list.len()];
            let mut at = 0;
            #[expect(clippy::indexing_slicing, reason = "only the compiler runs this")]
            while at < names.len() {
                let $item = $list[at];
                names[at] = $crate::text::Name::new($name);
                at += 1;
            }
            names
        };
        NAMES.get($position).map($crate::text::Name::as_ptr)
    }};
}

pub(crate) use name_of;

#[cfg(not(feature = "go"))]
/// Names, each with a terminating zero, and their values. A pointer to each name would be longer than most names.
pub(crate) struct Table {
    pub(crate) names: &'static str,
    pub(crate) values: &'static [u64],
}

#[cfg(not(feature = "go"))]
macro_rules! table {
    ($table:ident: $($name:literal: $value:expr,)*) => {
        pub(crate) static $table: $crate::text::Table = $crate::text::Table {
            names: concat!($($name, "\0"),*),
            values: &[$($value),*],
        };
    };
}

#[cfg(not(feature = "go"))]
pub(crate) use table;

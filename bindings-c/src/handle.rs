//! Values of the core in memory that a C program owns.

use core::ptr::NonNull;

use crate::code::{BACKOFF_ERROR_NULL_POINTER, BACKOFF_ERROR_UNINITIALIZED};

/// A value of the core behind a magic number. The number tells the struct from memory that was
/// never initialised and from a struct of another type.
///
/// `T` is made of plain integers (or atomics) only, and the core accepts every value of them, so
/// any bytes in the caller's memory are a valid `Tagged`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Tagged<T, const MAGIC: u64> {
    magic: u64,
    value: T,
}

impl<T, const MAGIC: u64> Tagged<T, MAGIC> {
    /// Initialises the struct `S` of C with a value. The words that it does not use are 0, so that
    /// equal policies have equal bytes, and a later version finds a 0 in what it uses.
    ///
    /// # Safety
    /// `at` is valid for a write of an `S`, and no other thread uses it during the call.
    pub(crate) unsafe fn init<S>(at: NonNull<S>, value: T) {
        const {
            assert!(size_of::<Self>() <= size_of::<S>());
            assert!(align_of::<Self>() <= align_of::<S>());
        }
        // SAFETY: by the assertions, memory for an `S` is large enough for this and aligned.
        unsafe {
            let unused = size_of::<S>() - size_of::<Self>();
            at.cast::<Self>().add(1).cast::<u8>().write_bytes(0, unused);
            at.cast::<Self>().write(Self { magic: MAGIC, value });
        }
    }

    /// The value in a struct of C, or the code that says why there is none.
    ///
    /// # Safety
    /// `at` is null or valid for reads of an `S`, and nobody writes to it during `'a`, except
    /// through atomics.
    pub(crate) unsafe fn get<'a, S>(at: *const S) -> Result<&'a T, u32> {
        // SAFETY: null or readable by the caller's promise, and any bytes are a valid `Self`.
        let tagged = unsafe { at.cast::<Self>().as_ref() }.ok_or(BACKOFF_ERROR_NULL_POINTER)?;
        if tagged.magic == MAGIC { Ok(&tagged.value) } else { Err(BACKOFF_ERROR_UNINITIALIZED) }
    }

    /// The value in a struct of C, to change it in place, or the code that says why there is none.
    ///
    /// # Safety
    /// `at` is null or valid for reads and writes of an `S`, and nobody else uses it during `'a`.
    pub(crate) unsafe fn get_mut<'a, S>(at: *mut S) -> Result<&'a mut T, u32> {
        // SAFETY: null or exclusively ours by the caller's promise; any bytes are a valid `Self`.
        let tagged = unsafe { at.cast::<Self>().as_mut() }.ok_or(BACKOFF_ERROR_NULL_POINTER)?;
        if tagged.magic == MAGIC { Ok(&mut tagged.value) } else { Err(BACKOFF_ERROR_UNINITIALIZED) }
    }

    /// The value in a struct of C, or `None` for a null pointer.
    ///
    /// # Safety
    /// As for `get`.
    pub(crate) unsafe fn get_optional<'a, S>(at: *const S) -> Result<Option<&'a T>, u32> {
        if at.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller promises for `at` all that `get` requires.
        unsafe { Self::get(at) }.map(Some)
    }
}

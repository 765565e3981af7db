use crate::code::{BACKOFF_NULL_POINTER, BACKOFF_TOO_LONG, BACKOFF_UNINITIALIZED};

/// A length that C gave, if there can be so much memory.
pub(crate) fn length_of(length: u64) -> Result<usize, u32> {
    isize::try_from(length).map(isize::unsigned_abs).map_err(|_| BACKOFF_TOO_LONG)
}

/// A value of the core in its caller's memory, behind a word that tells it from memory that
/// was never filled and from a struct of another type. The core's values are plain integers,
/// and its readers are total over all of them.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Filled<T, const MARK: u64> {
    mark: u64,
    value: T,
}

impl<T, const MARK: u64> Filled<T, MARK> {
    /// Fills a struct of C with a value.
    ///
    /// # Safety
    /// `at` points to a struct that nobody else uses meanwhile.
    pub(crate) unsafe fn put<S>(at: *mut S, value: T) {
        const { assert!(size_of::<Self>() <= size_of::<S>() && align_of::<Self>() <= align_of::<S>()) }
        // SAFETY: by the caller's promise and the assertion, it is large enough and aligned.
        unsafe { at.cast::<Self>().write(Self { mark: MARK, value }) }
    }

    /// The value in a struct of C, or why there is none.
    ///
    /// # Safety
    /// `at` is null or points to a struct that nobody writes meanwhile, but through a value
    /// that can be shared.
    pub(crate) unsafe fn read<'a, S>(at: *const S) -> Result<&'a T, u32> {
        // SAFETY: null or, by the caller's promise, readable; every bit pattern is a value.
        match unsafe { at.cast::<Self>().as_ref() } {
            None => Err(BACKOFF_NULL_POINTER),
            Some(filled) if filled.mark != MARK => Err(BACKOFF_UNINITIALIZED),
            Some(filled) => Ok(&filled.value),
        }
    }

    /// The value in a struct of C, to be changed there, or why there is none.
    ///
    /// # Safety
    /// `at` is null or points to a struct that nobody else uses meanwhile.
    pub(crate) unsafe fn write<'a, S>(at: *mut S) -> Result<&'a mut T, u32> {
        // SAFETY: null or, by the caller's promise, ours alone; every bit pattern is a value.
        match unsafe { at.cast::<Self>().as_mut() } {
            None => Err(BACKOFF_NULL_POINTER),
            Some(filled) if filled.mark != MARK => Err(BACKOFF_UNINITIALIZED),
            Some(filled) => Ok(&mut filled.value),
        }
    }
}

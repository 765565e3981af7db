//! Random numbers of the operating system.

use crate::code::BACKOFF_ERROR_NO_ENTROPY;

/// On Linux, the system call and nothing else. The crate `getrandom` would look the function up with
/// `dlsym`, for which the library would need a new glibc, and where the call is forbidden it would
/// keep a file open, whose number a program that closes all files gives to another one. (It also has
/// a backend for the bare system call, which a flag of the compiler selects; but `RUSTFLAGS` of
/// whoever builds the library replaces such flags.)
#[cfg(target_os = "linux")]
pub(crate) fn random_number() -> Result<u64, u32> {
    let mut bytes = [0_u8; 8];
    loop {
        // SAFETY: the system writes at most as many bytes as there are.
        let written =
            unsafe { libc::syscall(libc::SYS_getrandom, bytes.as_mut_ptr(), bytes.len(), 0) };
        // The system never interrupts a read of so few bytes, except before it has any randomness.
        if written == 8 {
            return Ok(u64::from_ne_bytes(bytes));
        }
        // SAFETY: the address of this thread's errno.
        if written != -1 || unsafe { *libc::__errno_location() } != libc::EINTR {
            return Err(BACKOFF_ERROR_NO_ENTROPY);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn random_number() -> Result<u64, u32> {
    let stream =
        backoff_core::RandomStream::from_entropy().map_err(|_| BACKOFF_ERROR_NO_ENTROPY)?;
    Ok(stream.state())
}

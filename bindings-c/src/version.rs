//! The version of the header and of the library.

/// The version of this header. Compare it with backoff_version(), the version of the library.
pub const BACKOFF_VERSION_MAJOR: u32 = 0;
/// See BACKOFF_VERSION_MAJOR.
pub const BACKOFF_VERSION_MINOR: u32 = 1;
/// See BACKOFF_VERSION_MAJOR.
pub const BACKOFF_VERSION_PATCH: u32 = 0;
/// BACKOFF_VERSION_MAJOR * 1000000 + BACKOFF_VERSION_MINOR * 1000 + BACKOFF_VERSION_PATCH.
pub const BACKOFF_VERSION: u32 = 1000;

/// Returns the version of the linked library, in the form of BACKOFF_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn backoff_version() -> u32 {
    const PARTS: [u32; 3] = [
        number(env!("CARGO_PKG_VERSION_MAJOR")),
        number(env!("CARGO_PKG_VERSION_MINOR")),
        number(env!("CARGO_PKG_VERSION_PATCH")),
    ];
    let [major, minor, patch] = PARTS;
    major * 1_000_000 + minor * 1_000 + patch
}

#[expect(clippy::panic, reason = "only the compiler runs this")]
const fn number(digits: &str) -> u32 {
    match u32::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("cargo sets version numbers"),
    }
}

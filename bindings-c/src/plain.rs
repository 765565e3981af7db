//! What only the WebAssembly module has, from which Go's core is made, and `backoff.h` does not.

use backoff_core::ffi;

use crate::exported::{exported, required};
use crate::operation::BACKOFF_NONE;
use crate::policy::{PolicyHandle, backoff_policy};

/// Writes the base and the cap of a plain policy, on which its delays depend. Writes BACKOFF_NONE as the
/// cap of another policy.
///
/// # Safety
/// `policy` points to a policy, `base` and `cap` to one number each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn backoff_policy_plain(
    policy: *const backoff_policy,
    base: *mut u64,
    cap: *mut u64,
) -> u32 {
    exported!({
        let (base, cap) = (required(base)?, required(cap)?);
        let plain = ffi::plain_base_and_cap(PolicyHandle::get(policy)?);
        let (base_ns, cap_ns) = plain.unwrap_or((0, BACKOFF_NONE));
        base.write(base_ns);
        cap.write(cap_ns);
        Ok(())
    })
}

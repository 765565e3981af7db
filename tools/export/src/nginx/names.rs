//! The directives of nginx.

pub(super) const NEXT: &str = "proxy_next_upstream";
pub(super) const TRIES: &str = "proxy_next_upstream_tries";
pub(super) const TIMEOUT: &str = "proxy_next_upstream_timeout";
/// They limit an attempt.
pub(super) const ATTEMPT_TIMEOUTS: [&str; 3] =
    ["proxy_connect_timeout", "proxy_send_timeout", "proxy_read_timeout"];

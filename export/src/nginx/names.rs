//! The directives of nginx.

pub(super) const NEXT: &str = "proxy_next_upstream";
pub(super) const TRIES: &str = "proxy_next_upstream_tries";
pub(super) const TIMEOUT: &str = "proxy_next_upstream_timeout";

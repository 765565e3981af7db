"""Adapters: other libraries wait, decide and classify with this package.

Each module is named after its library and imports it; installing backoff-rs[NAME] installs that
library, too. See https://github.com/backoff-rs/backoff/blob/main/bindings-python/ADAPTERS.md
"""

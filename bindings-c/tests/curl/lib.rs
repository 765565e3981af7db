//! Nothing: what its dependencies build is wanted.

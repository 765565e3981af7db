//! A discrete-event simulator of clients that retry.

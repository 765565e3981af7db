//go:build !backoff_cgo

package engine

// A memory is that of an instance. It ends 8 bytes after the last address of 16 bits, so the compiler knows that an
// access at such an address is inside. The core uses no other addresses.
type memory [1<<16 + 8]byte

type address interface{ uint32 | uint64 }

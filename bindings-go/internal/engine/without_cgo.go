//go:build backoff_cgo && !cgo

package engine

// Compiling fails here and shows the name, instead of a screen of undefined functions.
var _ = backoff_cgo_needs_cgo__set_CGO_ENABLED_1_and_install_a_C_compiler

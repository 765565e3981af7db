//go:build !backoff_cgo && (386 || amd64 || arm64)

package engine

import "unsafe"

// These processors have the order of bytes of WebAssembly, and read numbers at any address. One such access is compiled
// faster than the four of encoding/binary that become one, and there are thousands.

//go:norace
func load16[T address](m *memory, at T) uint16 {
	return *(*uint16)(unsafe.Pointer(&m[uint16(at)]))
}

//go:norace
func load32[T address](m *memory, at T) uint32 {
	return *(*uint32)(unsafe.Pointer(&m[uint16(at)]))
}

//go:norace
func load64[T address](m *memory, at T) uint64 {
	return *(*uint64)(unsafe.Pointer(&m[uint16(at)]))
}

//go:norace
func store16[T address](m *memory, at T, value uint16) {
	*(*uint16)(unsafe.Pointer(&m[uint16(at)])) = value
}

//go:norace
func store32[T address](m *memory, at T, value uint32) {
	*(*uint32)(unsafe.Pointer(&m[uint16(at)])) = value
}

//go:norace
func store64[T address](m *memory, at T, value uint64) {
	*(*uint64)(unsafe.Pointer(&m[uint16(at)])) = value
}

//go:build !backoff_cgo && !386 && !amd64 && !arm64

package engine

import "encoding/binary"

//go:norace
func load16[T address](m *memory, at T) uint16 {
	return binary.LittleEndian.Uint16(m[uint16(at):])
}

//go:norace
func load32[T address](m *memory, at T) uint32 {
	return binary.LittleEndian.Uint32(m[uint16(at):])
}

//go:norace
func load64[T address](m *memory, at T) uint64 {
	return binary.LittleEndian.Uint64(m[uint16(at):])
}

//go:norace
func store16[T address](m *memory, at T, value uint16) {
	binary.LittleEndian.PutUint16(m[uint16(at):], value)
}

//go:norace
func store32[T address](m *memory, at T, value uint32) {
	binary.LittleEndian.PutUint32(m[uint16(at):], value)
}

//go:norace
func store64[T address](m *memory, at T, value uint64) {
	binary.LittleEndian.PutUint64(m[uint16(at):], value)
}

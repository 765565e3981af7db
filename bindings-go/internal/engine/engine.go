// Package engine is the door to the core: every number of a delay comes through it.
//
// An engine is one file that gives the names of the core's fields, kinds and codes, the types
// Params and Policy, and the functions on them; today that is cgo.go, over the installed C
// library, the only file that imports "C". Nothing else in the module knows how the core is
// reached.
package engine

// A Field is the number of a policy's field (SPEC 5.1).
type Field uint32

// A Refusal says which rule of SPEC 8 a policy broke, in the core's words.
type Refusal struct {
	Code         uint32
	Field        string
	Value, Limit uint64
	Message      string
}

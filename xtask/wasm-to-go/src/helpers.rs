//! Go functions that the translation calls.

/// A Go function, and the package that it needs.
pub(crate) struct Helper {
    pub(crate) name: &'static str,
    pub(crate) import: Option<&'static str>,
    pub(crate) text: &'static str,
}

const BINARY: Option<&str> = Some("encoding/binary");

/// All of them, in the order of the file.
pub(crate) const HELPERS: &[Helper] = &[
    Helper {
        name: "b32",
        import: None,
        text: "\
// b32 returns 1 for true and 0 for false.
func b32(truth bool) uint32 {
	var number uint32
	if truth {
		number = 1
	}
	return number
}
",
    },
    Helper {
        name: "b64",
        import: None,
        text: "\
// b64 returns 1 for true and 0 for false.
func b64(truth bool) uint64 {
	var number uint64
	if truth {
		number = 1
	}
	return number
}
",
    },
    Helper {
        name: "divS32",
        import: None,
        text: "\
// divS32 divides signed numbers. It panics where the result is too large, unlike Go.
func divS32(dividend, divisor uint32) uint32 {
	if dividend == 1<<31 && int32(divisor) == -1 {
		panic(\"integer overflow\")
	}
	return uint32(int32(dividend) / int32(divisor))
}
",
    },
    Helper {
        name: "divS64",
        import: None,
        text: "\
// divS64 divides signed numbers. It panics where the result is too large, unlike Go.
func divS64(dividend, divisor uint64) uint64 {
	if dividend == 1<<63 && int64(divisor) == -1 {
		panic(\"integer overflow\")
	}
	return uint64(int64(dividend) / int64(divisor))
}
",
    },
    Helper {
        name: "load8",
        import: None,
        text: "\
func (m *module) load8(address uint32, offset uint64) byte {
	return m.memory[uint64(address)+offset]
}
",
    },
    Helper {
        name: "load16",
        import: BINARY,
        text: "\
func (m *module) load16(address uint32, offset uint64) uint16 {
	return binary.LittleEndian.Uint16(m.memory[uint64(address)+offset:])
}
",
    },
    Helper {
        name: "load32",
        import: BINARY,
        text: "\
func (m *module) load32(address uint32, offset uint64) uint32 {
	return binary.LittleEndian.Uint32(m.memory[uint64(address)+offset:])
}
",
    },
    Helper {
        name: "load64",
        import: BINARY,
        text: "\
func (m *module) load64(address uint32, offset uint64) uint64 {
	return binary.LittleEndian.Uint64(m.memory[uint64(address)+offset:])
}
",
    },
    Helper {
        name: "store8",
        import: None,
        text: "\
func (m *module) store8(address uint32, offset uint64, value byte) {
	m.memory[uint64(address)+offset] = value
}
",
    },
    Helper {
        name: "store16",
        import: BINARY,
        text: "\
func (m *module) store16(address uint32, offset uint64, value uint16) {
	binary.LittleEndian.PutUint16(m.memory[uint64(address)+offset:], value)
}
",
    },
    Helper {
        name: "store32",
        import: BINARY,
        text: "\
func (m *module) store32(address uint32, offset uint64, value uint32) {
	binary.LittleEndian.PutUint32(m.memory[uint64(address)+offset:], value)
}
",
    },
    Helper {
        name: "store64",
        import: BINARY,
        text: "\
func (m *module) store64(address uint32, offset uint64, value uint64) {
	binary.LittleEndian.PutUint64(m.memory[uint64(address)+offset:], value)
}
",
    },
    Helper {
        name: "memoryCopy",
        import: None,
        text: "\
func (m *module) memoryCopy(to, from, length uint32) {
	copy(m.memory[to:][:length], m.memory[from:][:length])
}
",
    },
    Helper {
        name: "memoryFill",
        import: None,
        text: "\
func (m *module) memoryFill(to uint32, value byte, length uint32) {
	bytes := m.memory[to:][:length]
	for index := range bytes {
		bytes[index] = value
	}
}
",
    },
];

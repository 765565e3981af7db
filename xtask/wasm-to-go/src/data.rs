//! Data of the memory as Go strings.

use std::fmt::Write;

/// A run of at least this many zeros is not written: the memory has them.
const ZEROS: usize = 32;
/// The bytes in a line.
const LINE: usize = 64;

/// The parts of the data that are not zero, with their places.
pub(crate) fn parts<'a>(segments: &[(u64, &'a [u8])]) -> Vec<(u64, &'a [u8])> {
    let mut parts = Vec::new();
    for &(offset, bytes) in segments {
        let mut start = 0;
        while let Some(skipped) = bytes[start..].iter().position(|&byte| byte != 0) {
            start += skipped;
            let zeros =
                bytes[start..].windows(ZEROS).position(|it| it.iter().all(|&byte| byte == 0));
            let end = match zeros {
                Some(length) => start + length,
                None => bytes.len() - bytes.iter().rev().take_while(|&&byte| byte == 0).count(),
            };
            parts.push((offset + start as u64, &bytes[start..end]));
            start = end;
        }
    }
    parts
}

/// What follows `""` in a Go string: a line for each part of the bytes.
pub(crate) fn literal(bytes: &[u8]) -> String {
    let mut literal = String::new();
    for line in bytes.chunks(LINE) {
        literal.push_str(" +\n\t\"");
        for &byte in line {
            match byte {
                b'"' => literal.push_str("\\\""),
                b'\\' => literal.push_str("\\\\"),
                b'\n' => literal.push_str("\\n"),
                b' '..=b'~' => literal.push(char::from(byte)),
                _ => {
                    let _ = write!(literal, "\\x{byte:02x}");
                }
            }
        }
        literal.push('"');
    }
    literal
}

#[cfg(test)]
mod tests {
    use super::{literal, parts};

    #[test]
    fn zeros_are_left_out() {
        let mut bytes = [0; 200];
        (bytes[5], bytes[10], bytes[190]) = (1, 2, 3);
        let parts = parts(&[(1000, &bytes), (2000, &[0; 50]), (3000, &[7])]);
        let expected: [(u64, &[u8]); 3] = [(1005, &[1, 0, 0, 0, 0, 2]), (1190, &[3]), (3000, &[7])];
        assert_eq!(parts, expected);
    }

    #[test]
    fn bytes_are_escaped() {
        assert_eq!(literal(b"a\"\\\n\x00\xff"), " +\n\t\"a\\\"\\\\\\n\\x00\\xff\"");
    }
}

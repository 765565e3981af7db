//! Splits an output into lines, in bounded memory.

/// No answer is near as long.
pub(crate) const LONGEST_LINE: usize = 1 << 20;

/// How many bytes all answers may have together; the right ones have less than 1 MB.
const LONGEST_OUTPUT: usize = 1 << 26;

/// The lines of an output so far.
pub(crate) struct Lines {
    complete: Vec<Vec<u8>>,
    last: Vec<u8>,
    most: usize,
    bytes: usize,
}

/// A line has more than `LONGEST_LINE` bytes, or all have more than 64 times as many.
#[derive(Debug)]
pub(crate) struct LineTooLong {
    /// How many lines came before.
    pub(crate) after: usize,
}

impl Lines {
    /// No line. There should be at most `most` of them.
    pub(crate) fn new(most: usize) -> Self {
        Self { complete: Vec::new(), last: Vec::new(), most, bytes: 0 }
    }

    /// Adds output. One line more than there should be is kept.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), LineTooLong> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        let mut parts = bytes.split(|byte| *byte == b'\n');
        self.last.extend_from_slice(parts.next().unwrap_or_default());
        for part in parts {
            if self.are_too_many() {
                return Ok(());
            }
            self.complete.push(std::mem::replace(&mut self.last, part.to_vec()));
        }
        let is_too_long = self.last.len() > LONGEST_LINE || self.bytes > LONGEST_OUTPUT;
        if is_too_long { Err(LineTooLong { after: self.complete.len() }) } else { Ok(()) }
    }

    pub(crate) fn are_too_many(&self) -> bool {
        self.complete.len() > self.most
    }

    /// Whether the output ends within a line.
    pub(crate) fn is_cut_off(&self) -> bool {
        !self.last.is_empty()
    }

    /// All lines. The last one counts even if it is cut off.
    pub(crate) fn into_answers(mut self) -> Vec<Vec<u8>> {
        if self.is_cut_off() {
            self.last.truncate(LONGEST_LINE);
            self.complete.push(self.last);
        }
        self.complete
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, Lines};

    #[test]
    fn lines_are_the_same_however_the_output_is_cut() {
        let output = b"one\n\ntwo\r\nrest";
        for size in 1..=output.len() {
            let mut lines = Lines::new(9);
            for chunk in output.chunks(size) {
                lines.add(chunk).unwrap();
            }
            assert!(lines.is_cut_off() && !lines.are_too_many());
            assert_eq!(lines.into_answers(), [&b"one"[..], b"", b"two\r", b"rest"]);
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut lines = Lines::new(2);
        lines.add(&b"\n".repeat(1000)).unwrap();
        assert!(lines.are_too_many());
        assert_eq!(lines.into_answers().len(), 3);

        let mut lines = Lines::new(2);
        lines.add(b"one\n").unwrap();
        lines.add(&vec![b'x'; LONGEST_LINE]).unwrap();
        assert_eq!(lines.add(b"x").unwrap_err().after, 1);

        let mut lines = Lines::new(1000);
        let mut line = vec![b'x'; LONGEST_LINE];
        line.push(b'\n');
        assert!((0..100).any(|_| lines.add(&line).is_err()), "many long lines");
    }
}

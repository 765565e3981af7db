//! Bytes in a file that are replaced as a whole, whatever ends the writer between.
//!
//! The file begins with two headers. The one with the higher number counts, if its checksum is that
//! of the bytes that it points to. A writer puts new bytes beside the current ones, and then
//! overwrites the other header.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;

use anyhow::{Result, bail, ensure};
use backoff_core::RandomStream;

/// The longest file that is read.
pub(super) const MAX_BYTES: u64 = 64 << 20;

const MAGIC: &str = "backoff-budget";
const VERSION: &str = "1";

/// The length of a header, a line of text, padded with spaces.
const HEADER: usize = 128;
const HEADERS: u64 = 2 * HEADER as u64;

/// Any number: the checksum is not a secret.
const CHECKSUM_SEED: u64 = 0;

/// Where the current bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pages {
    /// The header that points to them, 0 or 1.
    slot: u64,
    number: u64,
    offset: u64,
    length: u64,
}

/// The current bytes, or nothing if there never were any.
pub(super) fn read(file: &File) -> Result<Option<(Pages, Vec<u8>)>> {
    let length = file.metadata()?.len();
    ensure!(length <= MAX_BYTES, "it has {length} bytes, above {MAX_BYTES}");
    if length == 0 {
        return Ok(None);
    }
    let mut headers = [0; 2 * HEADER];
    read_some(file, &mut headers)?;
    ensure!(headers.iter().any(|&byte| byte != 0), "it is not a budget file");
    let mut found: Option<(Pages, Vec<u8>)> = None;
    for (slot, header) in (0..).zip(headers.chunks_exact(HEADER)) {
        let Some((pages, checksum)) = parse(slot, header)? else { continue };
        let end = pages.offset.checked_add(pages.length);
        if end.is_none_or(|end| end > length) {
            continue;
        }
        let mut bytes = vec![0; usize::try_from(pages.length)?];
        file.read_exact_at(&mut bytes, pages.offset)?;
        let is_newer = found.as_ref().is_none_or(|(other, _)| other.number < pages.number);
        if is_newer && pages.checksum(&bytes) == checksum {
            found = Some((pages, bytes));
        }
    }
    ensure!(found.is_some(), "it is damaged; remove it to begin with a full budget");
    Ok(found)
}

/// Replaces the current bytes.
pub(super) fn write(file: &File, current: Option<&Pages>, bytes: &[u8]) -> Result<()> {
    let length = bytes.len() as u64;
    let Some(current) = current else {
        let pages = Pages { slot: 0, number: 1, offset: HEADERS, length };
        let mut all = pages.header(pages.checksum(bytes));
        all.resize(2 * HEADER, 0);
        all.extend_from_slice(bytes);
        // In one call: a kill cannot leave a part of so few bytes.
        return Ok(file.write_all_at(&all, 0)?);
    };
    let Pages { slot, number, offset, length: current } = *current;
    let fits_before = HEADERS + length <= offset;
    let offset = if fits_before { HEADERS } else { offset + current };
    let pages = Pages { slot: 1 - slot, number: number + 1, offset, length };
    ensure!(offset + length <= MAX_BYTES, "it would have more than {MAX_BYTES} bytes");
    file.write_all_at(bytes, offset)?;
    file.write_all_at(&pages.header(pages.checksum(bytes)), pages.slot * HEADER as u64)?;
    Ok(())
}

impl Pages {
    fn header(&self, checksum: u64) -> Vec<u8> {
        let Self { number, offset, length, .. } = self;
        let text = format!("{MAGIC} {VERSION} {number} {offset} {length} {checksum:016x}");
        format!("{text:width$}\n", width = HEADER - 1).into_bytes()
    }

    fn checksum(&self, bytes: &[u8]) -> u64 {
        let Self { number, offset, length, .. } = self;
        let mut text = [*number, *offset, *length].map(u64::to_le_bytes).concat();
        text.extend_from_slice(bytes);
        RandomStream::from_key(CHECKSUM_SEED, text).state()
    }
}

/// A header and its checksum, or nothing if it was not written, or not completely.
fn parse(slot: u64, header: &[u8]) -> Result<Option<(Pages, u64)>> {
    if header.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    let text = str::from_utf8(header).unwrap_or_default();
    let mut words = text.split_ascii_whitespace();
    ensure!(words.next() == Some(MAGIC), "it is not a budget file");
    match words.next() {
        Some(VERSION) => {}
        Some(version) => bail!("it has format {version}, not {VERSION}; use another file"),
        None => return Ok(None),
    }
    let mut number = || words.next().and_then(|word| word.parse().ok());
    let (Some(number), Some(offset), Some(length)) = (number(), number(), number()) else {
        return Ok(None);
    };
    let checksum = words.next().and_then(|word| u64::from_str_radix(word, 16).ok());
    let is_inside = offset >= HEADERS && length <= MAX_BYTES;
    let pages = Pages { slot, number, offset, length };
    Ok(checksum.filter(|_| is_inside).map(|checksum| (pages, checksum)))
}

/// Fills as much of the buffer as the file has.
fn read_some(file: &File, buffer: &mut [u8]) -> Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], filled as u64) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

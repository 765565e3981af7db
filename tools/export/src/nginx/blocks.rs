//! The blocks of a configuration of nginx, and their directives.

use crate::error::ImportError;
use crate::text::cut;

/// How many words of a directive an error shows.
const WORDS_SHOWN: usize = 4;
/// No configuration has blocks as deep.
const DEEPEST: usize = 64;

#[derive(Default)]
pub(super) struct Block {
    /// The words before its brace.
    pub(super) words: Vec<String>,
    /// The words of each directive.
    pub(super) directives: Vec<Vec<String>>,
    pub(super) blocks: Vec<Self>,
}

impl Block {
    /// The values of a directive that a block has at most once.
    pub(super) fn one(&self, name: &str) -> Result<Option<&[String]>, ImportError> {
        let mut found = self.directives.iter().filter_map(|words| match words.as_slice() {
            [first, values @ ..] if first == name => Some(values),
            _ => None,
        });
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(ImportError::new(name, "found twice; leave one")),
            (found, None) => Ok(found),
        }
    }
}

/// Words as a place or an error shows them.
pub(super) fn shown(words: &[String]) -> String {
    words.iter().map(|word| cut(word)).take(WORDS_SHOWN).collect::<Vec<_>>().join(" ")
}

/// The blocks and directives of a text, without comments. Blocks that are not closed end with it.
pub(super) fn parse(text: &str) -> Result<Block, ImportError> {
    let (mut open, mut words) = (vec![Block::default()], Vec::new());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '#' => while letters.next_if(|&next| next != '\n').is_some() {},
            ';' => {
                if let Some(block) = open.last_mut() {
                    block.directives.push(std::mem::take(&mut words));
                }
            }
            '{' => {
                let words = std::mem::take(&mut words);
                open.push(Block { words, ..Block::default() });
                if open.len() > DEEPEST {
                    let reason = format!("more than {DEEPEST} blocks are in one another");
                    return Err(ImportError::new("", reason));
                }
            }
            '}' => {
                words.clear();
                close_last(&mut open);
            }
            '"' | '\'' => {
                let mut word = String::new();
                loop {
                    match letters.next() {
                        Some(next) if next == letter => break,
                        Some('\\') => word.extend(letters.next()),
                        Some(next) => word.push(next),
                        None => return Err(ImportError::new("", "a quote is not closed")),
                    }
                }
                words.push(word);
            }
            space if space.is_whitespace() => {}
            first => {
                let mut word = String::from(first);
                let ends = |next: &char| next.is_whitespace() || [';', '{', '}'].contains(next);
                loop {
                    // A variable, as in `${host}`.
                    let is_variable = word.ends_with('$') && letters.next_if_eq(&'{').is_some();
                    if is_variable {
                        word.push('{');
                        while let Some(next) = letters.next_if(|&next| next != '}') {
                            word.push(next);
                        }
                        word.extend(letters.next());
                        continue;
                    }
                    match letters.next_if(|next| !ends(next)) {
                        Some(next) => word.push(next),
                        None => break,
                    }
                }
                words.push(word);
            }
        }
    }
    if !words.is_empty() {
        return Err(ImportError::new(shown(&words), "a directive ends with a semicolon"));
    }
    while open.len() > 1 {
        close_last(&mut open);
    }
    Ok(open.pop().unwrap_or_default())
}

fn close_last(open: &mut Vec<Block>) {
    if open.len() > 1
        && let Some(inside) = open.pop()
        && let Some(outer) = open.last_mut()
    {
        outer.blocks.push(inside);
    }
}

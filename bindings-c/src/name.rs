use core::ffi::c_char;

/// A name of the core as C reads it, with a terminating zero.
#[derive(Clone, Copy)]
pub(crate) struct Name([u8; Self::SIZE]);

impl Name {
    const SIZE: usize = 24;

    pub(crate) const EMPTY: Self = Self([0; Self::SIZE]);

    /// The compiler runs this, and refuses a name that is too long.
    pub(crate) const fn new(name: &str) -> Self {
        let mut bytes = [0; Self::SIZE];
        let (name, room) = (name.as_bytes(), bytes.split_at_mut(name.len()).0);
        assert!(name.len() < Self::SIZE);
        room.copy_from_slice(name);
        Self(bytes)
    }

    pub(crate) const fn as_ptr(&'static self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}

/// The name of what has a number in a list of the core, if anything has.
macro_rules! name_of {
    ($all:expr, $number:expr) => {{
        static NAMES: [$crate::name::Name; $all.len()] = {
            let mut names = [$crate::name::Name::EMPTY; $all.len()];
            let mut at = 0;
            #[expect(clippy::indexing_slicing, reason = "the compiler runs it")]
            while at < names.len() {
                names[at] = $crate::name::Name::new($all[at].name());
                at += 1;
            }
            names
        };
        let named = $all.iter().zip(&NAMES).find(|(item, _)| **item as u32 == $number);
        named.map(|(_, name)| name.as_ptr())
    }};
}

pub(crate) use name_of;

//! Where a normal form is written: a buffer on the stack, and a hasher behind it for long ones.

/// What kind of piece follows: it keeps neighbours apart.
#[derive(Clone, Copy)]
pub(super) enum PieceTag {
    Word,
    Quoted,
    Plain,
    Constant,
}

/// Bytes on their way into the hash.
pub(super) struct HashSink {
    buffer: [u8; BUFFER_BYTES],
    filled: usize,
    key: Option<[u8; 32]>,
    hasher: Option<Box<blake3::Hasher>>,
}

impl HashSink {
    pub(super) fn new(key: Option<&[u8; 32]>) -> Self {
        Self {
            buffer: [0; BUFFER_BYTES],
            filled: 0,
            key: key.copied(),
            hasher: None,
        }
    }

    pub(super) fn put(&mut self, tag: PieceTag, bytes: &[u8]) {
        let from = self.start(tag, bytes);
        match self.buffer.get_mut(from..from.saturating_add(bytes.len())) {
            Some(place) => {
                place.copy_from_slice(bytes);
                self.filled = from.saturating_add(bytes.len());
            }
            None => {
                self.spill();
                self.hasher().update(bytes);
            }
        }
    }

    /// As [`Self::put`] for a word, in small letters.
    pub(super) fn put_folded(&mut self, word: &[u8]) {
        let from = self.start(PieceTag::Word, word);
        match self.buffer.get_mut(from..from.saturating_add(word.len())) {
            Some(place) => {
                place.copy_from_slice(word);
                place.make_ascii_lowercase();
                self.filled = from.saturating_add(word.len());
            }
            None => {
                self.spill();
                self.hasher().update(&word.to_ascii_lowercase());
            }
        }
    }

    pub(super) fn hash(mut self) -> blake3::Hash {
        if self.hasher.is_some() {
            self.spill();
            return self.hasher().finalize();
        }
        let bytes = self.buffer.get(..self.filled).unwrap_or_default();
        match &self.key {
            Some(key) => blake3::keyed_hash(key, bytes),
            None => blake3::hash(bytes),
        }
    }

    /// Writes the tag of a piece, empties the buffer if the piece would not fit, and tells where it
    /// goes.
    fn start(&mut self, tag: PieceTag, bytes: &[u8]) -> usize {
        if bytes.len() >= BUFFER_BYTES.saturating_sub(self.filled) {
            self.spill();
        }
        if let Some(place) = self.buffer.get_mut(self.filled) {
            *place = match tag {
                PieceTag::Word => 1,
                PieceTag::Quoted => 2,
                PieceTag::Plain => 3,
                PieceTag::Constant => 4,
            };
            self.filled = self.filled.saturating_add(1);
        }
        self.filled
    }

    fn spill(&mut self) {
        let filled = self.filled;
        self.filled = 0;
        let buffer = self.buffer;
        self.hasher()
            .update(buffer.get(..filled).unwrap_or_default());
    }

    fn hasher(&mut self) -> &mut blake3::Hasher {
        let key = self.key;
        self.hasher.get_or_insert_with(|| {
            Box::new(match key {
                Some(key) => blake3::Hasher::new_keyed(&key),
                None => blake3::Hasher::new(),
            })
        })
    }
}

/// Holds the normal form of an ordinary statement. A longer one is hashed in pieces of this size.
const BUFFER_BYTES: usize = 512;

//! The key of the mask `hash`, which no client may learn: who has it can compute what a guessed
//! value is shown as.
//!
//! A server computes the mask, so it has to be told the key, and it shows texts of statements in
//! many places: to others in `pg_stat_activity`, and to whoever reads its log. Settings of a
//! session it shows to nobody but that session. So the key is split: the texts of models hold it
//! combined (XOR) with a pad, and the pad is a setting of each session, given with its start,
//! which no client may read or set. Either alone is as good as random. The pad is drawn by each
//! process and kept until it ends, so that a key that is exchanged holds in sessions that are
//! open.
//!
//! <https://www.rfc-editor.org/rfc/rfc2104>

use std::fmt;

use super::Policy;

/// A key of 256 bits, with the pad that it is combined with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MaskKey {
    key: [u8; 32],
    pad: MaskPad,
}

/// What a process combines its key with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MaskPad([u8; 32]);

/// One of the two blocks that HMAC puts before what it hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Before the text.
    Inner,
    /// Before the hash of that.
    Outer,
}

impl MaskPad {
    /// A pad of bytes that nobody can guess.
    pub fn new(random: [u8; 32]) -> Self {
        Self(random)
    }
}

impl MaskKey {
    /// The setting of a session that the pad is in. Every name that begins with
    /// [`RESERVED`] is kept from clients.
    pub const SETTING: &'static str = "pgsieve.mask_pad";

    /// A key with the pad of this process.
    pub fn new(key: [u8; 32], pad: MaskPad) -> Self {
        Self { key, pad }
    }

    /// One that is nobody's, for judging alone: it gives texts that are never run.
    pub fn for_judging() -> Self {
        Self::new([0; 32], MaskPad([0; 32]))
    }

    /// The value of the setting, as a server reads an array of `int8`.
    pub fn pad(&self) -> String {
        let words = words(&self.pad.0).map(|word| word.to_string());
        format!("{{{}}}", words.join(","))
    }

    /// The first half of a block of HMAC-SHA-256, combined with the pad.
    pub fn combined(&self, block: Block) -> [i64; 4] {
        let mut bytes = self.key;
        for (byte, pad) in bytes.iter_mut().zip(self.pad.0) {
            *byte ^= block.byte() ^ pad;
        }
        words(&bytes)
    }

    /// A digest of the key, which says whether another one is the same.
    pub fn digest(&self) -> [u8; 32] {
        blake3::derive_key("pgsieve: the key of the mask hash", &self.key)
    }
}

impl Policy {
    /// The same policy with a key for the mask `hash`. Its number is another one, since
    /// other things are read; its version is that of what is written.
    pub fn keyed(mut self, key: MaskKey) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(&key.digest());
        hasher.update(&self.version_number.to_be_bytes());
        let mut short = [0; 8];
        hasher.finalize_xof().fill(&mut short);
        self.version_number = u64::from_be_bytes(short);
        self.mask_key = Some(key);
        self
    }

    /// The same policy for those who only judge: with a key that is nobody's where it needs one.
    pub fn for_judging(self) -> Self {
        match self.access.wants_key() {
            true => self.keyed(MaskKey::for_judging()),
            false => self,
        }
    }

    /// The key of the mask `hash`, where there is one.
    pub fn mask_key(&self) -> Option<&MaskKey> {
        self.mask_key.as_ref()
    }
}

impl Block {
    /// The byte that the key is combined with, and that fills the block behind it.
    pub fn byte(self) -> u8 {
        match self {
            Self::Inner => 0x36,
            Self::Outer => 0x5c,
        }
    }
}

impl fmt::Debug for MaskKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("MaskKey(…)")
    }
}

impl fmt::Debug for MaskPad {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("MaskPad(…)")
    }
}

/// Whether a setting is pgsieve's own, and not for clients: names are compared as the server
/// compares them.
pub fn is_reserved(name: &str) -> bool {
    let head = name.as_bytes().get(..RESERVED.len());
    !is_show_repaired(name)
        && !is_grounding(name)
        && !is_receipts(name)
        && !is_receipt_nonce(name)
        && !is_repairs(name)
        && !is_min_lsn(name)
        && head.is_some_and(|head| head.eq_ignore_ascii_case(RESERVED.as_bytes()))
}

/// Whether a setting is the one by which clients say whether they want to see repaired statements.
pub fn is_show_repaired(name: &str) -> bool {
    name.eq_ignore_ascii_case(SHOW_REPAIRED)
}

/// Whether a setting is the one by which clients say on which grounding they stand.
pub fn is_grounding(name: &str) -> bool {
    name.eq_ignore_ascii_case(GROUNDING)
}

/// Whether a setting is the one by which clients ask for a receipt behind each result.
pub fn is_receipts(name: &str) -> bool {
    name.eq_ignore_ascii_case(RECEIPTS)
}

/// Whether a setting is the one by which clients say what their receipts have in them.
pub fn is_receipt_nonce(name: &str) -> bool {
    name.eq_ignore_ascii_case(RECEIPT_NONCE)
}

/// Whether a setting is the one by which clients say whether they want repairs.
pub fn is_repairs(name: &str) -> bool {
    name.eq_ignore_ascii_case(REPAIRS)
}

/// Whether a setting is the one by which clients say what a server must have replayed.
pub fn is_min_lsn(name: &str) -> bool {
    name.eq_ignore_ascii_case(MIN_LSN)
}

/// The position in the write-ahead log that a server must have replayed for reads of the session.
/// It says nothing to the server.
pub const MIN_LSN: &str = "pgsieve.min_lsn";

/// Whether statements of the session are repaired at all. It says nothing to the server.
pub const REPAIRS: &str = "pgsieve.repairs";

/// Whether each result is followed by its receipt. It says nothing to the server.
pub const RECEIPTS: &str = "pgsieve.receipts";

/// A word of the client's that its receipts have in them. It says nothing to the server.
pub const RECEIPT_NONCE: &str = "pgsieve.receipt_nonce";

/// What SHOW reads to get the receipt of the last statement; nobody sets it.
pub const RECEIPT: &str = "pgsieve.receipt";

/// The version of the grounding that a client's prompt was made of. It says nothing to the server.
pub const GROUNDING: &str = "pgsieve.grounding";

/// Whether the notice of a repair has the statement that ran. It says nothing to the server.
pub const SHOW_REPAIRED: &str = "pgsieve.show_repaired";

/// Big-endian, as `int8send` writes them.
fn words(bytes: &[u8; 32]) -> [i64; 4] {
    let (words, _) = bytes.as_chunks::<8>();
    let mut all = [0; 4];
    for (own, word) in all.iter_mut().zip(words) {
        *own = i64::from_be_bytes(*word);
    }
    all
}

/// How the names of pgsieve's own settings begin.
const RESERVED: &str = "pgsieve.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_session_together_are_the_key_and_neither_alone() {
        let key: [u8; 32] = std::array::from_fn(|at| u8::try_from(at).unwrap());
        let (one, other) = (MaskPad([0xa5; 32]), MaskPad([0x11; 32]));
        for pad in [one, other] {
            let whole = MaskKey::new(key, pad);
            for block in [Block::Inner, Block::Outer] {
                let pads = words(&pad.0);
                let both = whole.combined(block).into_iter().zip(pads);
                let back: Vec<u8> = both.flat_map(|(a, b)| (a ^ b).to_be_bytes()).collect();
                let wanted: Vec<u8> = key.iter().map(|byte| byte ^ block.byte()).collect();
                assert_eq!(back, wanted);
            }
        }
        let texts = [one, other].map(|pad| MaskKey::new(key, pad).combined(Block::Inner));
        assert_ne!(texts[0], texts[1]);
        let same = MaskKey::new(key, one).digest() == MaskKey::new(key, other).digest();
        assert!(same && MaskKey::for_judging().digest() != MaskKey::new(key, one).digest());
        assert_eq!(MaskKey::for_judging().pad(), "{0,0,0,0}");
        let debug = format!("{:?}", MaskKey::new(key, one));
        assert_eq!(debug, "MaskKey(…)");
    }

    #[test]
    fn own_settings_are_told_by_their_beginning() {
        for name in [
            "pgsieve.mask_pad",
            "PGSIEVE.Mask_Pad",
            "pgsieve.",
            "pgsieve.repair",
        ] {
            assert!(is_reserved(name), "{name}");
        }
        for name in [
            "pgsieve",
            "Pgsieve.Show_Repaired",
            "PGSIEVE.Grounding",
            "pgsieve.Repairs",
            "app.pgsieve.mask_pad",
            "",
            "pgsievé.x",
            "mask_pad",
        ] {
            assert!(!is_reserved(name), "{name}");
        }
    }
}

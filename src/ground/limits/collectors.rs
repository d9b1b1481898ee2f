//! Collectors of OpenTelemetry, beyond what bounds spans.

use std::time::Duration;

/// Headers that go with a request to a collector; vendors want one or two.
pub const HEADERS_MAX: usize = 32;

/// How long a collector may take for a batch of audit lines, connecting included: as a receiver of
/// syslog, so that the last attempt ends before the process does.
pub const AUDIT_EXPORT_TIME_MAX: Duration = Duration::from_secs(2);

/// Bytes of audit lines that go to a collector in one request, and to all other places in one go
/// with them: a thousand lines, so that a collector far away takes more than a few thousand lines a
/// second. With their attributes they stay below the 4 MiB that gRPC takes.
pub const AUDIT_EXPORT_BYTES: usize = 512 << 10;

/// The rest after a collector has not taken a batch; it doubles with each.
pub const AUDIT_EXPORT_REST: Duration = Duration::from_millis(100);

/// The longest rest: a collector that is back has the lines seconds later.
pub const AUDIT_EXPORT_REST_MAX: Duration = Duration::from_secs(5);

/// The longest rest that a collector can ask for: what must be on record waits meanwhile.
pub const AUDIT_EXPORT_RETRY_AFTER_MAX: Duration = Duration::from_secs(30);

/// How often it is told that a collector refuses lines for good; all are counted.
pub const AUDIT_REFUSED_TOLD_EVERY: Duration = Duration::from_secs(60);

/// Bytes of a collector's answer over gRPC: a number and a sentence.
pub const AUDIT_ANSWER_BYTES_MAX: usize = 64 << 10;

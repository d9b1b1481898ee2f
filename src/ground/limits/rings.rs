//! What a worker's ring (io_uring) may hold.

use std::time::Duration;

/// Operations that wait to be handed to the system at a time.
pub const RING_ENTRIES: u32 = 1_024;

/// After so many operations they are handed over, whoever else is to have its turn first: there
/// must be room left for calling some back.
pub const RING_TURN_OPERATIONS: u32 = 512;

/// Bytes that one receive takes at most. What fills it is followed by reads into the reader's own
/// buffer.
pub const RECEIVE_BYTES: usize = 4_096;

/// Receives with a buffer that wait at a time: 4 MiB. Who comes then waits without one.
pub const RECEIVES_HELD_MAX: usize = 1_024;

/// A receive that has waited for so long gives its buffer back, and waits without one.
pub const RECEIVE_HELD_TIME: Duration = Duration::from_secs(1);

/// From so many bytes on they are sent without a copy, where nothing else is being sent.
pub const SEND_DIRECT_BYTES: usize = 16 * 1_024;

/// Bytes that are being sent, and as many that wait for them, for each socket: a client that reads
/// nothing has no more of pgsieve's memory. Above that the writer waits.
pub const SEND_WAITING_BYTES_MAX: usize = 16 * 1_024;

/// So many receives are called back at a time because they have waited for long.
pub const CALLED_BACK_MAX: usize = 256;

/// Buffers of receives, and of sends, that are kept for the next ones.
pub const SPARE_BUFFERS_MAX: usize = 64;

/// A buffer that took more is not kept.
pub const SPARE_BUFFER_BYTES_MAX: usize = 16 * 1_024;

/// How often it is asked whether a receive has been called back. It is at the first time, unless
/// the system has no memory.
pub const CALL_BACK_TURNS_MAX: usize = 64;

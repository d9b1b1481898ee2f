//! Bounds of the capture: statements that failed, kept with their text.

/// Bytes that its file may have where the settings do not say.
pub const CAPTURE_BYTES: u64 = 64 << 20;

/// Bytes that its file may be given: some lines at least, and no more than a disk of a small
/// machine has to spare.
pub const CAPTURE_BYTES_BOUNDS: (u64, u64) = (64 << 10, 64 << 30);

/// Bytes of a text that is kept: a model writes a few thousand. What is longer is left out, not
/// cut: half a statement replays as another one.
pub const CAPTURE_TEXT_BYTES_MAX: usize = 64 << 10;

/// Lines that wait for the thread that writes them: a few megabytes at the most, by the bound of a
/// text.
pub const CAPTURE_LINES_MAX: usize = 64;

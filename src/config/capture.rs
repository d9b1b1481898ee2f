//! The settings of the capture.

use crate::config::quantities::size;
use crate::config::value_reader::{KeyReader, ReadValue};
use crate::limits::capture::{CAPTURE_BYTES, CAPTURE_BYTES_BOUNDS};
use crate::policy::units::BareBytes;
use crate::telemetry::capture::CaptureSettings;

/// `capture.…`; none where there is no file. Whether that can be used shows at the start.
pub fn capture(reader: &mut KeyReader) -> Option<Option<CaptureSettings>> {
    let (bounds, bare) = (CAPTURE_BYTES_BOUNDS, BareBytes::Allowed);
    let bytes_max = size(reader, "capture.bytes_max", bounds, bare, CAPTURE_BYTES);
    let file = match reader.word("capture.file") {
        ReadValue::Absent => None,
        ReadValue::Wrong => return None,
        ReadValue::Given(word) if word.text == "off" => None,
        ReadValue::Given(word) if matches!(word.text.as_str(), "" | "-" | "stdout" | "stderr") => {
            reader.note(&word.place, "the path of a file is wanted, or off");
            return None;
        }
        ReadValue::Given(word) => Some(word.text.into()),
    };
    let bytes_max = bytes_max?;
    Some(file.map(|file| CaptureSettings { file, bytes_max }))
}

//! Who signs receipts.

use std::io;
use std::sync::Arc;

use super::AppError;
use crate::config::receipts::ReceiptSettings;
use crate::receipts::issuer::ReceiptIssuer;

/// Who signs receipts, as the settings have it.
///
/// # Errors
/// The system has no randomness.
pub fn issuer_of(
    settings: Option<ReceiptSettings>,
) -> Result<Option<Arc<ReceiptIssuer>>, AppError> {
    let Some(settings) = settings else {
        return Ok(None);
    };
    let ReceiptSettings {
        issuer,
        valid_for,
        keys,
    } = settings;
    let mut process = [0; 8];
    getrandom::fill(&mut process)
        .map_err(|error| AppError::System(io::Error::other(error.to_string())))?;
    let process = u64::from_be_bytes(process);
    let issuer = ReceiptIssuer::new(&issuer, valid_for.as_secs(), keys, process);
    Ok(Some(Arc::new(issuer)))
}

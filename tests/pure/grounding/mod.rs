//! What a question is answered with: how much of what the right SQL needs is in it.

#![expect(
    clippy::as_conversions,
    reason = "shares are of hundreds of things, and exact in a float"
)]

mod baselines;
mod dataset;
mod retrieval;

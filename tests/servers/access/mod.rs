//! Hidden tables, columns and rows: models, masks, changes of the catalog under a session.

mod calculated;
mod changes;
mod hidden;
mod masks;
mod model_notices;
mod model_plans;
mod model_sessions;
mod models;
mod random;

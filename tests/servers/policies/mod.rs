//! Policies: which one is taken, each of its keys, its commands, its change while sessions run.

mod catalog_agreement;
mod catalog_tools;
mod catalog_view;
mod commands;
mod files;
mod fit;
mod import;
mod keys;
mod own_tests;
mod reload;
mod shadowed;
mod suggest;
mod until;

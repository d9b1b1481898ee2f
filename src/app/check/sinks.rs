//! Whether what a start would write to could be opened: the audit, the log, the traces, the capture
//! and the file of budgets; and whether the store of limits answers. Changes nothing there.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tokio::runtime;

use super::CheckReport;
use crate::app::AppError;
use crate::config::ProgramSettings;
use crate::server::budget_file::BudgetFile;
use crate::server::limits_store::connection::StoreLink;
use crate::telemetry::TelemetryError;
use crate::telemetry::audit::collector::CollectorSink;
use crate::telemetry::audit::copy_name::CopyName;
use crate::telemetry::audit::{AuditTarget, SyslogAddress};
use crate::telemetry::capture::capture_file::CaptureFile;
use crate::telemetry::log::LogTarget;
use crate::telemetry::traces::StatementTracer;

impl CheckReport {
    /// The places of the audit.
    pub(super) fn audit(&mut self, settings: &ProgramSettings) {
        for target in &settings.telemetry.audit.targets {
            let looked = match target {
                AuditTarget::File(path) => can_append(path).map_err(|error| (path, error)),
                AuditTarget::Syslog(SyslogAddress::Socket(path)) => {
                    fs::metadata(path).map(drop).map_err(|error| (path, error))
                }
                AuditTarget::Collector(target) => {
                    if let Err(source) = CollectorSink::open(target, &CopyName::of_host()) {
                        self.wrong_start(&AppError::Telemetry(TelemetryError::AuditOpen {
                            path: None,
                            source,
                        }));
                    }
                    continue;
                }
                AuditTarget::Stdout
                | AuditTarget::Syslog(SyslogAddress::Udp(_) | SyslogAddress::Tcp(_)) => continue,
            };
            if let Err((path, source)) = looked {
                self.wrong_start(&AppError::Telemetry(TelemetryError::AuditOpen {
                    path: Some(path.clone()),
                    source,
                }));
            }
        }
    }

    /// The log, the spans, the capture, and what keeps budgets of the day.
    pub(super) fn sinks(&mut self, settings: &ProgramSettings) {
        let looked = match &settings.log.to {
            LogTarget::Stderr | LogTarget::Syslog(_) => Ok(()),
            LogTarget::File(path) => can_append(path),
        };
        if let Err(error) = looked {
            self.wrong_start(&AppError::Log {
                place: settings.log.to.clone(),
                kind: error.kind(),
            });
        }
        if let Some(Err(error)) = settings
            .telemetry
            .traces
            .as_ref()
            .map(StatementTracer::look)
        {
            self.wrong_start(&AppError::Telemetry(error));
        }
        let capture = settings.telemetry.capture.as_ref();
        if let Some(Err(error)) = capture.map(|capture| CaptureFile::look(&capture.file)) {
            self.wrong_start(&AppError::Telemetry(TelemetryError::CaptureOpen(error)));
        }
        if let Some(Err(error)) = settings.budget_file.clone().map(BudgetFile::look) {
            self.wrong_start(&AppError::Budgets(error));
        }
    }

    /// The store in which copies count together.
    pub(super) fn limits_store(&mut self, settings: &ProgramSettings) -> io::Result<()> {
        let Some(store) = settings.limits_store.clone() else {
            return Ok(());
        };
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        match StoreLink::load(store) {
            Err(error) => self.wrong_start(&AppError::LimitsStoreTls(error)),
            Ok(link) => match runtime.block_on(link.look()) {
                Ok(()) => self.told.push("the store of limits answers".into()),
                Err(fault) => {
                    self.wrong_at(
                        "limits.store",
                        &format!("the store does not answer: {fault}"),
                    );
                }
            },
        }
        Ok(())
    }
}

/// Whether lines could be added to a file, which is not made where it is not there.
fn can_append(path: &Path) -> io::Result<()> {
    match File::options().append(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            match fs::metadata(folder.unwrap_or(Path::new(".")))?.is_dir() {
                true => Ok(()),
                false => Err(io::ErrorKind::NotADirectory.into()),
            }
        }
        opened => opened.map(drop),
    }
}

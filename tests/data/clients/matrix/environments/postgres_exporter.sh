debian prometheus-postgres-exporter

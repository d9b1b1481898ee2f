debian check-postgres

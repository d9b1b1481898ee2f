# psqlODBC as Debian has it, and pyodbc, which finds it by its path.
debian odbc-postgresql unixodbc
venv pyodbc==5.5.0

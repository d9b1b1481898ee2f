# postgres-mcp asks for Python 3.12 and a pglast without wheels for older ones. What it takes from that
# Python is one name of `typing`, which the .pth gives to older ones.
venv --ignore-requires-python --no-deps 'postgres-mcp==0.3.0'
venv 'pglast==7.20' 'mcp[cli]==1.30.0' 'psycopg[binary]==3.3.9' 'psycopg-pool==3.3.3' 'humanize==4.17.0' \
  'instructor==1.17.0' 'attrs==26.1.0' 'typing_extensions==4.16.0'
echo 'import typing, typing_extensions; typing.__dict__.setdefault("override", typing_extensions.override)' \
  >"$(bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/override.pth"
bin/postgres-mcp --help

# libpqxx as Debian has it; its program is compiled here.
debian libpqxx-dev g++ pkg-config
cat >compiled <<'RUN'
#!/usr/bin/env bash
# Compiles the program, where it is newer than what was compiled, and runs it.
set -euo pipefail
here=$(dirname "$0")
if [ ! -e "$here/pqxx" ] || [ "$1/pqxx.cpp" -nt "$here/pqxx" ]; then
  made=$(mktemp "$here/made.XXXXXX")
  g++ -std=c++17 -O0 -w -o "$made" "$1/pqxx.cpp" $(pkg-config --cflags --libs libpqxx)
  mv "$made" "$here/pqxx"
fi
exec "$here/pqxx" "$1"
RUN
chmod +x compiled
./compiled "$ROOT/tests/data/clients/matrix/programs" >/dev/null 2>&1 || [ -x pqxx ]

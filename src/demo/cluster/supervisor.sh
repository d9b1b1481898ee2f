# Makes the data directory of a private Postgres where there is none yet, starts the server, and lets
# it live for as long as the pipe on standard input is open.
# Arguments: the cluster's folder, the program initdb, then the command line of the server.
folder=$1
initdb=$2
shift 2

# What a shell of its own does, which the server takes the place of: so the note has its process id.
begin='
folder=$1
initdb=$2
shift 2
echo $$ >"$folder/pid"
if ! [ -e "$folder/initialised" ]; then
  "$initdb" --pgdata "$folder/data" --username postgres --pwfile "$folder/password" \
    --auth "$(cat "$folder/auth")" --encoding UTF8 --locale C --no-sync &&
    cat "$folder/conf" >>"$folder/data/postgresql.conf" &&
    cat "$folder/data/pg_hba.conf" >>"$folder/hba" &&
    mv "$folder/hba" "$folder/data/pg_hba.conf" &&
    rm "$folder/password" && : >"$folder/initialised" || exit 1
fi
exec "$@"
'
{
  /bin/sh -c "$begin" sh "$folder" "$initdb" "$@" </dev/null >>"$folder/log" 2>&1
  echo "$?" >"$folder/exited"
} 2>/dev/null &

read -r ending

# Waits up to so many steps of 50 ms for something to be so.
within() {
  steps=$1
  shift
  while [ "$steps" -gt 0 ]; do
    "$@" && return 0
    sleep 0.05
    steps=$((steps - 1))
  done
  return 1
}
exited() { [ -e "$folder/exited" ]; }
begun() { [ -s "$folder/pid" ] || exited; }
removed() { rm -rf "$folder" 2>/dev/null; }

within 40 begun
pid=$(cat "$folder/pid" 2>/dev/null)
if [ -n "$pid" ] && ! exited; then
  if [ "$ending" != crash ]; then
    # TERM ends a shell that still waits for initdb. INT makes a server send its clients away.
    kill -TERM "$pid" 2>/dev/null
    kill -INT "$pid" 2>/dev/null
    within 100 exited
  fi
  # QUIT stops at once and takes the workers along.
  exited || kill -QUIT "$pid" 2>/dev/null
  within 100 exited || kill -KILL "$pid" 2>/dev/null
fi

case $ending in
  keep | crash) ;;
  # An initdb that lost its shell may go on writing for a moment.
  *) cd / && within 100 removed ;;
esac

# Makes the data directory of a private Postgres where there is none yet, starts the server, and lets
# it live for as long as the pipe on standard input is open. Words on the pipe stop it, start it again
# ("halt", "crash", "start"), and end it with its folder ("remove") or without ("keep").
# Where the folder has a file "keep-copy", a copy of the data as it is before its first start is kept
# for a standby. Where it has a file "origin", that names such a copy, which becomes the data.
# Where it has a file "keep-whole", a copy is kept with all that belongs to it; a file "like" in another
# folder names that, and what is copied from there takes the place of what initdb would make.
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
if [ -e "$folder/origin" ] && ! [ -e "$folder/initialised" ]; then
  # Within one file system: so a copy is at any moment in one of two folders that go away.
  mv "$(cat "$folder/origin")" "$folder/data" &&
    cat "$folder/conf" >>"$folder/data/postgresql.conf" &&
    : >"$folder/data/standby.signal" && : >"$folder/initialised" || exit 1
fi
if ! [ -e "$folder/initialised" ]; then
  if [ -e "$folder/like" ]; then
    cp -Rp "$(cat "$folder/like")" "$folder/data" &&
      sed -i "s/ [a-z0-9-]*$/ $(cat "$folder/auth")/; /^#/d" "$folder/data/pg_hba.conf" || exit 1
  else
    "$initdb" --pgdata "$folder/data" --username postgres --pwfile "$folder/password" \
      --auth "$(cat "$folder/auth")" --encoding UTF8 --locale C --no-sync || exit 1
  fi
  if [ -e "$folder/keep-whole" ]; then
    cp -Rp "$folder/data" "$folder/whole" || exit 1
  fi
  cat "$folder/conf" >>"$folder/data/postgresql.conf" &&
    cat "$folder/data/pg_hba.conf" >>"$folder/hba" &&
    mv "$folder/hba" "$folder/data/pg_hba.conf" &&
    rm "$folder/password" || exit 1
  if [ -e "$folder/keep-copy" ]; then
    # Without its WAL, which is a third of it, and comes from the primary.
    mv "$folder/data/pg_wal" "$folder/wal" &&
      cp -Rp "$folder/data" "$folder/copy" &&
      mv "$folder/wal" "$folder/data/pg_wal" &&
      mkdir -m 700 "$folder/copy/pg_wal" || exit 1
  fi
  : >"$folder/initialised"
fi
exec "$@"
'
begin_server() {
  {
    /bin/sh -c "$begin" sh "$folder" "$initdb" "$@" </dev/null >>"$folder/log" 2>&1
    echo "$?" >"$folder/exited"
  } 2>/dev/null &
}

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

# Ends the server where it runs, as a crash does or with an end for its clients.
end_server() {
  within 40 begun
  pid=$(cat "$folder/pid" 2>/dev/null)
  if [ -n "$pid" ] && ! exited; then
    if [ "$1" != crash ]; then
      # TERM ends a shell that still waits for initdb. INT makes a server send its clients away.
      kill -TERM "$pid" 2>/dev/null
      kill -INT "$pid" 2>/dev/null
      within 100 exited
    fi
    # QUIT stops at once and takes the workers along.
    exited || kill -QUIT "$pid" 2>/dev/null
    within 100 exited || { kill -KILL "$pid" 2>/dev/null && within 100 exited; }
  fi
}

begin_server "$@"
# A server that is down for a while has its supervisor all the same: the folder goes away with it.
while read -r word; do
  case $word in
    halt | crash) end_server "$word"; : >"$folder/stopped" ;;
    start) begin_server "$@" ;;
    *) break ;;
  esac
done
end_server "$word"
case $word in
  keep) ;;
  # An initdb that lost its shell may go on writing for a moment.
  *) cd / && within 100 removed ;;
esac

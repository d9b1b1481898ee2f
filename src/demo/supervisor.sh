# Runs a program for as long as the pipe on standard input is open.
# Arguments: a folder for its output and the notes, then its command line.
# Each line on the pipe is the name of a signal for the program. At the end the folder is removed.
folder=$1
shift

# The program takes the inner shell's place, so that the note has the program's process id.
{
  /bin/sh -c 'note=$1; shift; echo $$ >"$note.new"; mv "$note.new" "$note"; exec "$@"' \
    sh "$folder/pid" "$@" </dev/null >"$folder/stdout" 2>"$folder/stderr"
  echo "$?" >"$folder/exited.new"
  mv "$folder/exited.new" "$folder/exited"
} 2>/dev/null &

# The process id, for as long as the program surely has it: not once it has ended, nor when the notes
# are gone, for then somebody else may have that number.
running() {
  [ -d "$folder" ] && ! [ -e "$folder/exited" ] && pid=$(cat "$folder/pid" 2>/dev/null)
}

# Waits up to so many steps of 50 ms for the program to end, or to begin.
within() {
  steps=$1
  shift
  while [ "$steps" -gt 0 ]; do
    "$@" && return 0
    [ -d "$folder" ] || return 1
    sleep 0.05
    steps=$((steps - 1))
  done
  return 1
}
begun() { [ -e "$folder/pid" ] || [ -e "$folder/exited" ]; }
ended() { [ -e "$folder/exited" ]; }

within 200 begun
while read -r signal; do
  running && kill "-$signal" "$pid" 2>/dev/null
done

running && kill -TERM "$pid" 2>/dev/null
# One that stands still takes no other signal.
running && kill -CONT "$pid" 2>/dev/null
within 200 ended || { running && kill -KILL "$pid" 2>/dev/null; }
within 200 ended
cd / && rm -rf "$folder"

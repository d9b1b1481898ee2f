-- What psql can do from its version 16 on.
\set VERBOSITY sqlstate
SELECT $1 || 'b', $2::int + 1 \bind 'a' 41 \g
SELECT 1/$1::int \bind 0 \g
DELETE FROM item WHERE id = $1 \bind 1 \g
SELECT 'usable' \bind \g
\drg

COPY item_view TO STDOUT
COPY item_view (loud) TO STDOUT
COPY item_total TO STDOUT
COPY parted TO STDOUT
COPY parted (k) TO STDOUT CSV
COPY counter TO STDOUT
COPY item_name TO STDOUT
COPY no_such_table TO STDOUT
COPY no_such_schema.item TO STDOUT
COPY item (no_such_column) TO STDOUT
COPY item (id, id) TO STDOUT
COPY item (ctid) TO STDOUT
COPY item (item) TO STDOUT
COPY item (lower) TO STDOUT
COPY computed (twice) TO STDOUT
COPY item (id) TO STDOUT (FORMAT csv, FORCE_QUOTE (name))
COPY item (id) TO STDOUT (FORMAT csv, FORCE_QUOTE (no_such_column))
COPY item TO STDOUT (FORMAT binary, HEADER)
COPY item TO STDOUT (FORMAT csv, FORMAT csv)
COPY item TO STDOUT (NO_SUCH_OPTION)
COPY item TO STDOUT (ENCODING 'no such encoding')
COPY "Mixed Case" ("Übung") TO STDOUT (ENCODING 'LATIN1')
BEGIN
COPY item_view TO STDOUT
COPY item TO STDOUT
ROLLBACK
SELECT 1

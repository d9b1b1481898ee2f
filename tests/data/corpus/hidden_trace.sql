-- What traces there are of a statement of hidden.sql: asked by a superuser in the transaction of that statement.
SELECT concat_ws(',',
  CASE WHEN EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                     WHERE l.locktype = 'advisory' AND d.datname = current_database()) THEN 'lock' END,
  CASE WHEN current_setting('hidden.trace', true) = 'seen' THEN 'setting' END,
  CASE WHEN EXISTS (SELECT FROM pg_largeobject_metadata) THEN 'object' END,
  CASE WHEN txid_current_if_assigned() IS NOT NULL THEN 'xid' END,
  CASE WHEN (SELECT is_called FROM hidden.numbers) THEN 'sequence' END,
  -- Of its own: a copy beside it exports some as well.
  CASE WHEN EXISTS (SELECT FROM pg_ls_dir('pg_snapshots') AS f WHERE f LIKE
    (SELECT upper(lpad(to_hex(split_part(virtualtransaction, '/', 1)::int8), 8, '0')) || '-%'
       FROM pg_locks WHERE pid = pg_backend_pid() LIMIT 1)) THEN 'snapshot' END,
  CASE WHEN (pg_stat_file('hidden_effect', true)).size IS NOT NULL THEN 'file' END,
  CASE WHEN clock_timestamp() - now() > '140 ms' THEN 'time' END)

-- Tables full of NULLs, rows without partners and equal values.
CREATE TABLE parents (id int PRIMARY KEY, code int NOT NULL UNIQUE, maybe int UNIQUE, name text, v int);
CREATE TABLE children (id int PRIMARY KEY, pid int REFERENCES parents, code int, name text, v int);
CREATE TABLE details (cid int, n int, pid int, name text, code int, PRIMARY KEY (cid, n));
INSERT INTO parents SELECT i, 10 - i, nullif(i % 7, 3) , (ARRAY['a', 'b', NULL])[i % 3 + 1], i % 3
  FROM generate_series(1, 6) i;
INSERT INTO children SELECT i, nullif(i % 8, 7) % 6 + nullif(i % 8, 0) * 0 + 1, nullif(i % 11, 4),
  (ARRAY['a', 'x', NULL, 'y'])[i % 4 + 1], nullif(i % 4, 3) FROM generate_series(1, 24) i;
INSERT INTO details SELECT i / 2, i % 2, nullif(i % 9, 5), (ARRAY['a', 'z', NULL])[i % 3 + 1], nullif(i % 10, 2)
  FROM generate_series(1, 60) i;

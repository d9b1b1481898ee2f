-- The key of a partitioned table is a condition of the partitions at every level.
CREATE FUNCTION same(integer, integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE
  SECURITY DEFINER AS 'BEGIN PERFORM pg_advisory_lock(1); RETURN $1; END';
CREATE TABLE proved (a integer, CHECK (a > same(1, 1)));
CREATE TABLE root (a integer, b integer) PARTITION BY LIST ((a + same(1, 1)));
CREATE TABLE branch PARTITION OF root FOR VALUES IN (1) PARTITION BY LIST (b);
CREATE TABLE leaf PARTITION OF branch FOR VALUES IN (1, 2);
CREATE TABLE unproved (a integer, CHECK (a > 1));

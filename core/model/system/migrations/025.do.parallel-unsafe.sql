-- These functions catch errors, for which they open a sub-transaction. PostgreSQL 14 refuses one
-- in a query that runs in parallel, so such a query would fail on large tables.
ALTER FUNCTION system_json_of(text) PARALLEL UNSAFE;
ALTER FUNCTION system_moment_of(text) PARALLEL UNSAFE;

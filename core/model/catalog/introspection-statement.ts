/**
 * The statement that describes a database: each table of the served schemas and each row of
 * metadata as one JSON text, in one round trip. `introspect.ts` reads its result.
 */
import { type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '../system/system-table.ts';

/** The served schemas in order; one that does not exist is missing. */
export function servedSchemas(schemas: readonly string[]): Sql {
  return sql`
    SELECT n.oid, n.nspname, wanted.ordinal, has_schema_privilege(n.oid, 'USAGE') AS usable
    FROM unnest(${schemas}::text[]) WITH ORDINALITY AS wanted (name, ordinal)
    JOIN pg_namespace n ON n.nspname = wanted.name`;
}

/**
 * Tables and views of the schemas in `served`, without partitions and without those of extensions.
 */
export const RELATIONS = sql`
  SELECT c.oid, s.nspname, s.ordinal, s.usable, c.relname, c.relkind, c.reltuples,
    c.relkind IN ('r', 'p') AND c.relhasrules AS ruled,
    s.usable AND has_table_privilege(c.oid, 'SELECT') AS readable
  FROM pg_class c JOIN served s ON s.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND NOT EXISTS (
      SELECT FROM pg_depend e
      WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.objsubid = 0
        AND e.deptype = 'e')`;

/** Each domain with its base type. */
const DOMAIN_CHAIN = sql`
  SELECT t.oid, t.typbasetype AS base, t.typtypmod AS modifier, t.typnotnull AS required
  FROM pg_type t WHERE t.typtype = 'd'
  UNION ALL
  SELECT d.oid, t.typbasetype, t.typtypmod, d.required OR t.typnotnull
  FROM domain_chain d JOIN pg_type t ON t.oid = d.base AND t.typtype = 'd'`;

const OWNED_SEQUENCES = sql`
  SELECT d.refobjid AS relation, d.refobjsubid AS position,
    json_build_array(n.nspname, q.relname) AS name
  FROM pg_depend d
  JOIN pg_class q ON q.oid = d.objid AND q.relkind = 'S'
  JOIN pg_namespace n ON n.oid = q.relnamespace
  JOIN relation r ON r.oid = d.refobjid
  WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
    AND d.refobjsubid > 0 AND d.deptype IN ('a', 'i')`;

/** The length or precision of a type modifier (pg_type's typmodout functions). */
const MAX_LENGTH = sql`
  CASE WHEN v.modifier < 0 THEN NULL
    WHEN t.typname IN ('varchar', 'bpchar') THEN v.modifier - 4
    WHEN t.typname IN ('bit', 'varbit') THEN v.modifier END`;
const PRECISION = sql`
  CASE t.typname WHEN 'int2' THEN 16 WHEN 'int4' THEN 32 WHEN 'int8' THEN 64
    WHEN 'float4' THEN 24 WHEN 'float8' THEN 53
    WHEN 'numeric' THEN CASE WHEN v.modifier >= 4 THEN ((v.modifier - 4) >> 16) & 65535 END END`;
const SCALE = sql`
  CASE WHEN t.typname IN ('int2', 'int4', 'int8') THEN 0
    WHEN t.typname = 'numeric' AND v.modifier >= 4
      THEN ((((v.modifier - 4) & 2047) # 1024) - 1024) END`;

/** Only readable columns. */
const COLUMNS = sql`
  SELECT a.attrelid AS relation, json_agg(json_build_object(
    'name', a.attname,
    'position', a.attnum,
    'typeName', t.typname,
    'typeSchema', tn.nspname,
    'typeText', format_type(a.atttypid, a.atttypmod),
    'typeKind', t.typtype,
    'elementType', e.typname,
    'domain', CASE WHEN d.oid IS NOT NULL THEN format_type(a.atttypid, NULL) END,
    'enumValues', enums.labels,
    'nullable', NOT (a.attnotnull OR coalesce(d.required, false)),
    'defaultExpression', CASE WHEN a.attgenerated = ''
      THEN coalesce(pg_get_expr(f.adbin, f.adrelid), pg_get_expr(own.typdefaultbin, 0)) END,
    'generatedExpression', CASE WHEN a.attgenerated <> ''
      THEN pg_get_expr(f.adbin, f.adrelid) END,
    'identity', CASE a.attidentity WHEN 'a' THEN 'always' WHEN 'd' THEN 'by default' END,
    'sequence', q.name,
    'maxLength', ${MAX_LENGTH},
    'numericPrecision', ${PRECISION},
    'numericScale', ${SCALE},
    'comment', c.description
  ) ORDER BY a.attnum) AS list
  FROM relation r
  JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type own ON own.oid = a.atttypid
  LEFT JOIN domain d ON d.oid = a.atttypid
  CROSS JOIN LATERAL (
    SELECT coalesce(d.base, a.atttypid) AS type, coalesce(d.modifier, a.atttypmod) AS modifier) v
  JOIN pg_type t ON t.oid = v.type
  JOIN pg_namespace tn ON tn.oid = t.typnamespace
  LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
  LEFT JOIN enums ON enums.type = t.oid
  LEFT JOIN pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
  LEFT JOIN owned_sequence q ON q.relation = a.attrelid AND q.position = a.attnum
  LEFT JOIN pg_description c ON c.classoid = 'pg_class'::regclass
    AND c.objoid = a.attrelid AND c.objsubid = a.attnum
  WHERE r.usable AND (r.readable OR has_column_privilege(r.oid, a.attnum, 'SELECT'))
  GROUP BY a.attrelid`;

/** Column names for an array of column numbers, in its order. */
function columnNames(relation: Sql, numbers: Sql): Sql {
  return sql`(
    SELECT json_agg(a.attname ORDER BY k.ordinal)
    FROM unnest(${numbers}) WITH ORDINALITY AS k (number, ordinal)
    JOIN pg_attribute a ON a.attrelid = ${relation} AND a.attnum = k.number)`;
}

function action(column: Sql): Sql {
  return sql`CASE ${column} WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE'
    WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' ELSE 'NO ACTION' END`;
}

/** One row per constraint, without the foreign keys that PostgreSQL adds for partitions. */
const CONSTRAINTS = sql`
  SELECT c.conrelid AS relation, c.contype AS kind, c.conname AS name,
    CASE c.contype
      WHEN 'p' THEN ${columnNames(sql`c.conrelid`, sql`c.conkey`)}
      WHEN 'u' THEN json_build_object('name', c.conname,
        'columns', ${columnNames(sql`c.conrelid`, sql`c.conkey`)})
      WHEN 'c' THEN json_build_object('name', c.conname,
        'expression', pg_get_expr(c.conbin, c.conrelid))
      ELSE json_build_object('name', c.conname,
        'columns', ${columnNames(sql`c.conrelid`, sql`c.conkey`)},
        'targetSchema', fn.nspname, 'targetTable', f.relname,
        'targetColumns', ${columnNames(sql`c.confrelid`, sql`c.confkey`)},
        'onDelete', ${action(sql`c.confdeltype`)}, 'onUpdate', ${action(sql`c.confupdtype`)})
    END AS body
  FROM relation r JOIN pg_constraint c ON c.conrelid = r.oid
  LEFT JOIN pg_class f ON f.oid = c.confrelid
  LEFT JOIN pg_namespace fn ON fn.oid = f.relnamespace
  WHERE c.contype IN ('p', 'u', 'c', 'f') AND c.conparentid = 0`;

const CONSTRAINT_LISTS = sql`
  SELECT relation,
    json_agg(body) FILTER (WHERE kind = 'p') -> 0 AS primary_key,
    json_agg(body ORDER BY name) FILTER (WHERE kind = 'u') AS uniques,
    json_agg(body ORDER BY name) FILTER (WHERE kind = 'c') AS checks,
    json_agg(body ORDER BY name) FILTER (WHERE kind = 'f') AS foreign_keys
  FROM constraints GROUP BY relation`;

const INDEXES = sql`
  SELECT i.indrelid AS relation, json_agg(json_build_object(
    'name', c.relname,
    'columns', (
      SELECT json_agg(a.attname ORDER BY k.ordinal)
      FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, ordinal)
      LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number AND k.number > 0
      WHERE k.ordinal <= i.indnkeyatts),
    'unique', i.indisunique,
    'method', m.amname,
    'partial', i.indpred IS NOT NULL,
    'valid', i.indisvalid
  ) ORDER BY c.relname) AS list
  FROM relation r
  JOIN pg_index i ON i.indrelid = r.oid
  JOIN pg_class c ON c.oid = i.indexrelid
  JOIN pg_am m ON m.oid = c.relam
  GROUP BY i.indrelid`;

/** The planner's estimate as an order of magnitude, so that ANALYZE rarely changes it. */
export const ESTIMATED_ROWS = sql`
  CASE WHEN r.reltuples < 0 THEN -1 WHEN r.reltuples < 1 THEN 0
    ELSE power(10, floor(log(r.reltuples)))::bigint END`;

const TABLES = sql`
  SELECT 'table' AS part, r.ordinal, json_build_object(
    'oid', r.oid::text,
    'schema', r.nspname,
    'name', r.relname,
    'kind', CASE r.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned' WHEN 'v' THEN 'view'
      WHEN 'm' THEN 'materialized view' ELSE 'foreign table' END,
    'comment', obj_description(r.oid, 'pg_class'),
    'columns', coalesce(columns.list, '[]'),
    'primaryKey', k.primary_key,
    'uniques', coalesce(k.uniques, '[]'),
    'indexes', coalesce(indexes.list, '[]'),
    'checks', coalesce(k.checks, '[]'),
    'foreignKeys', coalesce(k.foreign_keys, '[]'),
    'userTriggers', r.ruled OR EXISTS (
      SELECT FROM pg_trigger g
      WHERE g.tgrelid = r.oid AND NOT g.tgisinternal AND g.tgname NOT LIKE 'system\\_count\\_change%'
        AND g.tgname <> 'system_end_user_sessions'),
    'estimatedRows', ${ESTIMATED_ROWS},
    'readable', r.readable
  )::text AS body
  FROM relation r
  LEFT JOIN columns ON columns.relation = r.oid
  LEFT JOIN constraint_lists k ON k.relation = r.oid
  LEFT JOIN indexes ON indexes.relation = r.oid`;

/** A condition on a name; null for all. */
export function nameCondition(column: Sql, names: readonly string[] | null): Sql {
  return names === null ? sql`true` : sql`${column} = ANY (${names}::text[])`;
}

/**
 * Rows of `part`, `ordinal` and `body`: a `table` for each table with the position of its schema, a
 * `schema` for each that exists, and the rows of `collection`, `field` and `relation` metadata. The
 * session's search_path determines how expressions and types are qualified.
 * @param names of the tables and collections to describe; null for all
 */
export function introspection(
  schemas: readonly string[],
  system: string,
  names: readonly string[] | null,
): Sql {
  const metadata = (table: string, column: Sql) =>
    sql`row_to_json(m)::text FROM ${systemTable(system, table)} m WHERE ${nameCondition(column, names)}`;
  return sql`
    WITH RECURSIVE served AS MATERIALIZED (${servedSchemas(schemas)}),
      relation AS MATERIALIZED (${RELATIONS} AND ${nameCondition(sql`c.relname`, names)}),
      domain_chain AS (${DOMAIN_CHAIN}),
      domain AS (
        SELECT d.* FROM domain_chain d JOIN pg_type t ON t.oid = d.base AND t.typtype <> 'd'),
      enums AS (
        SELECT enumtypid AS type, json_agg(enumlabel ORDER BY enumsortorder) AS labels
        FROM pg_enum GROUP BY enumtypid),
      owned_sequence AS (${OWNED_SEQUENCES}),
      columns AS (${COLUMNS}),
      constraints AS (${CONSTRAINTS}),
      constraint_lists AS (${CONSTRAINT_LISTS}),
      indexes AS (${INDEXES})
    (${TABLES})
    UNION ALL SELECT 'schema', ordinal, json_build_object('name', nspname)::text FROM served
    UNION ALL SELECT 'collection', 0, ${metadata('collections', sql`collection`)}
    UNION ALL SELECT 'field', 0, ${metadata('fields', sql`collection`)}
    UNION ALL SELECT 'relation', 0, ${metadata('relations', sql`many_collection`)}`;
}

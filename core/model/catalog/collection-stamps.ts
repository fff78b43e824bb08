/**
 * Computes a stamp for each collection that changes whenever its description would change, so that
 * only changed collections are described.
 */
import type { Client } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '../system/system-table.ts';
import { compareText } from './canonical-text.ts';
import type { CatalogSchemas } from './catalog.ts';
import { FIRST_USER_OID, STAMP } from './database-stamp.ts';
import {
  ESTIMATED_ROWS,
  nameCondition,
  RELATIONS,
  servedSchemas,
} from './introspection-statement.ts';
import { readsWholeCatalogs, withoutNestedLoops } from './planner-settings.ts';
import type { CandidateTable } from './select-served-tables.ts';

/** The tables and views to survey. */
const SURVEYED = sql`(SELECT oid FROM relation)`;

/** Stamps of the rows of one PostgreSQL catalog, by table. */
function rowsOf(catalog: Sql, column: Sql, condition: Sql): Sql {
  return sql`SELECT x.${column} AS relation, ${STAMP} AS stamp FROM ${catalog} x
    WHERE x.${column} IN ${SURVEYED} AND ${condition} GROUP BY 1`;
}

/** Columns, with their user-defined types. */
const ATTRIBUTES = sql`
  SELECT x.attrelid AS relation, ${STAMP} AS stamp,
    count(*) FILTER (WHERE NOT x.attisdropped) AS width,
    array_agg(DISTINCT x.atttypid) FILTER (WHERE x.atttypid >= ${FIRST_USER_OID}) AS types
  FROM pg_attribute x WHERE x.attrelid IN ${SURVEYED} AND x.attnum > 0 GROUP BY 1`;

/** Each used type with its component types: the base of a domain, the element of an array. */
const TYPE_PARTS = sql`
  SELECT DISTINCT u.type AS root, u.type AS part
  FROM attribute CROSS JOIN unnest(attribute.types) AS u (type)
  UNION
  SELECT p.root, n.part FROM type_part p JOIN pg_type t ON t.oid = p.part
  CROSS JOIN LATERAL (VALUES (t.typbasetype), (t.typelem)) AS n (part)
  WHERE n.part >= ${FIRST_USER_OID}`;

/** The names that appear in a deparsed expression. */
const IDENTITIES = sql`sum(hashtextextended(
  (pg_identify_object(d.refclassid, d.refobjid, 0)).identity, 0))`;

const TYPES = sql`
  SELECT p.root, sum(hashtextextended(concat(
      t.oid, ' ', t.xmin, ' ', t.typname, ' ', n.nspname, ' ', e.stamp, ' ', (
        SELECT ${IDENTITIES} FROM pg_depend d
        WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.refobjid >= ${FIRST_USER_OID})
    ), 0)) AS stamp
  FROM type_part p JOIN pg_type t ON t.oid = p.part JOIN pg_namespace n ON n.oid = t.typnamespace
  LEFT JOIN (SELECT x.enumtypid, ${STAMP} AS stamp FROM pg_enum x GROUP BY 1) e
    ON e.enumtypid = t.oid
  GROUP BY 1`;

const TYPE_USES = sql`
  SELECT a.relation, sum(t.stamp) AS stamp
  FROM attribute a CROSS JOIN unnest(a.types) AS u (type) JOIN type t ON t.root = u.type GROUP BY 1`;

/** Defaults, generated columns and checks contain names of functions, types and sequences. */
const EXPRESSIONS = sql`
  SELECT e.relation, ${IDENTITIES} AS stamp
  FROM (
    SELECT 'pg_attrdef'::regclass AS class, f.oid, f.adrelid AS relation FROM pg_attrdef f
    WHERE f.adrelid IN ${SURVEYED}
    UNION ALL
    SELECT 'pg_constraint'::regclass, c.oid, c.conrelid FROM pg_constraint c
    WHERE c.conrelid IN ${SURVEYED} AND c.contype = 'c'
  ) e
  JOIN pg_depend d ON d.classid = e.class AND d.objid = e.oid AND d.refobjid >= ${FIRST_USER_OID}
    AND d.refobjid <> e.relation
  GROUP BY 1`;

/** A stamp of the foreign keys of each table: a hash of the names of target tables and columns. */
const REFERENCES = sql`
  SELECT c.conrelid AS relation, sum(hashtextextended(concat(n.nspname, ' ', f.relname, ' ', (
      SELECT array_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
      WHERE a.attrelid = c.confrelid AND a.attnum = ANY (c.confkey))), 0)) AS stamp
  FROM pg_constraint c JOIN pg_class f ON f.oid = c.confrelid
  JOIN pg_namespace n ON n.oid = f.relnamespace
  WHERE c.conrelid IN ${SURVEYED} AND c.contype = 'f' AND c.conparentid = 0 GROUP BY 1`;

const INDEXES = sql`
  SELECT x.indrelid AS relation, concat(${STAMP}, sum(hashtextextended(c.relname, 0))) AS stamp
  FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
  WHERE x.indrelid IN ${SURVEYED} GROUP BY 1`;

const SEQUENCES = sql`
  SELECT d.refobjid AS relation, sum(hashtextextended(
    concat(d.refobjsubid, ' ', n.nspname, ' ', q.relname), 0)) AS stamp
  FROM pg_depend d JOIN pg_class q ON q.oid = d.objid AND q.relkind = 'S'
  JOIN pg_namespace n ON n.oid = q.relnamespace
  WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
    AND d.refobjid IN ${SURVEYED} AND d.refobjsubid > 0 AND d.deptype IN ('a', 'i') GROUP BY 1`;

/** The readable columns of a table that is not readable as a whole. */
const READABLE_COLUMNS = sql`
  SELECT count(*) AS width, array_agg(a.attnum ORDER BY a.attnum) AS numbers FROM pg_attribute a
  WHERE r.usable AND NOT r.readable AND a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
    AND has_column_privilege(r.oid, a.attnum, 'SELECT')`;

/** The origin of a table's description, without the row estimate. */
const FACTS = sql`concat(r.oid, ' ', r.nspname, ' ', r.relname, ' ', r.relkind, ' ', r.readable,
  ' ', r.ruled, ' ', seen.numbers, ' ', a.stamp, ' ', t.stamp, ' ', f.stamp, ' ', e.stamp, ' ', c.stamp, ' ',
  k.stamp, ' ', i.stamp, ' ', q.stamp, ' ', g.stamp, ' ', d.stamp)`;

/** One row per table, and one without a name per existing schema. */
function tableSurvey(schemas: readonly string[], names: readonly string[] | null): Sql {
  return sql`
    WITH RECURSIVE served AS MATERIALIZED (${servedSchemas(schemas)}),
      relation AS MATERIALIZED (${RELATIONS} AND ${nameCondition(sql`c.relname`, names)}),
      attribute AS MATERIALIZED (${ATTRIBUTES}),
      type_part AS (${TYPE_PARTS}),
      type AS (${TYPES}),
      type_use AS (${TYPE_USES}),
      attrdef AS (${rowsOf(sql`pg_attrdef`, sql`adrelid`, sql`true`)}),
      expression AS (${EXPRESSIONS}),
      constraint_row AS (${rowsOf(sql`pg_constraint`, sql`conrelid`, sql`true`)}),
      reference AS (${REFERENCES}),
      index_row AS (${INDEXES}),
      sequence AS (${SEQUENCES}),
      trigger_row AS (${rowsOf(sql`pg_trigger`, sql`tgrelid`, sql`NOT x.tgisinternal`)}),
      description AS (
        ${rowsOf(sql`pg_description`, sql`objoid`, sql`x.classoid = 'pg_class'::regclass`)})
    SELECT r.ordinal, r.nspname AS schema, r.relname AS name, r.oid::text, r.readable,
      CASE WHEN r.readable THEN coalesce(a.width, 0) ELSE seen.width END::int AS width,
      concat(hashtextextended(${FACTS}, 0), '.', hashtextextended(${FACTS}, 1)) AS stamp,
      ${ESTIMATED_ROWS}::text AS estimate
    FROM relation r CROSS JOIN LATERAL (${READABLE_COLUMNS}) AS seen
    LEFT JOIN attribute a ON a.relation = r.oid
    LEFT JOIN type_use t ON t.relation = r.oid
    LEFT JOIN attrdef f ON f.relation = r.oid
    LEFT JOIN expression e ON e.relation = r.oid
    LEFT JOIN constraint_row c ON c.relation = r.oid
    LEFT JOIN reference k ON k.relation = r.oid
    LEFT JOIN index_row i ON i.relation = r.oid
    LEFT JOIN sequence q ON q.relation = r.oid
    LEFT JOIN trigger_row g ON g.relation = r.oid
    LEFT JOIN description d ON d.relation = r.oid
    UNION ALL SELECT ordinal, nspname, NULL, NULL, NULL, NULL, NULL, NULL FROM served`;
}

/** One row per collection with metadata. */
export function metadataSurvey(system: string): Sql {
  const part = (table: string, column: Sql) =>
    sql`SELECT ${table}::text AS part, x.${column}::text AS collection, ${STAMP} AS stamp
      FROM ${systemTable(system, table)} x GROUP BY 2`;
  return sql`
    SELECT collection, string_agg(concat(part, ' ', stamp), ' ' ORDER BY part) AS stamp,
      bool_or(part = 'collections') AS described, bool_or(part = 'relations') AS related
    FROM (
      ${part('collections', sql`collection`)}
      UNION ALL ${part('fields', sql`collection`)}
      UNION ALL ${part('relations', sql`many_collection`)}) AS parts
    GROUP BY 1`;
}

/** A table with its stamps. */
export interface SeenTable extends CandidateTable {
  readonly oid: string;
  readonly stamp: string;
  /** The stamp of its row estimate; a change of this alone publishes nothing. */
  readonly estimate: string;
}

export interface Survey {
  /** By the position of their schema, then by name. */
  readonly tables: readonly SeenTable[];
  /** The schemas that exist. */
  readonly schemas: ReadonlySet<string>;
  /** Stamps of the metadata by collection. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Collections with a row in system_collections, by name. */
  readonly described: readonly string[];
  /** Collections with recorded relations. */
  readonly related: readonly string[];
}

interface TableRow {
  readonly ordinal: string;
  readonly schema: string;
  readonly name: string | null;
  readonly oid: string;
  readonly readable: boolean;
  readonly width: number;
  readonly stamp: string;
  readonly estimate: string;
}

interface MetadataRow {
  readonly collection: string;
  readonly stamp: string;
  readonly described: boolean;
  readonly related: boolean;
}

/**
 * Computes the stamps of all tables, or of some names. A description read later is never older than
 * its stamp.
 */
export async function surveyTables(
  client: Client,
  schemas: readonly string[],
  names: readonly string[] | null,
): Promise<Pick<Survey, 'tables' | 'schemas'>> {
  const ask = () => client.query<TableRow>(render(tableSurvey(schemas, names)));
  const { rows } = readsWholeCatalogs(names) ? await withoutNestedLoops(client, ask) : await ask();
  return {
    tables: rows
      .sort(
        (a, b) => Number(a.ordinal) - Number(b.ordinal) || compareText(a.name ?? '', b.name ?? ''),
      )
      .flatMap(({ ordinal: _, name, ...table }) => (name === null ? [] : [{ ...table, name }])),
    schemas: new Set(rows.map(({ schema }) => schema)),
  };
}

/** {@link surveyTables}, and the stamps of all metadata, or of some names. */
export async function survey(
  client: Client,
  { schemas, system }: CatalogSchemas,
  names: readonly string[] | null,
): Promise<Survey> {
  const found = await surveyTables(client, schemas, names);
  const metadata = await client.query<MetadataRow>(
    render(sql`SELECT * FROM (${metadataSurvey(system)}) AS m
      WHERE ${nameCondition(sql`collection`, names)}`),
  );
  const collections = (wanted: (row: MetadataRow) => boolean) =>
    metadata.rows.filter(wanted).map(({ collection }) => collection);
  return {
    ...found,
    metadata: new Map(metadata.rows.map(({ collection, stamp }) => [collection, stamp])),
    described: collections((row) => row.described).sort(compareText),
    related: collections((row) => row.related),
  };
}

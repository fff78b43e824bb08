/** Puts a world into a PostgreSQL schema of its own and opens the catalog over it. */
import type { Pool, PoolClient } from 'pg';
import { pino } from 'pino';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool } from '#core/database/pool.ts';
import { quote } from '#core/database/sql.ts';
import { buildCatalog } from '#core/model/catalog/build-catalog.ts';
import { buildDescriptors } from '#core/model/catalog/build-descriptors.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { introspect } from '#core/model/catalog/introspect.ts';
import { migrate } from '#core/model/system/migrate.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { type Column, ENUM_VALUES, type Json, type Table, type World } from './model.ts';

/** Connections to a fresh database, with the sessions that the service reads with. */
export async function openPool(t: Teardown): Promise<Pool> {
  const url = await createDatabase(t);
  const config = loadConfig({});
  await migrate(config, url);
  const log = pino({ level: 'silent' });
  const pool = createPool(config, url, log, { name: 'property', max: 4, statementTimeout: 0 });
  t.teardown(() => pool.end());
  return pool;
}

function tableSql(schema: string, { name, columns, key }: Table): string {
  const lines = columns.map((column) => {
    const type = column.type === 'enum' ? `${schema}.level` : column.sqlType;
    return `${quote(column.name)} ${type}${column.nullable ? '' : ' NOT NULL'}`;
  });
  if (key.length > 0) lines.push(`PRIMARY KEY (${key.map(quote).join(', ')})`);
  return `CREATE TABLE ${schema}.${quote(name)} (${lines.join(', ')})`;
}

/** The tables, and those of the metadata beside them. */
function schemaSql(schema: string, world: World): string {
  const statements = [
    `CREATE SCHEMA ${schema}`,
    `CREATE TYPE ${schema}.level AS ENUM (${ENUM_VALUES.map((value) => `'${value}'`).join(', ')})`,
    ...world.tables.map((table) => tableSql(schema, table)),
    ...['collections', 'fields', 'relations'].map(
      (name) => `CREATE TABLE ${schema}.system_${name} (LIKE public.system_${name} INCLUDING ALL)`,
    ),
  ];
  return statements.join(';\n');
}

/** Foreign keys come after the rows, which may refer to each other. */
function foreignKeySql(schema: string, world: World): string {
  const statements = world.relations.flatMap((relation, index) => {
    if (relation.kind !== 'm2o') return [];
    const table = `${schema}.${quote(relation.table)}`;
    const columns = relation.columns.map(quote).join(', ');
    const isIndexed = world.indexed === 'some' ? index % 2 === 0 : world.indexed === 'all';
    const indexed = isIndexed ? [`CREATE INDEX ON ${table} (${columns})`] : [];
    if (!relation.constrained) return indexed;
    const target = `${schema}.${quote(relation.target)}`;
    const targetColumns = relation.targetColumns.map(quote).join(', ');
    const name = relation.columns.length > 1 ? `CONSTRAINT ${quote(relation.field)} ` : '';
    const key = `FOREIGN KEY (${columns}) REFERENCES ${target} (${targetColumns})`;
    return [...indexed, `ALTER TABLE ${table} ADD ${name}${key}`];
  });
  return statements.join(';\n');
}

async function insert(client: PoolClient, table: string, rows: readonly unknown[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(Object(rows[0])).map(quote).join(', ');
  await client.query(
    `INSERT INTO ${table} (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`,
    [JSON.stringify(rows)],
  );
}

const SPECIALS: Readonly<Record<string, string>> = {
  csv: 'cast-csv',
  hash: 'hash',
  secret: 'conceal',
};

/** What the database keeps of a value: secrets are made up here, because rows know only masks. */
export function stored({ type, sqlType }: Column, value: Json, nonce: number): Json {
  if (value === null) return null;
  if (type === 'csv' && Array.isArray(value)) return value.join(',');
  if (type !== 'hash' && type !== 'secret') return value;
  if (sqlType === 'date') return `2001-01-${10 + (nonce % 20)}`;
  return sqlType === 'integer' ? nonce : `secret ${nonce}`;
}

/** The rows as the database keeps them. */
function storedRows({ columns, rows }: Table): readonly unknown[] {
  return rows.map((row, index) =>
    Object.fromEntries(
      columns.map((column) => [column.name, stored(column, row[column.name] ?? null, index)]),
    ),
  );
}

/** The rows of the metadata by their tables' names. */
function metadata(world: World): readonly (readonly [string, readonly unknown[]])[] {
  const collections = world.tables
    .filter(({ sortField }) => sortField !== null)
    .map(({ name, sortField }) => ({ collection: name, sort_field: sortField }));
  const fields = world.tables.flatMap(({ name, columns }) =>
    columns
      .filter(({ searchable, type }) => !searchable || type in SPECIALS)
      .map((column) => ({
        collection: name,
        field: column.name,
        searchable: column.searchable,
        special: SPECIALS[column.type] ?? null,
      })),
  );
  const lists = world.relations.flatMap((relation) =>
    'child' in relation && relation.listed
      ? [{ collection: relation.table, field: relation.field, special: relation.kind }]
      : [],
  );
  return [
    ['system_collections', collections],
    ['system_fields', fields],
    ['system_fields', lists],
    ['system_relations', world.records],
  ];
}

/** Makes the schema with its rows, and what a process would make of it. */
export async function install(pool: Pool, schema: string, world: World): Promise<Catalog> {
  const client = await pool.connect();
  try {
    await client.query(`BEGIN; ${schemaSql(schema, world)}`);
    for (const table of world.tables) {
      await insert(client, `${schema}.${quote(table.name)}`, storedRows(table));
    }
    for (const [name, rows] of metadata(world)) await insert(client, `${schema}.${name}`, rows);
    await client.query(foreignKeySql(schema, world));
    await client.query('SET LOCAL search_path = pg_catalog');
    const found = await introspect(client, [schema], schema);
    await client.query('COMMIT');
    const { collections, leftOut } = buildDescriptors(found, [schema], schema);
    return await buildCatalog({ version: 1, collections, leftOut });
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/**
 * Creates, replaces and drops foreign keys, and checks beforehand whether one is possible.
 * Independent of metadata.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { ColumnDescriptor, ReferentialAction } from '#core/model/catalog/descriptor.ts';
import type { Alteration, LockMode, TableLock, TableName } from '../schema-change-context.ts';
import type { RelationAddress } from './relation-meta.ts';

/** A new foreign key; the columns of both sides are in the same order. */
export interface ForeignKeyRequest {
  readonly name: string;
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly target: TableName;
  readonly targetColumns: readonly string[];
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
}

/** Properties of a foreign key besides columns and actions. */
interface Manner {
  readonly full: boolean;
  readonly deferrable: boolean;
  readonly deferred: boolean;
}

const PLAIN: Manner = { full: false, deferrable: false, deferred: false };

/** Maximum number of unmatched values in the error. */
const NAMED = 10;

function tableOf({ schema, name }: TableName): Sql {
  return identifier(schema, name);
}

function columnList(columns: readonly string[]): Sql {
  return join(columns.map((column) => identifier(column)));
}

/** The clause of an action; its words are fixed by its type, so they need no quoting. */
function action(event: 'DELETE' | 'UPDATE', what: ReferentialAction): Sql[] {
  return what === 'NO ACTION' ? [] : [raw(`ON ${event} ${what}`)];
}

function addition(key: ForeignKeyRequest, { full, deferrable, deferred }: Manner): Sql {
  const clauses = [
    sql`ADD CONSTRAINT ${identifier(key.name)} FOREIGN KEY (${columnList(key.columns)})`,
    sql`REFERENCES ${tableOf(key.target)} (${columnList(key.targetColumns)})`,
    ...(full ? [raw('MATCH FULL')] : []),
    ...action('DELETE', key.onDelete),
    ...action('UPDATE', key.onUpdate),
    ...(deferrable ? [raw(`DEFERRABLE INITIALLY ${deferred ? 'DEFERRED' : 'IMMEDIATE'}`)] : []),
  ];
  return join(clauses, ' ');
}

/**
 * Locks both tables of a foreign key: creating one excludes writers, dropping one also excludes
 * readers.
 */
export function foreignKeyTables(
  { table, target }: Pick<ForeignKeyRequest, 'table' | 'target'>,
  mode: LockMode,
): TableLock[] {
  return [
    { ...table, mode },
    { ...target, mode },
  ];
}

/** Creates a foreign key; both tables must be locked. */
export function addForeignKey(alteration: Alteration, key: ForeignKeyRequest): Promise<void> {
  return alteration.run(sql`ALTER TABLE ${tableOf(key.table)} ${addition(key, PLAIN)}`);
}

/** Drops a foreign key; both tables must be locked. */
export function dropForeignKey(
  alteration: Alteration,
  { table, name }: Pick<ForeignKeyRequest, 'table' | 'name'>,
): Promise<void> {
  return alteration.run(sql`ALTER TABLE ${tableOf(table)} DROP CONSTRAINT ${identifier(name)}`);
}

/** Changes the actions of a foreign key. */
export async function replaceForeignKey(
  alteration: Alteration,
  key: ForeignKeyRequest,
): Promise<void> {
  const [manner = PLAIN] = await alteration.ask<Manner>(sql`
    SELECT c.confmatchtype = 'f' AS full, c.condeferrable AS deferrable, c.condeferred AS deferred
    FROM pg_constraint AS c JOIN pg_class AS r ON r.oid = c.conrelid
      JOIN pg_namespace AS n ON n.oid = r.relnamespace
    WHERE c.contype = 'f' AND c.conname = ${key.name}::text AND r.relname = ${key.table.name}::text
      AND n.nspname = ${key.table.schema}::text`);
  await alteration.run(
    sql`ALTER TABLE ${tableOf(key.table)} DROP CONSTRAINT ${identifier(key.name)}, ${addition(key, manner)}`,
  );
}

function typeName({ typeSchema, typeName: name }: ColumnDescriptor): string[] {
  return [typeSchema, name];
}

/**
 * Refuses a foreign key between columns that PostgreSQL cannot compare with the key's index.
 * @throws INVALID_PAYLOAD naming both types
 */
export async function refuseIncomparableTypes(
  alteration: Alteration,
  column: ColumnDescriptor,
  target: Collection,
): Promise<void> {
  const [key] = target.primaryKey;
  if (key === undefined || target.table === null) return;
  const [types, keyTypes] = [typeName(column), typeName(key.column)];
  if (types.join('.') === keyTypes.join('.')) return;
  const { schema, name } = target.table;
  // The same decision as PostgreSQL's: an operator of the index's family, or an implicit cast.
  const [{ fits } = { fits: false }] = await alteration.ask<{ fits: boolean }>(sql`
    SELECT EXISTS (
      SELECT FROM pg_index AS i JOIN pg_class AS r ON r.oid = i.indrelid
        JOIN pg_namespace AS n ON n.oid = r.relnamespace
        JOIN pg_opclass AS o ON o.oid = i.indclass[0]
        JOIN pg_type AS t ON t.typname = ${types[1]}::text
        JOIN pg_namespace AS tn ON tn.oid = t.typnamespace AND tn.nspname = ${types[0]}::text
      WHERE n.nspname = ${schema}::text AND r.relname = ${name}::text AND i.indisprimary
        AND (
          EXISTS (SELECT FROM pg_amop AS a WHERE a.amopfamily = o.opcfamily
            AND a.amoplefttype = o.opcintype AND a.amoprighttype = t.oid AND a.amopstrategy = 3)
          OR EXISTS (SELECT FROM pg_cast AS c WHERE c.castsource = t.oid
            AND c.casttarget = o.opcintype AND c.castcontext = 'i'))) AS fits`);
  if (fits) return;
  throw invalidPayload(
    reason('foreign_key_type_differs', {
      name: column.name,
      typeText: column.typeText,
      name2: key.name,
      name3: target.name,
      typeText2: key.column.typeText,
    }),
  );
}

interface Orphans {
  readonly rows: string;
  readonly values: readonly string[] | null;
}

/**
 * Refuses a foreign key while values have no match.
 * @throws INVALID_FOREIGN_KEY with the number of such rows and the first ten values
 */
export async function refuseOrphans(
  alteration: Alteration,
  { collection, field }: RelationAddress,
  { table, target, targetColumns: [key = ''] }: ForeignKeyRequest,
): Promise<void> {
  const value = identifier('m', field);
  const [found] = await alteration.ask<Orphans>(sql`
    WITH lost AS MATERIALIZED (
      SELECT ${value}::text AS value FROM ${tableOf(table)} AS m
      WHERE ${value} IS NOT NULL AND NOT EXISTS (
        SELECT FROM ${tableOf(target)} AS o WHERE ${identifier('o', key)} = ${value}))
    SELECT (SELECT count(*) FROM lost) AS rows,
      (SELECT array_agg(value) FROM (
        SELECT DISTINCT value FROM lost ORDER BY value LIMIT ${NAMED}) AS first) AS values`);
  const values = found?.values ?? [];
  if (found === undefined || values.length === 0) return;
  throw new ServiceError('INVALID_FOREIGN_KEY', {
    collection,
    field,
    value: values[0],
    rows: Number(found.rows),
    values,
    reason: reason('foreign_key_values_without_item', {
      rows: found.rows,
      collection,
      field,
      values: values.join(', '),
      more: Number(found.rows) > values.length ? ', …' : '',
    }),
  });
}

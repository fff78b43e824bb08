/**
 * Changes the type of a column with values. Values that would be lost are counted and reported,
 * before any lock and again under it. They are lost only when the caller accepted that.
 */

import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { identifier, join, literal, raw, render, type Sql, sql } from '#core/database/sql.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { CONCEALED, isConcealed } from '#core/model/catalog/catalog.ts';
import type { TableDescriptor } from '#core/model/catalog/descriptor.ts';
import type { Alteration } from '../schema-change-context.ts';
import { type Conversion, conversionOf, isText, type TargetType } from '../type-conversion.ts';
import { alterTable } from './field.ts';

/** A column and its new type. */
export interface TypeChange {
  readonly collection: Collection;
  readonly table: TableDescriptor;
  readonly field: ColumnField;
  readonly target: TargetType;
}

/** Maximum number of lost values in the report, and maximum characters of each. */
const SHOWN = 10;
const SHOWN_LENGTH = 100;

interface Lost {
  readonly rows: number;
  readonly key: readonly string[];
  readonly value: string;
}

/** A temporary function of this session that returns `failed` for an error. */
async function define(
  { ask }: Alteration,
  name: string,
  { column }: ColumnField,
  { returns, body, failed }: { readonly returns: Sql; readonly body: Sql; readonly failed: Sql },
): Promise<Sql> {
  const call = sql`pg_temp.${identifier(name)}`;
  const text = sql`BEGIN RETURN ${body}; EXCEPTION WHEN others THEN RETURN ${failed}; END`;
  await ask(sql`CREATE OR REPLACE FUNCTION ${call}(v ${bareType(column)}) RETURNS ${returns}
    LANGUAGE plpgsql AS ${literal(render(text).text)}`);
  return call;
}

async function drop({ ask }: Alteration, call: Sql, { column }: ColumnField): Promise<void> {
  await ask(sql`DROP FUNCTION ${call}(${bareType(column)})`);
}

async function findLost(
  alteration: Alteration,
  { collection, table, field }: TypeChange,
  { fits }: Conversion,
): Promise<readonly Lost[]> {
  const column = identifier(field.name);
  const keys = collection.primaryKey.map(({ name }) => identifier(name));
  const call = await define(alteration, 'sluice_fits', field, {
    returns: raw('boolean'),
    body: fits(raw('v')),
    failed: raw('false'),
  });
  const lost = await alteration.ask<Lost>(sql`
    SELECT (count(*) OVER ())::float8 AS rows,
      ARRAY[${join(keys.map((name) => sql`${name}::text`))}]::text[] AS key,
      left(${column}::text, ${SHOWN_LENGTH}::int) AS value
    FROM ${identifier(table.schema, table.name)}
    WHERE ${column} IS NOT NULL AND ${call}(${column}) IS NOT TRUE
    ${keys.length === 0 ? raw('') : sql`ORDER BY ${join(keys)}`} LIMIT ${SHOWN}`);
  await drop(alteration, call, field);
  return lost;
}

function refuse({ collection, field, target }: TypeChange, lost: readonly Lost[]): ServiceError {
  const [{ rows } = { rows: 0 }] = lost;
  const secret = isConcealed(field);
  const values = lost.map(({ key, value }) => ({
    key: key.length > 1 ? key : (key[0] ?? null),
    value: secret ? CONCEALED : value,
  }));
  const items = rows === 1 ? '1 item' : `${rows} items`;
  const why = reason('type_change_loses_values', {
    type: target.type,
    field: field.name,
    collection: collection.name,
    items,
  });
  const place = { collection: collection.name, field: field.name };
  return new ServiceError('UNPROCESSABLE_ENTITY', { ...place, rows, values, reason: why });
}

/**
 * Checks the current values.
 * @returns whether all of them survive
 * @throws UNPROCESSABLE_ENTITY with their number and the first ten, unless the loss is accepted
 */
async function judge(alteration: Alteration, retyping: TypeChange, conversion: Conversion) {
  if (conversion.safe) return true;
  const lost = await findLost(alteration, retyping, conversion);
  if (lost.length > 0 && !alteration.force) throw refuse(retyping, lost);
  return lost.length === 0;
}

/** Refuses a loss early, before the table is locked. */
export async function checkTypeChange(alteration: Alteration, retyping: TypeChange): Promise<void> {
  const conversion = await conversionOf(alteration, retyping.field.column, retyping.target);
  if (!alteration.force) await judge(alteration, retyping, conversion);
}

/** A text column that only gets longer is not rewritten. */
function needsNoConversion({ field, target }: TypeChange): boolean {
  return isText(field.column) && field.column.typeKind === 'b' && target.type !== 'binary'
    ? ['string', 'text', 'csv', 'hash'].includes(target.type)
    : false;
}

/**
 * Changes the type of a column; the table must be locked, and the default dropped.
 * @throws UNPROCESSABLE_ENTITY as {@link checkTypeChange}
 */
export async function changeColumnType(
  alteration: Alteration,
  retyping: TypeChange,
): Promise<void> {
  const { field, table, target } = retyping;
  const conversion = await conversionOf(alteration, field.column, target);
  const whole = await judge(alteration, retyping, conversion);
  const column = identifier(field.name);
  const change = sql`ALTER COLUMN ${column} TYPE ${target.sql}`;
  if (whole) {
    const using = needsNoConversion(retyping) ? raw('') : sql` USING ${conversion.convert(column)}`;
    return await alteration.run(alterTable(table, sql`${change}${using}`));
  }
  const call = await define(alteration, 'sluice_convert', field, {
    returns: target.sql,
    body: conversion.convert(raw('v')),
    failed: raw('NULL'),
  });
  await alteration.run(alterTable(table, sql`${change} USING ${call}(${column})`));
  await drop(alteration, call, field);
}

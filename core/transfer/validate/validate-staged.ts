/**
 * Validates the staged rows like the same rows sent one by one: by the caller's permissions, and by
 * the validations of permissions and fields. PostgreSQL finds the valid rows; the payload
 * validation checks each other row, and reports its faults.
 */

import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { forbidden, ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { Key } from '#core/query/key.ts';
import { checkCreation, checkUpdates } from '#core/write/check-permissions.ts';
import type { Item } from '#core/write/payload.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import { sameKey } from '../copy/merge-expressions.ts';
import type { Staged } from '../copy/staging-table.ts';
import { displayValue, type RowFault } from '../file/row-fault.ts';
import type { ImportRun } from '../run/import-run.ts';
import { all, conditionText, not } from './condition.ts';
import {
  alwaysPasses,
  keyTextColumns,
  type RowRules,
  rowRulesOf,
  ruleSource,
} from './row-rules.ts';
import { SOURCE_ROW_NUMBER } from './row-source.ts';
import { stagedItems } from './staged-items.ts';
import { canSeeValues, forbiddenRowFault } from './visible-faults.ts';

/** The number of rows to validate together. */
const BATCH = 1_000;
/**
 * The number of rows per batch whose missing permissions are examined, with a statement for each.
 */
const DETAILED = 100;
const CURSOR = raw('sluice_judged');

/** A row that may be invalid. */
interface Doubtful {
  readonly row: number;
  /** The key of its item, if it exists. */
  readonly key: Key;
  readonly isAllowed: boolean;
}

/** The caller's rules for new and for updated rows, as far as the mode has them. */
async function judgementsOf(run: ImportRun, staged: Staged): Promise<RowRules[]> {
  const { target } = run;
  const write = run.write;
  const create =
    target.mode === 'update' ? [] : [await rowRulesOf(write, 'create', staged, target.made.create)];
  const isMatched = sameKey(target, staged.columns) !== null;
  const update = isMatched ? [await rowRulesOf(write, 'update', staged, target.made.update)] : [];
  return [...create, ...update];
}

/** Whether all rows with values for these columns may be created, without checking them. */
export async function mayCreateAny(run: ImportRun, columns: Staged['columns']): Promise<boolean> {
  const { made } = run.target;
  if (made.create.values.size > 0) return false;
  const lacking = new Set(columns.keys());
  const staged = { columns, lacking, rows: 0, distinct: false };
  return alwaysPasses(await rowRulesOf(run.write, 'create', staged, made.create));
}

/** Whether the rows need a check by the caller's permissions or by validations. */
export async function needsValidation(run: ImportRun, staged: Staged): Promise<boolean> {
  return (await judgementsOf(run, staged)).some((judgement) => !alwaysPasses(judgement));
}

function doubtfulRows(run: ImportRun, staged: Staged, judgement: RowRules): Sql {
  const { target } = run;
  const { isAllowed, isValid, source, action } = judgement;
  const primary = run.target.collection.primaryKey;
  const keys =
    action === 'create' ? [] : primary.map((_, part) => identifier(keyTextColumns(part)));
  const from = ruleSource(run.write, judgement, {
    same: sameKey(target, staged.columns),
    key: target.key.map(({ name }) => name),
    table: target.name,
  });
  const number = identifier(source.alias, 'sluice row');
  const shown = [sql`${number} AS "row"`, sql`${conditionText(isAllowed)} AS "allowed"`, ...keys];
  return sql`SELECT ${join(shown)}
    FROM ${from} WHERE ${conditionText(not(all([isAllowed, isValid])))} ORDER BY ${SOURCE_ROW_NUMBER}`;
}

function doubtfulOf(row: Record<string, unknown>, parts: number): Doubtful {
  const key = Array.from({ length: parts }, (_, part) => String(row[keyTextColumns(part)]));
  return { row: Number(row.row), key, isAllowed: row.allowed === true };
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return displayValue(typeof value === 'string' ? value : JSON.stringify(value));
}

/** The faults for an error of a row: the API's details, and the value. */
function faultsOf(write: WriteContext, row: number, item: Item, error: unknown): RowFault[] {
  if (error instanceof ServiceErrors) {
    return error.errors.flatMap((one) => faultsOf(write, row, item, one));
  }
  if (!(error instanceof ServiceError)) throw error;
  const { reason: _, field, value: __, collection: ___, ...details } = error.details;
  const name = typeof field === 'string' ? field : null;
  const known = name === null ? undefined : write.collection.fields.get(name);
  const isHidden = name === null || known === undefined || isConcealed(known);
  return [
    {
      row,
      field: name,
      value: isHidden || !Object.hasOwn(item, name) ? null : textOf(item[name]),
      code: error.code,
      reason: reasonOf(error),
      details,
    },
  ];
}

async function judgeOne(
  write: WriteContext,
  { action, preparation }: RowRules,
  { key, isAllowed }: Doubtful,
  item: Item,
): Promise<void> {
  if (!isAllowed) {
    if (action === 'create') await checkCreation(write, [item]);
    else await checkUpdates(write, [{ key, item }]);
  }
  await preparation.of(item, item);
}

/**
 * Whether items may exist that must stay hidden from the sender. Then a row that would be new has
 * the same error as a row whose item the sender may not update.
 */
function hidesItems({ options, target }: ImportRun, staged: Staged): boolean {
  const key = target.key.map(({ name }) => name);
  return sameKey(target, staged.columns) !== null && !canSeeValues(options, key);
}

async function judgeBatch(
  run: ImportRun,
  staged: Staged,
  judgement: RowRules,
  batch: readonly Doubtful[],
  limit: number,
): Promise<RowFault[]> {
  const write = run.write;
  const { preparation } = judgement;
  const numbers = batch.map(({ row }) => row);
  const items = await stagedItems(run.connection, staged, numbers);
  const allowed = items.filter((_, index) => batch[index]?.isAllowed);
  await preparation.judge(allowed.map((item) => ({ item, sent: item })));
  const isSilent = judgement.action === 'create' && hidesItems(run, staged);
  const faults: RowFault[] = [];
  for (const [index, doubtful] of batch.entries()) {
    if (faults.length >= limit) break;
    const item = items[index] ?? {};
    if (!doubtful.isAllowed && isSilent) {
      faults.push(forbiddenRowFault(doubtful.row));
      continue;
    }
    try {
      if (!doubtful.isAllowed && faults.length >= DETAILED) throw forbidden();
      await judgeOne(write, judgement, doubtful, item);
    } catch (error) {
      faults.push(...faultsOf(write, doubtful.row, item, error));
    }
  }
  return faults;
}

async function judgeAction(
  run: ImportRun,
  staged: Staged,
  judgement: RowRules,
  limit: number,
): Promise<RowFault[]> {
  const { connection } = run;
  const parts = judgement.action === 'create' ? 0 : run.target.collection.primaryKey.length;
  await connection.run(
    sql`DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${doubtfulRows(run, staged, judgement)}`,
  );
  const faults: RowFault[] = [];
  while (faults.length < limit) {
    const { rows } = await connection.run(sql`FETCH ${raw(String(BATCH))} FROM ${CURSOR}`);
    if (rows.length === 0) break;
    const batch = rows.map((row) => doubtfulOf(row, parts));
    faults.push(...(await judgeBatch(run, staged, judgement, batch, limit - faults.length)));
  }
  await connection.run(sql`CLOSE ${CURSOR}`);
  return faults;
}

/**
 * The faults of staged rows, up to a limit. When items determine the permissions of a row, the
 * table is locked against other writers until the import ends, so that the result stays valid.
 */
export async function validateStaged(
  run: ImportRun,
  staged: Staged,
  limit: number,
): Promise<RowFault[]> {
  const { connection, target } = run;
  const open = (await judgementsOf(run, staged)).filter((judgement) => !alwaysPasses(judgement));
  if (open.length === 0) return [];
  if (sameKey(target, staged.columns) !== null) {
    await connection.run(sql`LOCK TABLE ${target.name} IN SHARE ROW EXCLUSIVE MODE`);
  }
  const faults: RowFault[] = [];
  for (const judgement of open) {
    faults.push(...(await judgeAction(run, staged, judgement, limit - faults.length)));
  }
  return faults.slice(0, limit);
}

/**
 * Finds the items that the rows of a batch refer to by other fields than keys: one statement for
 * each such field of the batch.
 */

import type { ServiceError } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { sql } from '#core/database/sql.ts';
import type { RowFault } from '../file/row-fault.ts';
import { createItems } from '../link/create-items.ts';
import { foundItems, valuesOf } from '../link/find-items.ts';
import type { ItemWrites } from '../link/item-writes.ts';
import { notCreated, notFound } from '../link/link-fault.ts';
import type { ImportRun } from '../run/import-run.ts';
import type { Reference } from '../target/reference.ts';
import type { NestedRow } from './nested-batch.ts';
import type { SoughtItems } from './sought-items.ts';

/** The result of the search for one text. */
interface Found {
  readonly key: string | null;
  readonly items: number;
  readonly error: ServiceError | undefined;
}

type FoundByText = ReadonlyMap<string, Found>;

/** The rows that can be written, and the faults of each other row. */
export interface LinkedRows {
  readonly rows: readonly NestedRow[];
  readonly refused: readonly (readonly RowFault[])[];
}

/** Finds the items for some texts, and creates missing ones if the reference says so. */
async function search(
  run: ImportRun,
  writes: ItemWrites,
  { reference, texts }: { readonly reference: Reference; readonly texts: readonly string[] },
): Promise<FoundByText> {
  const { by, missing } = reference;
  const found = foundItems(run, reference, valuesOf(by, texts));
  const { rows } = await run.connection.run(sql`
    SELECT u."text", f."value"::text AS "value", f."key"::text AS "key", f."items"
    FROM unnest(${texts}::text[]) AS u("text")
    JOIN (${found}) f ON f."value" = u."text"::${bareType(by.column)}`);
  const isLacking = (items: unknown) => missing === 'create' && Number(items) === 0;
  const lacking = rows.flatMap(({ value, items }) => (isLacking(items) ? [String(value)] : []));
  const values = [...new Set(lacking)];
  const { keys, refused } = await createItems(run, writes, { reference, values });
  return new Map(
    rows.map(({ text, value, key, items }) => {
      const made = keys.get(String(value));
      const error = refused.get(String(value));
      const known = typeof key === 'string' ? key : null;
      return made === undefined
        ? [String(text), { key: known, items: Number(items), error }]
        : [String(text), { key: made, items: 1, error }];
    }),
  );
}

/** The key that a text finds; null for none, and the fault when the row cannot do without it. */
function keyOf(
  { missing, ...reference }: Reference,
  found: FoundByText,
  sought: { readonly row: number; readonly value: string },
): string | null | RowFault {
  const { key = null, items = 0, error } = found.get(sought.value) ?? {};
  if (items === 1) return key;
  if (items === 0 && missing === 'null') return null;
  const told = { ...reference, missing };
  return error === undefined ? notFound(told, sought, items) : notCreated(told, sought, error);
}

/** The value of a field with keys, and the rows of a junction that link them. */
function linkedValue(
  { reference, entries }: SoughtItems,
  keys: ReadonlyMap<string, string | null>,
  given: unknown,
): unknown {
  const { many } = reference;
  if (many === null) return keys.get(entries[0] ?? '') ?? null;
  const items = Array.isArray(given) ? [...given] : [];
  const seen = new Set<string>();
  return entries.flatMap((text): unknown[] => {
    if (text === null) return [items.shift()];
    const key = keys.get(text) ?? null;
    if (key === null || seen.has(key)) return [];
    seen.add(key);
    return [{ [many.onward.field]: key }];
  });
}

/** Finds the items of all rows. */
export async function linkRows(
  run: ImportRun,
  writes: ItemWrites,
  rows: readonly NestedRow[],
): Promise<LinkedRows> {
  const texts = new Map<Reference, Set<string>>();
  for (const { sought } of rows) {
    for (const { reference, entries } of sought) {
      const known = texts.get(reference) ?? new Set();
      for (const text of entries) if (text !== null) known.add(text);
      texts.set(reference, known);
    }
  }
  const found = new Map<Reference, FoundByText>();
  for (const [reference, some] of texts) {
    found.set(reference, await search(run, writes, { reference, texts: [...some] }));
  }
  const linked: NestedRow[] = [];
  const refused: RowFault[][] = [];
  for (const row of rows) {
    const faults: RowFault[] = [];
    const value: Record<string, unknown> = { ...row.value };
    for (const sought of row.sought) {
      const { reference, entries } = sought;
      const keys = new Map<string, string | null>();
      for (const text of entries) {
        if (text === null) continue;
        const byText = found.get(reference) ?? new Map();
        const key = keyOf(reference, byText, { row: row.number, value: text });
        if (key === null || typeof key === 'string') keys.set(text, key);
        else faults.push(key);
      }
      value[reference.field] = linkedValue(sought, keys, value[reference.field]);
    }
    if (faults.length > 0) refused.push(faults);
    else linked.push({ ...row, value });
  }
  return { rows: linked, refused };
}

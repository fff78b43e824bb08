/**
 * The values that presets and special flags give to the rows of a file, as expressions for the merge:
 * those of new items and those of items that exist.
 */

import { ServiceError } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { ItemPreparation } from '#core/write/item-preparation.ts';
import { type Action, type Item, type Row, toRow } from '#core/write/payload.ts';
import { applySpecials, removeMaskedValues } from '#core/write/special-flags.ts';
import type { WriteContext } from '#core/write/write-context.ts';

/** A value that a column is given. */
export interface GeneratedValue {
  readonly value: Sql;
  /**
   * Which rows it is for: those that lack a value, those whose value is empty as well, or all of
   * them, whatever the file says.
   */
  readonly for: 'lacking' | 'empty' | 'all';
}

/** What is made for the rows of one action. */
export interface ActionValues {
  /** By column. */
  readonly values: ReadonlyMap<string, GeneratedValue>;
  /** Fields whose preset does not fit: rows that lack them are refused. */
  readonly misfits: ReadonlySet<string>;
  /** A flag makes what its field does not take: each row is refused. */
  readonly impossible: boolean;
}

/** What is made for new items, and for those that exist. */
export type GeneratedValues = Readonly<Record<Action, ActionValues>>;

function fittingRow({ collection }: WriteContext, item: Item, action: Action): Row | null {
  try {
    return toRow(collection, item, action);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

function typed({ column }: ColumnField, text: string | null): Sql {
  return sql`${text}::text::${bareType(column)}`;
}

/** Whether the value is made anew for each row that has none. */
function isGenerated({ special }: ColumnField, action: Action): boolean {
  return action === 'create' && special.includes('uuid');
}

async function madeFor(write: WriteContext, action: Action): Promise<ActionValues> {
  const { collection } = write;
  const { presets } = await ItemPreparation.open(write, action);
  const values = new Map<string, GeneratedValue>();
  const misfits = new Set<string>();
  for (const [name, value] of Object.entries(removeMaskedValues(collection, presets))) {
    const row = fittingRow(write, { [name]: value }, action);
    if (row === null) misfits.add(name);
    for (const [field, text] of row ?? []) {
      values.set(field.column.name, { value: typed(field, text), for: 'lacking' });
    }
  }
  const made = await applySpecials(write, action, {});
  const row = fittingRow(write, made, action);
  for (const [field, text] of row ?? []) {
    const { name } = field.column;
    if (!isGenerated(field, action)) {
      values.set(name, { value: typed(field, text), for: 'all' });
    } else if (!values.has(name)) {
      const value = sql`gen_random_uuid()::text::${bareType(field.column)}`;
      values.set(name, { value, for: 'empty' });
    }
  }
  return { values, misfits, impossible: row === null };
}

/**
 * What presets and special flags make for a caller's rows.
 * @throws ServiceError UNPROCESSABLE_ENTITY for a preset that leads nowhere
 */
export async function generatedValues(write: WriteContext): Promise<GeneratedValues> {
  return { create: await madeFor(write, 'create'), update: await madeFor(write, 'update') };
}

/**
 * The value of a column for a staged row.
 * @param given what the file says, with what stands for it in rows that lack it
 */
export function valueWith(
  made: GeneratedValue | undefined,
  given: (otherwise: Sql) => Sql,
  otherwise: Sql,
): Sql {
  if (made === undefined) return given(otherwise);
  if (made.for === 'all') return made.value;
  const value = given(made.value);
  if (made.for === 'lacking') return value;
  return sql`CASE WHEN (${value})::text <> '' THEN ${value} ELSE ${made.value} END`;
}

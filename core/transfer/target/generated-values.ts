/**
 * The values that presets and special flags generate for the rows of a file, as expressions for the
 * merge: for new items and for existing items.
 */

import { ServiceError } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { ItemPreparation } from '#core/write/item-preparation.ts';
import { type Action, type Item, type Row, toRow } from '#core/write/payload.ts';
import { applySpecials, removeMaskedValues } from '#core/write/special-flags.ts';
import type { WriteContext } from '#core/write/write-context.ts';

/** A generated value of a column. */
export interface GeneratedValue {
  readonly value: Sql;
  /**
   * The rows it applies to: those without a value, those whose value is empty as well, or all of
   * them, overriding the file.
   */
  readonly for: 'lacking' | 'empty' | 'all';
}

/** The generated values for the rows of one action. */
export interface ActionValues {
  /** By column. */
  readonly values: ReadonlyMap<string, GeneratedValue>;
  /** Fields whose preset does not fit: rows without a value are rejected. */
  readonly misfits: ReadonlySet<string>;
  /** A flag generates a value that its field cannot store: each row is rejected. */
  readonly impossible: boolean;
}

/** The generated values for new and for existing items. */
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

/** Whether a new value is generated for each row without one. */
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
 * The values that presets and special flags generate for a caller's rows.
 * @throws ServiceError UNPROCESSABLE_ENTITY for a preset that cannot be resolved
 */
export async function generatedValues(write: WriteContext): Promise<GeneratedValues> {
  return { create: await madeFor(write, 'create'), update: await madeFor(write, 'update') };
}

/**
 * The value of a column for a staged row.
 * @param given the file's value, with the argument as the replacement in rows without one
 */
export function stagedColumnValue(
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

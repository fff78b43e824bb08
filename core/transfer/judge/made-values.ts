/**
 * The values that presets and special flags give to the rows of a file, as expressions for the merge:
 * those of new items and those of items that exist.
 */
import type { ColumnField } from '#core/catalog/catalog.ts';
import { bareType } from '#core/database/column-type.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { type Action, type Item, type Row, rowOf } from '#core/mutation/payload.ts';
import { Preparation } from '#core/mutation/prepare.ts';
import { applySpecials, withoutMasks } from '#core/mutation/special.ts';
import type { Write } from '#core/mutation/target.ts';

/** A value that a column is given. */
export interface MadeValue {
  readonly value: Sql;
  /**
   * Which rows it is for: those that lack a value, those whose value is empty as well, or all of
   * them, whatever the file says.
   */
  readonly for: 'lacking' | 'empty' | 'all';
}

/** What is made for the rows of one action. */
export interface Made {
  /** By column. */
  readonly values: ReadonlyMap<string, MadeValue>;
  /** Fields whose preset does not fit: rows that lack them are refused. */
  readonly misfits: ReadonlySet<string>;
  /** A flag makes what its field does not take: each row is refused. */
  readonly impossible: boolean;
}

/** What is made for new items, and for those that exist. */
export type MadeValues = Readonly<Record<Action, Made>>;

function fittingRow({ collection }: Write, item: Item, action: Action): Row | null {
  try {
    return rowOf(collection, item, action);
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

async function madeFor(write: Write, action: Action): Promise<Made> {
  const { collection } = write;
  const { presets } = await Preparation.open(write, action);
  const values = new Map<string, MadeValue>();
  const misfits = new Set<string>();
  for (const [name, value] of Object.entries(withoutMasks(collection, presets))) {
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
export async function madeValues(write: Write): Promise<MadeValues> {
  return { create: await madeFor(write, 'create'), update: await madeFor(write, 'update') };
}

/**
 * The value of a column for a staged row.
 * @param given what the file says, with what stands for it in rows that lack it
 */
export function valueWith(
  made: MadeValue | undefined,
  given: (otherwise: Sql) => Sql,
  otherwise: Sql,
): Sql {
  if (made === undefined) return given(otherwise);
  if (made.for === 'all') return made.value;
  const value = given(made.value);
  if (made.for === 'lacking') return value;
  return sql`CASE WHEN (${value})::text <> '' THEN ${value} ELSE ${made.value} END`;
}

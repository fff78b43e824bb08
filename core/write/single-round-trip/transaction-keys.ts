/**
 * Keys of new rows that a transaction keeps for its later statements, in a setting of its own:
 * so nobody waits for them in between.
 */

import { bareType } from '#core/database/column-type.ts';
import { raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { arrayElements } from '#core/model/values/array-text.ts';

const SETTING = raw("'sluice.keys'");

/** Reads the text of the keys of so many rows. */
export function parseKeys(text: string, count: number): readonly string[] {
  return count === 1 ? [text] : (arrayElements(text) ?? []);
}

export class TransactionKeys {
  /** The column that they are values of. */
  readonly field: ColumnField;
  /** How many they are; one is kept as it is, several as an array. */
  readonly count: number;

  constructor(field: ColumnField, count: number) {
    this.field = field;
    this.count = count;
  }

  /** Keeps a text, or the text of an array; yields that text. */
  keep(text: Sql): Sql {
    return sql`set_config(${SETTING}, ${text}, true)`;
  }

  /** Whether a column of the key's type holds one of them. */
  holds(column: Sql): Sql {
    const type = bareType(this.field.column);
    const text = sql`current_setting(${SETTING})`;
    return this.count === 1
      ? sql`${column} = ${text}::${type}`
      : sql`${column} = ANY(${text}::${type}[])`;
  }
}

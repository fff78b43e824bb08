/**
 * Stores the keys of new rows in a transaction-local setting for later statements of the
 * transaction, which saves a round trip.
 */

import { bareType } from '#core/database/column-type.ts';
import { raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { arrayElements } from '#core/model/values/array-text.ts';

const SETTING = raw("'sluice.keys'");

/** Parses the text of a known number of keys. */
export function parseKeys(text: string, count: number): readonly string[] {
  return count === 1 ? [text] : (arrayElements(text) ?? []);
}

export class TransactionKeys {
  /** The field that the keys are values of. */
  readonly field: ColumnField;
  /** The number of keys; one is stored as plain text, several as an array. */
  readonly count: number;

  constructor(field: ColumnField, count: number) {
    this.field = field;
    this.count = count;
  }

  /** Stores a text, or the text of an array; yields that text. */
  keep(text: Sql): Sql {
    return sql`set_config(${SETTING}, ${text}, true)`;
  }

  /** The condition that a column of the key's type contains one of the keys. */
  holds(column: Sql): Sql {
    const type = bareType(this.field.column);
    const text = sql`current_setting(${SETTING})`;
    return this.count === 1
      ? sql`${column} = ${text}::${type}`
      : sql`${column} = ANY(${text}::${type}[])`;
  }
}

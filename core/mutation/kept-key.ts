/**
 * Keys of new rows that a transaction keeps for its later statements, in a setting of its own:
 * so nobody waits for them in between.
 */
import type { ColumnField } from '#core/catalog/catalog.ts';
import { bareType } from '#core/database/column-type.ts';
import { raw, type Sql, sql } from '#core/database/sql.ts';
import { arrayElements } from '#core/values/array.ts';

export class KeptKeys {
  /** The column that they are values of. */
  readonly field: ColumnField;
  /** How many they are; one is kept as it is, several as an array. */
  readonly count: number;
  /** Tells them from the others of the transaction. */
  readonly place: number;
  readonly #setting: Sql;

  constructor(place: number, field: ColumnField, count: number) {
    this.#setting = raw(`'sluice.keys_${place}'`);
    this.place = place;
    this.field = field;
    this.count = count;
  }

  /** Keeps the text of a key, or of an array of keys; yields that text. */
  keep(text: Sql): Sql {
    return sql`set_config(${this.#setting}, ${text}, true)`;
  }

  /** The only key as text. */
  get text(): Sql {
    return sql`current_setting(${this.#setting})`;
  }

  /** The keys as an array of texts, in the order in which they were written. */
  get texts(): Sql {
    return sql`current_setting(${this.#setting})::text[]`;
  }

  /** Whether a column of the key's type holds one of them. */
  holds(column: Sql): Sql {
    const type = bareType(this.field.column);
    return this.count === 1
      ? sql`${column} = ${this.text}::${type}`
      : sql`${column} = ANY(current_setting(${this.#setting})::${type}[])`;
  }

  /** Reads what {@link keep} yielded. */
  read(text: string): readonly string[] {
    return this.count === 1 ? [text] : (arrayElements(text) ?? []);
  }
}

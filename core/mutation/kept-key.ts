/**
 * Keys of new rows that a transaction keeps for its later statements, in a setting of its own:
 * so nobody waits for them in between.
 */
import type { ColumnField } from '#core/catalog/catalog.ts';
import { bareType } from '#core/database/column-type.ts';
import { raw, type Sql, sql } from '#core/database/sql.ts';
import { arrayElements } from '#core/values/array.ts';

/** Texts that a transaction keeps in the order of the rows that they belong to. */
export class KeptTexts {
  /** How many they are; one is kept as it is, several as an array. */
  readonly count: number;
  readonly #setting: Sql;

  /** @param name tells them from the others of the transaction */
  constructor(name: string, count: number) {
    this.#setting = raw(`'sluice.${name}'`);
    this.count = count;
  }

  /** Keeps a text, or the text of an array; yields that text. */
  keep(text: Sql): Sql {
    return sql`set_config(${this.#setting}, ${text}, true)`;
  }

  /** The only text. */
  get text(): Sql {
    return sql`current_setting(${this.#setting})`;
  }

  /** The texts as an array, in the order in which they were written. */
  get texts(): Sql {
    return sql`${this.text}::text[]`;
  }
}

export class KeptKeys extends KeptTexts {
  /** The column that they are values of. */
  readonly field: ColumnField;
  /** Tells them from the others of the transaction. */
  readonly place: number;

  constructor(place: number, field: ColumnField, count: number) {
    super(`keys_${place}`, count);
    this.place = place;
    this.field = field;
  }

  /** Whether a column of the key's type holds one of them. */
  holds(column: Sql): Sql {
    const type = bareType(this.field.column);
    return this.count === 1
      ? sql`${column} = ${this.text}::${type}`
      : sql`${column} = ANY(${this.text}::${type}[])`;
  }

  /** Reads what {@link keep} yielded. */
  read(text: string): readonly string[] {
    return this.count === 1 ? [text] : (arrayElements(text) ?? []);
  }
}

/**
 * Places in a statement whose values are known only when it is carried out. Slots are for what
 * depends on the caller or on the moment: a statement with slots serves everybody who has the same
 * rights. What is given is for whoever made the statement to fill in.
 */
import { strict as assert } from 'node:assert';
import type { Caller } from '#core/access/grants.ts';
import { render, Sql, type Statement } from '#core/database/sql.ts';

/** What the values of slots come from. */
export interface Binding {
  readonly caller: Caller;
  /** The moment that `$NOW` stands for. */
  readonly now: Date;
}

export class Slot {
  readonly fill: (binding: Binding) => unknown;

  constructor(fill: (binding: Binding) => unknown) {
    this.fill = fill;
  }

  /** Asked by the driver for what to send. */
  toPostgres(): never {
    assert.fail('a statement was sent whose slots are empty');
  }
}

/** The values with the slots among them filled. */
export function fill(values: readonly unknown[], binding: Binding): unknown[] {
  return values.map((value) => (value instanceof Slot ? value.fill(binding) : value));
}

function replaceValues(piece: Sql, replace: (value: unknown) => unknown): Sql {
  const values = piece.values.map((value) =>
    value instanceof Sql ? replaceValues(value, replace) : replace(value),
  );
  return new Sql(piece.strings, values);
}

/**
 * The piece with slots for its values.
 * @param again makes the same piece for another binding: the same text with other values
 */
export function deferred(piece: Sql, again: (binding: Binding) => Sql): Sql {
  const { text } = render(piece);
  let bound: Binding | null = null;
  let values: readonly unknown[] = [];
  const valuesOf = (binding: Binding) => {
    if (bound === binding) return values;
    const statement = render(again(binding));
    assert.equal(statement.text, text, 'the text of a piece depends on more than was expected');
    bound = binding;
    values = statement.values;
    return values;
  };
  let next = 0;
  return replaceValues(piece, (value) => {
    const index = next;
    next += 1;
    return value instanceof Slot ? value : new Slot((binding) => valuesOf(binding)[index]);
  });
}

/** The place of a value in a statement that is compiled before the value is known. */
export class Given {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** The statement with the values in their places. */
export function give({ text, values }: Statement, given: readonly unknown[]): Statement {
  const filled = values.map((value) => (value instanceof Given ? given[value.index] : value));
  return { text, values: filled };
}

/**
 * Places in a statement whose values are known only when it is carried out. Slots are for what
 * depends on the caller or on the time: a statement with slots serves everybody who has the same
 * rights. What is given is for whoever made the statement to fill in.
 */
import { strict as assert } from 'node:assert';
import type { Caller } from '#core/access/grants.ts';
import type { Statement } from '#core/database/sql.ts';

/** What the values of slots come from. */
export interface Binding {
  readonly caller: Caller;
  /** The time that `$NOW` stands for. */
  readonly now: Date;
}

export class Slot<T = unknown> {
  readonly fill: (binding: Binding) => T;

  constructor(fill: (binding: Binding) => T) {
    this.fill = fill;
  }

  /** Asked by the driver for what to send. */
  toPostgres(): never {
    assert.fail('a statement was sent whose slots are empty');
  }
}

/** Something made of what a slot will hold, or of what is known already. */
export function derived<T, R>(value: T | Slot<T>, make: (value: T) => R): R | Slot<R> {
  return value instanceof Slot ? new Slot((binding) => make(value.fill(binding))) : make(value);
}

/** The values with the slots among them filled. */
export function fill(values: readonly unknown[], binding: Binding): unknown[] {
  return values.map((value) => (value instanceof Slot ? value.fill(binding) : value));
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

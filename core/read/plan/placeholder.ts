/**
 * Places in a statement whose values are known only when it is carried out. Placeholders are for what
 * depends on the caller or on the time: a statement with placeholders serves everybody who has the same
 * rights. The maker of a statement fills in its parameters.
 */
import { strict as assert } from 'node:assert';
import type { Caller } from '#core/access/grants.ts';
import type { Statement } from '#core/database/sql.ts';

/** What the values of placeholders come from. */
export interface BindingContext {
  readonly caller: Caller;
  /** The time that `$NOW` stands for. */
  readonly now: Date;
}

export class Placeholder<T = unknown> {
  readonly fill: (binding: BindingContext) => T;

  constructor(fill: (binding: BindingContext) => T) {
    this.fill = fill;
  }

  /** Asked by the driver for what to send. */
  toPostgres(): never {
    assert.fail('a statement was sent whose placeholders are empty');
  }
}

/** Something made of what a placeholder will hold, or of what is known already. */
export function mapPlaceholder<T, R>(
  value: T | Placeholder<T>,
  make: (value: T) => R,
): R | Placeholder<R> {
  return value instanceof Placeholder
    ? new Placeholder((binding) => make(value.fill(binding)))
    : make(value);
}

/** The values with the placeholders among them filled. */
export function fillPlaceholders(values: readonly unknown[], binding: BindingContext): unknown[] {
  return values.map((value) => (value instanceof Placeholder ? value.fill(binding) : value));
}

/** The place of a value in a statement that is compiled before the value is known. */
export class StatementParameter {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** The statement with the values in their places. */
export function bindParameters({ text, values }: Statement, given: readonly unknown[]): Statement {
  const filled = values.map((value) =>
    value instanceof StatementParameter ? given[value.index] : value,
  );
  return { text, values: filled };
}

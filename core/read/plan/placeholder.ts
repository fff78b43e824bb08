/**
 * Placeholders for values of a statement that are known only at execution. They stand for values
 * that depend on the caller or the time, so that callers with the same permissions share a
 * statement. The compiler of a statement fills in its parameters.
 */
import { strict as assert } from 'node:assert';
import type { Caller } from '#core/access/grants.ts';
import type { Statement } from '#core/database/sql.ts';

/** The context from which placeholders take their values. */
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

  /** The driver calls this to serialize a value. */
  toPostgres(): never {
    assert.fail('a statement was sent whose placeholders are empty');
  }
}

/** Maps a value, or the future value of a placeholder. */
export function mapPlaceholder<T, R>(
  value: T | Placeholder<T>,
  make: (value: T) => R,
): R | Placeholder<R> {
  return value instanceof Placeholder
    ? new Placeholder((binding) => make(value.fill(binding)))
    : make(value);
}

/** The values, with all placeholders filled. */
export function fillPlaceholders(values: readonly unknown[], binding: BindingContext): unknown[] {
  return values.map((value) => (value instanceof Placeholder ? value.fill(binding) : value));
}

/** A parameter of a statement that is compiled before its value is known. */
export class StatementParameter {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** The statement with its parameters replaced by values. */
export function bindParameters({ text, values }: Statement, given: readonly unknown[]): Statement {
  const filled = values.map((value) =>
    value instanceof StatementParameter ? given[value.index] : value,
  );
  return { text, values: filled };
}

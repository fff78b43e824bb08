/**
 * The staged rows of one action as rules read them: the values of their columns including presets,
 * and whether the file gives them.
 */

import { bareType } from '#core/database/column-type.ts';
import { identifier, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { isAbsent, type Staged, stagingColumn, valueOr } from '../copy/staging-table.ts';
import { type ActionValues, stagedColumnValue } from '../target/generated-values.ts';
import { any, type Condition, not } from './condition.ts';

/** Number of the row, in the relation that {@link RowSource.columns} is part of. */
export const SOURCE_ROW_NUMBER = identifier('sluice row');

export class RowSource {
  /** The alias of the relation in conditions. */
  readonly alias: string;
  readonly #staged: Staged;
  readonly #made: ActionValues;
  readonly #columns = new Map<string, Sql>();

  constructor(alias: string, staged: Staged, made: ActionValues) {
    this.alias = alias;
    this.#staged = staged;
    this.#made = made;
  }

  /** The fields that the file has columns for. */
  get names(): readonly string[] {
    return this.#staged.columns.map(({ name }) => name);
  }

  #placeOf(name: string): number {
    return this.#staged.columns.findIndex((column) => column.name === name);
  }

  /** Whether a row has a value for a field. */
  isGiven(name: string): Condition {
    const place = this.#placeOf(name);
    if (place < 0) return false;
    if (!this.#staged.lacking.has(place)) return true;
    const flag = `sluice lacks ${place}`;
    this.#columns.set(flag, isAbsent(place));
    return not(identifier(this.alias, flag));
  }

  /** Whether a row has a value for a field, or a preset gives it one. */
  isSubmitted(name: string): Condition {
    const made = this.#made.values.get(name);
    return any([this.isGiven(name), made?.for === 'lacking']);
  }

  /** Whether a row gives a field the empty text. */
  isEmptyText({ name }: ColumnField): Condition {
    const place = this.#placeOf(name);
    if (place < 0) return false;
    const flag = `sluice empty ${place}`;
    this.#columns.set(flag, sql`coalesce(s.${stagingColumn(place)}::text = '', false)`);
    return identifier(this.alias, flag);
  }

  /** Adds a column with the value that rules evaluate. */
  show({ name, column }: ColumnField): void {
    const place = this.#placeOf(name);
    const made = this.#made.values.get(name);
    const nothing = sql`NULL::${bareType(column)}`;
    const given = (otherwise: Sql) =>
      place < 0 ? otherwise : valueOr(this.#staged, place, otherwise);
    const value = stagedColumnValue(made?.for === 'lacking' ? made : undefined, given, nothing);
    this.#columns.set(column.name, value);
  }

  /** The columns that conditions use. */
  get columns(): readonly Sql[] {
    return [...this.#columns].map(([name, value]) => sql`${value} AS ${identifier(name)}`);
  }
}

/**
 * Conditions of a plan, with the facts that are needed to combine them correctly under SQL's
 * three-valued logic.
 */

import type { ColumnField } from '#core/model/catalog/catalog.ts';
import type { ToMany } from '#core/model/catalog/relation.ts';
import type { OperandType, Operator } from '#core/query/operator.ts';
import type { Placeholder } from './placeholder.ts';
import type { Column, Guard, Join, Table, Value } from './plan.ts';

/** The value that an operator tests. */
export interface Subject {
  readonly value: Value;
  readonly type: OperandType;
  /** Its column; null for the result of a function or a part of a document. */
  readonly field: ColumnField | null;
  readonly concealed: boolean;
  /** The rows on which the caller may see it; null: all rows. */
  readonly guard: Guard | null;
}

/** A value, in the SQL type of the comparison. */
export interface ValueOperand {
  readonly kind: 'value';
  readonly type: string;
  readonly text: string | Placeholder<string>;
}

/** Several values. */
export interface ListOperand {
  readonly kind: 'list';
  readonly type: string;
  readonly texts: readonly string[] | Placeholder<readonly string[]>;
}

export type Operand =
  | ValueOperand
  | ListOperand
  | PathOperand
  | { readonly kind: 'geometry'; readonly shape: object };

/**
 * Whether a comparison's variable has no value; paths for which only the statement can determine
 * that.
 */
export type Void = boolean | readonly PathOperand[];

interface Judged {
  /** Never true for a row of nulls, which an outer join returns without a match. */
  readonly strict: boolean;
  /** Compares with a variable that has no value; such a comparison must never widen a result. */
  readonly void: Void;
}

/** One operator on one value. Tests for presence have no operands. */
export interface Predicate extends Judged {
  readonly kind: 'test';
  readonly operator: Operator;
  readonly subject: Subject;
  readonly operands: readonly Operand[];
}

export interface Group extends Judged {
  readonly kind: 'group';
  readonly connective: 'and' | 'or';
  readonly parts: readonly Condition[];
}

export type Condition =
  | Predicate
  | Group
  | (Judged & {
      /** Null is unknown. */
      readonly kind: 'constant';
      readonly value: boolean | null;
    })
  | (Judged & {
      /** A list value contains one of some elements, each given as text. */
      readonly kind: 'holds';
      readonly subject: Subject;
      readonly negated: boolean;
      readonly texts: readonly string[];
    })
  | (Judged & {
      /** Some element, or no element, of a list value meets a condition. */
      readonly kind: 'elements';
      readonly subject: Subject;
      readonly none: boolean;
      readonly condition: Condition;
    })
  | (Judged & {
      /** The one related item meets a condition; without an item its fields count as null. */
      readonly kind: 'one';
      readonly join: Join;
      readonly condition: Condition;
    })
  | (Judged & {
      /** Some related item, or no related item, meets a condition; null: any item does. */
      readonly kind: 'many';
      readonly parent: Table;
      readonly table: Table;
      readonly relation: ToMany;
      readonly none: boolean;
      readonly condition: Condition | null;
    })
  | (Judged & {
      /** Holds only where the caller may see a field. */
      readonly kind: 'seen';
      readonly guard: Guard;
      readonly condition: Condition;
    });

const ALWAYS: Condition = { kind: 'constant', value: true, strict: false, void: false };

export const NEVER: Condition = { kind: 'constant', value: false, strict: true, void: false };

/** A comparison with a variable that has no value: unknown for every row. */
export const VOID: Condition = { kind: 'constant', value: null, strict: true, void: true };

/** A comparison with a null: unknown for every row. */
export const UNKNOWN: Condition = { kind: 'constant', value: null, strict: true, void: false };

/** Whether any of several comparisons has a variable without a value. */
export function anyVoid(voids: readonly Void[]): Void {
  if (voids.includes(true)) return true;
  const open = voids.flatMap((entry) => (typeof entry === 'boolean' ? [] : entry));
  return open.length === 0 ? false : open;
}

/** All or any of the parts: without parts, `and` always holds and `or` never holds. */
export function combineConditions(
  connective: 'and' | 'or',
  parts: readonly Condition[],
): Condition {
  const [only] = parts;
  if (only === undefined) return connective === 'and' ? ALWAYS : NEVER;
  if (parts.length === 1) return only;
  const isStrict = (part: Condition) => part.strict;
  return {
    kind: 'group',
    connective,
    parts,
    strict: connective === 'and' ? parts.some(isStrict) : parts.every(isStrict),
    void: anyVoid(parts.map((part) => part.void)),
  };
}

/**
 * The condition restricted to rows where the caller may see a field; without a guard, to all rows.
 */
export function whereVisible(guard: Guard | null, condition: Condition): Condition {
  if (guard === null) return condition;
  const { strict, void: isVoid } = condition;
  return { kind: 'seen', guard, condition, strict, void: isVoid };
}

/** The values of a path, converted for the comparison with a field. */
export interface PathOperand {
  readonly kind: 'path';
  readonly path: RecordPath;
  /**
   * The conversion of the values: to text, or from text that fits the type; null: no conversion.
   */
  readonly as: 'text' | 'uuid' | 'number' | null;
  /** All values; else the only one. */
  readonly all: boolean;
}

/** A resolved path from the caller's record. */
export interface RecordPath {
  /** The path as written. */
  readonly text: string;
  readonly root: Table;
  readonly joins: readonly Join[];
  /** The key or the list of keys of the records. */
  readonly ids: unknown;
  readonly isList: boolean;
  readonly column: Column;
  /**
   * The list type of the value, whose elements count as several values; null for a single value.
   */
  readonly elements: 'array' | 'csv' | 'document' | null;
  readonly family: Family;
  /** There is at most one value. */
  readonly single: boolean;
}

export type Family = 'number' | 'text' | 'uuid' | 'boolean' | 'timestamp' | 'time';

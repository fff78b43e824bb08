/**
 * Conditions of a plan, with what must be known about them to combine them rightly under SQL's
 * three-valued logic.
 */

import type { ColumnField } from '#core/model/catalog/catalog.ts';
import type { ToMany } from '#core/model/catalog/relation.ts';
import type { OperandType, Operator } from '#core/query/operator.ts';
import type { Placeholder } from './placeholder.ts';
import type { Column, Guard, Join, Table, Value } from './plan.ts';

/** What an operator judges. */
export interface Subject {
  readonly value: Value;
  readonly type: OperandType;
  /** The column behind it; null for the result of a function or a part of a document. */
  readonly field: ColumnField | null;
  readonly concealed: boolean;
  /** When the caller sees it; null: always. */
  readonly guard: Guard | null;
}

/** A value of the SQL type that it is compared in. */
export interface ValueOperand {
  readonly kind: 'value';
  readonly type: string;
  readonly text: string | Placeholder<string>;
}

/** Several of them. */
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

/** Comparisons with a variable that has no value; paths of which only the statement finds that out. */
export type Void = boolean | readonly PathOperand[];

interface Judged {
  /** Never true for a row whose columns are all null, as an outer join has where nothing matches. */
  readonly strict: boolean;
  /** Compares with a variable that has no value; such a comparison may never widen an answer. */
  readonly void: Void;
}

/** One operator on one value. Those that ask whether a value is set have no operands. */
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
      /** A list inside a value has one of some elements, each the text of a value. */
      readonly kind: 'holds';
      readonly subject: Subject;
      readonly negated: boolean;
      readonly texts: readonly string[];
    })
  | (Judged & {
      /** Some element of a list inside a value, or none, meets a condition. */
      readonly kind: 'elements';
      readonly subject: Subject;
      readonly none: boolean;
      readonly condition: Condition;
    })
  | (Judged & {
      /** The one related item meets a condition; without one its fields count as null. */
      readonly kind: 'one';
      readonly join: Join;
      readonly condition: Condition;
    })
  | (Judged & {
      /** Some related item, or none, meets a condition; null: whatever it is. */
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

/** Whether any of several comparisons lacks its value. */
export function anyVoid(voids: readonly Void[]): Void {
  if (voids.includes(true)) return true;
  const open = voids.flatMap((entry) => (typeof entry === 'boolean' ? [] : entry));
  return open.length === 0 ? false : open;
}

/** All of them, or any of them: all of none hold always, any of none never. */
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

/** The condition where the caller may see a field; without a guard everywhere. */
export function whereVisible(guard: Guard | null, condition: Condition): Condition {
  if (guard === null) return condition;
  const { strict, void: isVoid } = condition;
  return { kind: 'seen', guard, condition, strict, void: isVoid };
}

/** The values of a path as they compare with a field. */
export interface PathOperand {
  readonly kind: 'path';
  readonly path: RecordPath;
  /** What the values are made: texts, or what texts look like; null: they stay what they are. */
  readonly as: 'text' | 'uuid' | 'number' | null;
  /** All of them; else the only one. */
  readonly all: boolean;
}

/** A path as it was followed from the caller's record. */
export interface RecordPath {
  /** As it was written. */
  readonly text: string;
  readonly root: Table;
  readonly joins: readonly Join[];
  /** The keys of the records, one or a list. */
  readonly ids: unknown;
  readonly isList: boolean;
  readonly column: Column;
  /** What the value is a list in, whose elements count as several values; null for one value. */
  readonly elements: 'array' | 'csv' | 'document' | null;
  readonly family: Family;
  /** There is at most one value. */
  readonly single: boolean;
}

export type Family = 'number' | 'text' | 'uuid' | 'boolean' | 'timestamp' | 'time';

/**
 * The plan of a read: what was asked, brought together with one catalog and one caller's rights. It
 * is a tree of levels, tables, joins, conditions and values, made once; `core/read/sql` turns it
 * into a statement and looks nothing up any more.
 */

import type { Sql } from '#core/database/sql.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import type { AnyToOne, End, ManyToOne, ToMany } from '#core/model/catalog/relation.ts';
import type { FunctionName } from '#core/query/function-call.ts';
import type { Key } from '#core/query/key.ts';
import type { AggregateTerm, ItemColumn, MetaName, ValueForm } from '#core/query/query.ts';
import type { Condition } from './condition.ts';
import type { StatementParameter } from './placeholder.ts';

/** One of the caller's permissions on a table: which fields, of which rows. */
export interface Right {
  /** Null: every field. */
  readonly fields: ReadonlySet<string> | null;
  /** Null: every row. Set once all tables of the plan are known, because rules bring further ones. */
  condition: Condition | null;
}

/** A table of the statement, under the alias that it has there. */
export interface Table {
  readonly alias: string;
  readonly collection: Collection;
  /** What stands in the table's place; null: the table itself. */
  readonly source: Sql | null;
  /** A row is seen when one of them holds, and of that row the fields of all that hold. */
  readonly rights: readonly Right[];
}

/** Holds on the rows on which one of some rights does. */
export interface Guard {
  readonly table: Table;
  /** Which of the table's rights. */
  readonly rights: readonly number[];
  /** What tells it where it was computed before, once for several values; no part of a plan. */
  readonly seen?: Sql;
}

/** A column of a table. */
export interface Column {
  readonly table: Table;
  /** The field as the catalog has it. */
  readonly own: ColumnField;
  /** The same, but its column has the type of the values, whatever is stored. */
  readonly field: ColumnField;
  /** What is told of an item as it was; null for other columns. */
  readonly past: RevisionVisibility | null;
  /** When the caller sees it; null: always. */
  readonly guard: Guard | null;
}

/** What a revision tells of its item. */
export interface RevisionVisibility {
  /** The concealed fields of each collection that has some, as JSON. */
  readonly concealed: string;
  /** What the caller may see of the items today; null: all of it. */
  readonly visible: RevisionRights | null;
}

export interface RevisionRights {
  /** The fields that are seen of every row, by collection, as JSON. */
  readonly always: string;
  /** Collections in which rules decide. */
  readonly byRule: readonly {
    readonly item: Table;
    /** The fields of every row, and those of each right of the table that has a condition, as JSON. */
    readonly always: string;
    readonly fields: readonly string[];
  }[];
}

/** Columns of one end of a relation. */
export interface EndColumns {
  readonly table: Table;
  readonly columns: readonly string[];
}

/** What holds two tables together: rows of the left one are looked for. */
export type Match =
  | { readonly kind: 'ends'; readonly left: EndColumns; readonly right: EndColumns }
  | {
      readonly kind: 'any';
      readonly from: Table;
      readonly to: Table;
      readonly relation: AnyToOne;
      readonly end: End;
    };

/** A table joined to another one by a relation that the caller may follow on some rows. */
export interface Join {
  readonly table: Table;
  readonly match: Match;
  /** Where the field of the relation is seen; null: on all rows. */
  readonly guard: Guard | null;
}

/** A value of a row. */
export type Value =
  | { readonly kind: 'column'; readonly column: Column }
  | {
      /** A function of a column. */
      readonly kind: 'call';
      readonly name: FunctionName;
      readonly column: Column;
      /** The path into a document, for `json`. */
      readonly steps: readonly string[];
    }
  | {
      /** The number of related items. */
      readonly kind: 'count';
      readonly parent: Table;
      readonly table: Table;
      readonly relation: ToMany;
      readonly guard: Guard | null;
    }
  | {
      /** A part of a document. */
      readonly kind: 'member';
      readonly of: Value;
      /** The field that has the document, or the list of PostgreSQL. */
      readonly field: ColumnField;
      readonly steps: readonly string[];
    }
  | {
      /** An element of a list inside a value; a part of a document when it has no field. */
      readonly kind: 'element';
      readonly field: ColumnField | null;
    };

/** What stands under one key of the answer. */
export type Entry =
  | {
      readonly kind: 'value';
      readonly value: Value;
      /** Absent: as REST writes it. */
      readonly form?: ValueForm;
    }
  | { readonly kind: 'constant'; readonly text: string }
  | {
      /** Further values of the same row. */
      readonly kind: 'object';
      readonly entries: ReadonlyMap<string, Entry>;
    }
  | {
      /** The bare key behind a relation that has no field of its own. */
      readonly kind: 'key';
      readonly columns: readonly Column[];
    }
  | {
      readonly kind: 'one';
      readonly relation: ManyToOne;
      readonly guard: Guard | null;
      readonly level: LevelPlan;
    }
  | {
      readonly kind: 'list';
      readonly relation: ToMany;
      readonly guard: Guard | null;
      /** Null: nothing of its items may be told. */
      readonly level: LevelPlan | null;
      /** The members of which an item is made when only its key was asked; empty for whole items. */
      readonly keys: readonly string[];
    }
  | {
      /** The number of items of a list that no index serves. */
      readonly kind: 'count';
      readonly relation: ToMany;
      readonly guard: Guard | null;
      readonly table: Table;
      /** Absent: a text, as in REST. */
      readonly form?: ValueForm;
    }
  | {
      /** An item of one of several collections. */
      readonly kind: 'any';
      readonly relation: AnyToOne;
      readonly guard: Guard | null;
      readonly branches: readonly AnyToOneBranch[];
    };

export interface AnyToOneBranch {
  readonly end: End;
  /** What is told of such an item: nothing, its bare key, or a level. */
  readonly told: 'nothing' | 'key' | LevelPlan;
}

/** Related items of which one decides where a row stands: that with the smallest or the largest value. */
export interface RelatedExtremum {
  readonly parent: Table;
  readonly table: Table;
  readonly relation: ToMany;
  /** Where the field of the list is seen; null: on all rows. */
  readonly guard: Guard | null;
  /** What leads from an item of the list to the value. */
  readonly joins: readonly Join[];
  /** How many lists are gone through, this one included. */
  readonly lists: number;
  /** Indexes find the items of one row; else those of all rows are read at once. */
  readonly indexed: boolean;
}

/** One term of an order. */
export interface OrderTerm {
  /** Of the row, or of each of the items that it is found among. */
  readonly value: Value;
  readonly descending: boolean;
  readonly among: RelatedExtremum | null;
}

export interface Order {
  readonly joins: readonly Join[];
  readonly terms: readonly OrderTerm[];
  /** Related items have nulls last whatever the direction. */
  readonly nullsLast: boolean;
}

/** What items are grouped by. */
export interface Group {
  /** Its name in the answer, and in the query. */
  readonly key: string;
  readonly asked: string;
  readonly value: Value;
}

/** One aggregate over the rows of a group. */
export interface Aggregate {
  readonly term: AggregateTerm;
  /** Null counts rows. */
  readonly column: Column | null;
}

export interface Aggregation {
  readonly kind: 'groups';
  readonly groups: readonly Group[];
  readonly aggregates: readonly Aggregate[];
  readonly terms: readonly { readonly value: Group | Aggregate; readonly descending: boolean }[];
  readonly nullsLast: boolean;
}

export interface Items {
  readonly kind: 'items';
  readonly entries: ReadonlyMap<string, Entry>;
  /** Null: a single row, which has no order. */
  readonly order: Order | null;
}

/** Which rows a statement is about beside what was asked. */
export type RowChoice =
  | { readonly kind: 'key'; readonly parts: readonly StatementParameter[] }
  | { readonly kind: 'keys'; readonly keys: readonly Key[] }
  /** By keys that the transaction keeps. */
  | { readonly kind: 'kept'; readonly field: ColumnField; readonly holds: (column: Sql) => Sql };

/** The items of one level of the answer. */
export interface LevelPlan {
  /** Names from the root to here; empty at the root. */
  readonly path: readonly string[];
  readonly table: Table;
  /** What was asked of the items: filter and search. Rights are the table's. */
  readonly conditions: readonly Condition[];
  readonly content: Items | Aggregation;
  /** Names of the catalog alone, none that a client chose, stand for the values. */
  readonly ownNames: boolean;
  /** Null: all items. */
  readonly limit: number | null;
  readonly offset: number;
  /**
   * The items of all parents are read at once, because something in them cannot be found for one
   * parent without scanning a table. Known when the plan is whole.
   */
  atOnce: boolean;
}

/** One number of the answer's `meta`. */
export interface Meta {
  readonly name: MetaName;
  readonly table: Table;
  readonly conditions: readonly Condition[];
}

/** A whole read. */
export interface Plan {
  readonly root: LevelPlan;
  /** Which rows of the root; null: whatever the query finds. */
  readonly rows: RowChoice | null;
  /** Where the caller sees what rows were asked by: a hidden key finds nothing, as if there were none. */
  readonly keySeen: readonly Guard[] | 'nowhere';
  readonly meta: readonly Meta[];
  /** How many tables are read, each under its own alias. */
  readonly tables: number;
  /** Most items that it can touch, by page sizes and depth. */
  readonly cost: number;
  /** Most items of one item of the root with all below it; infinite where a list has no limit. */
  readonly itemCost: number;
  /** QUERY_MAX_NESTED_ITEMS: most items that lists may bring. */
  readonly nestedItems: number;
  /** ANSWER_MAX_SIZE: most bytes of values that become one text. */
  readonly answerSize: number;
  /** The plain values in an item, in their order. */
  readonly columns: readonly ItemColumn[];
  /** The collections whose tables are read; null: the answer depends on something else too. */
  readonly reads: ReadonlySet<string> | null;
  /** Rows are found without comparing values: any values have the same best way to find them. */
  readonly unconditional: boolean;
  /** The statement serves whoever has the same rights. */
  readonly reusable: boolean;
}

/** The levels right below a level, with what leads to each. */
export function levelsBelow({ content }: LevelPlan): LevelPlan[] {
  if (content.kind === 'groups') return [];
  return [...content.entries.values()].flatMap((entry): LevelPlan[] => {
    if (entry.kind === 'one') return [entry.level];
    if (entry.kind === 'list') return entry.level === null ? [] : [entry.level];
    if (entry.kind !== 'any') return [];
    return entry.branches.flatMap(({ told }) => (typeof told === 'string' ? [] : [told]));
  });
}

function countsAtOnce(entries: ReadonlyMap<string, Entry>): boolean {
  return [...entries.values()].some(
    (entry) => entry.kind === 'count' || (entry.kind === 'object' && countsAtOnce(entry.entries)),
  );
}

/** Whether something below a level is read for all its items at once. */
export function isAboveBatch(level: LevelPlan): boolean {
  if (level.content.kind === 'groups') return false;
  return countsAtOnce(level.content.entries) || levelsBelow(level).some(({ atOnce }) => atOnce);
}

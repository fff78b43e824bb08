/**
 * The plan of a read: the query, resolved with one catalog and one caller's permissions. It is a
 * tree of levels, tables, joins, conditions and values; `core/read/sql` converts it to a statement
 * without further lookups.
 */

import type { Sql } from '#core/database/sql.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import type { AnyToOne, End, ManyToOne, ToMany } from '#core/model/catalog/relation.ts';
import type { FunctionName } from '#core/query/function-call.ts';
import type { Key } from '#core/query/key.ts';
import type { AggregateTerm, ItemColumn, MetaName, ValueForm } from '#core/query/query.ts';
import type { Condition } from './condition.ts';
import type { StatementParameter } from './placeholder.ts';

/** One of the caller's permissions on a table: its fields and its rows. */
export interface Right {
  /** Null: every field. */
  readonly fields: ReadonlySet<string> | null;
  /**
   * Null: every row. Set after all tables of the plan are known, because rules add further ones.
   */
  condition: Condition | null;
}

/** A table of the statement, with its alias. */
export interface Table {
  readonly alias: string;
  readonly collection: Collection;
  /** A row source that replaces the table; null: the table itself. */
  readonly source: Sql | null;
  /** A row is visible when one of them holds; its visible fields are those of all that hold. */
  readonly rights: readonly Right[];
}

/** Holds on the rows on which at least one of some permissions holds. */
export interface Guard {
  readonly table: Table;
  /** The indexes of these permissions in the table's rights. */
  readonly rights: readonly number[];
  /** A precomputed expression for several values; set while writing SQL, never in a plan. */
  readonly seen?: Sql;
}

/** A column of a table. */
export interface Column {
  readonly table: Table;
  /** The field from the catalog. */
  readonly own: ColumnField;
  /** The same field, but its column has the type of decoded values. */
  readonly field: ColumnField;
  /** The visible parts of a revision's item; null for other columns. */
  readonly past: RevisionVisibility | null;
  /** The rows on which the caller may see it; null: all rows. */
  readonly guard: Guard | null;
}

/** The visible parts of an item in a revision. */
export interface RevisionVisibility {
  /** The concealed fields of each collection that has some, as JSON. */
  readonly concealed: string;
  /** The caller's current permissions, which decide what revisions show; null: all fields. */
  readonly visible: RevisionRights | null;
}

export interface RevisionRights {
  /** The fields that are visible in every row, by collection, as JSON. */
  readonly always: string;
  /** Collections whose rules decide per row. */
  readonly byRule: readonly {
    readonly item: Table;
    /** The fields of every row, and those of each permission with a condition, as JSON. */
    readonly always: string;
    readonly fields: readonly string[];
  }[];
}

/** Columns of one end of a relation. */
export interface EndColumns {
  readonly table: Table;
  readonly columns: readonly string[];
}

/** The comparison that links two tables; the statement searches rows of the left one. */
export type Match =
  | { readonly kind: 'ends'; readonly left: EndColumns; readonly right: EndColumns }
  | {
      readonly kind: 'any';
      readonly from: Table;
      readonly to: Table;
      readonly relation: AnyToOne;
      readonly end: End;
    };

/** A table joined by a relation that the caller may follow on some rows. */
export interface Join {
  readonly table: Table;
  readonly match: Match;
  /** The rows on which the relation's field is visible; null: all rows. */
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
      /** The field that contains the document or the array. */
      readonly field: ColumnField;
      readonly steps: readonly string[];
    }
  | {
      /** An element of a list value; without a field, a part of a document. */
      readonly kind: 'element';
      readonly field: ColumnField | null;
    };

/** The value of one key of the result. */
export type Entry =
  | {
      readonly kind: 'value';
      readonly value: Value;
      /** Absent: in the format of REST. */
      readonly form?: ValueForm;
    }
  | { readonly kind: 'constant'; readonly text: string }
  | {
      /** Further values of the same row. */
      readonly kind: 'object';
      readonly entries: ReadonlyMap<string, Entry>;
    }
  | {
      /** The bare key of a relation that has no field of its own. */
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
      /** Null: its items may not be disclosed. */
      readonly level: LevelPlan | null;
      /** The members of an item when only its key was selected; empty for whole items. */
      readonly keys: readonly string[];
    }
  | {
      /** The number of items of a list without a usable index. */
      readonly kind: 'count';
      readonly relation: ToMany;
      readonly guard: Guard | null;
      readonly table: Table;
      /** Absent: as text, as in REST. */
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
  /** The visible part of such an item: nothing, its bare key, or a level. */
  readonly told: 'nothing' | 'key' | LevelPlan;
}

/** Related items that determine the order of a row by their smallest or largest value. */
export interface RelatedExtremum {
  readonly parent: Table;
  readonly table: Table;
  readonly relation: ToMany;
  /** The rows on which the list's field is visible; null: all rows. */
  readonly guard: Guard | null;
  /** The joins from an item of the list to the value. */
  readonly joins: readonly Join[];
  /** The number of lists on the path, including this one. */
  readonly lists: number;
  /** Indexes find the items of one row; else the items of all rows are read at once. */
  readonly indexed: boolean;
}

/** One term of an order. */
export interface OrderTerm {
  /** A value of the row, or of each of its related items in `among`. */
  readonly value: Value;
  readonly descending: boolean;
  readonly among: RelatedExtremum | null;
}

export interface Order {
  readonly joins: readonly Join[];
  readonly terms: readonly OrderTerm[];
  /** Related items sort nulls last in both directions. */
  readonly nullsLast: boolean;
}

/** A value to group items by. */
export interface Group {
  /** Its name in the result, and in the query. */
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

/** The rows of a statement, besides the query's conditions. */
export type RowChoice =
  | { readonly kind: 'key'; readonly parts: readonly StatementParameter[] }
  | { readonly kind: 'keys'; readonly keys: readonly Key[] }
  /** By keys that the transaction has stored. */
  | { readonly kind: 'kept'; readonly field: ColumnField; readonly holds: (column: Sql) => Sql };

/** The items of one level of the result. */
export interface LevelPlan {
  /** Names from the root to this level; empty at the root. */
  readonly path: readonly string[];
  readonly table: Table;
  /**
   * The requested conditions on the items: filter and search. The table contains the permissions.
   */
  readonly conditions: readonly Condition[];
  readonly content: Items | Aggregation;
  /** The values have names from the catalog only, and no names chosen by a client. */
  readonly ownNames: boolean;
  /** Null: all items. */
  readonly limit: number | null;
  readonly offset: number;
  /**
   * The items of all parents are read at once, because reading them per parent would scan a table.
   * Set when the plan is complete.
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
  /** The rows of the root; null: all rows that the query matches. */
  readonly rows: RowChoice | null;
  /** Where the caller may see the key that selects rows: a hidden key finds no rows. */
  readonly keySeen: readonly Guard[] | 'nowhere';
  readonly meta: readonly Meta[];
  /** The number of tables that are read, each under its own alias. */
  readonly tables: number;
  /** The maximum number of items that it may touch, from page sizes and depth. */
  readonly cost: number;
  /**
   * The maximum number of items in one root item with all levels below it; infinite without a
   * limit.
   */
  readonly itemCost: number;
  /** QUERY_MAX_NESTED_ITEMS: the maximum number of items in lists. */
  readonly nestedItems: number;
  /** ANSWER_MAX_SIZE: the maximum size in bytes of values in one text. */
  readonly answerSize: number;
  /** The plain values of an item, in order. */
  readonly columns: readonly ItemColumn[];
  /** The collections whose tables are read; null: the result also depends on something else. */
  readonly reads: ReadonlySet<string> | null;
  /**
   * Rows are found without comparing values, so that the best query plan is the same for all
   * values.
   */
  readonly unconditional: boolean;
  /** Callers with the same permissions can share the statement. */
  readonly reusable: boolean;
}

/** The levels directly below a level. */
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

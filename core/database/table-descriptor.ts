/** Tables as PostgreSQL describes them, in plain JSON. */

/** The type of a collection's database object. */
export type TableKind = 'table' | 'partitioned' | 'view' | 'materialized view' | 'foreign table';

/** One column as PostgreSQL describes it, with domains resolved to their base type. */
export interface ColumnDescriptor {
  readonly name: string;
  /** 1-based position in the table, as PostgreSQL counts it (dropped columns leave gaps). */
  readonly position: number;
  /** Name of the base type in pg_type: `int4`, `varchar`, `timestamptz`, `_text`, an enum's name. */
  readonly typeName: string;
  /** Schema of that type. */
  readonly typeSchema: string;
  /** The column's own type as SQL writes it, such as `character varying(80)` or `shop.mood`. */
  readonly typeText: string;
  /** `b` base, `e` enum, `c` composite, `r` range, `m` multirange; of the type under a domain. */
  readonly typeKind: string;
  /** Name of the element's type when the column is an array, else null. */
  readonly elementType: string | null;
  /** Qualified name of the domain that the column was declared with, else null. */
  readonly domain: string | null;
  readonly enumValues: readonly string[] | null;
  readonly nullable: boolean;
  /** Default as an SQL expression, null without one, as for identity columns. */
  readonly defaultExpression: string | null;
  /** Expression of a generated column, else null. */
  readonly generatedExpression: string | null;
  readonly identity: 'always' | 'by default' | null;
  /** Sequence that the column owns (serial or identity): [schema, name]. */
  readonly sequence: readonly [string, string] | null;
  readonly maxLength: number | null;
  readonly numericPrecision: number | null;
  readonly numericScale: number | null;
  readonly comment: string | null;
}

export interface UniqueDescriptor {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface IndexDescriptor {
  readonly name: string;
  /** Columns in index order; null for an expression. */
  readonly columns: readonly (string | null)[];
  readonly unique: boolean;
  readonly method: string;
  readonly partial: boolean;
  readonly valid: boolean;
}

export interface CheckDescriptor {
  readonly name: string;
  /** The condition as PostgreSQL deparses it. */
  readonly expression: string;
}

export type ReferentialAction = 'NO ACTION' | 'RESTRICT' | 'CASCADE' | 'SET NULL' | 'SET DEFAULT';

export interface ForeignKeyDescriptor {
  readonly name: string;
  readonly columns: readonly string[];
  readonly targetSchema: string;
  readonly targetTable: string;
  readonly targetColumns: readonly string[];
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
}

/** One table, view or similar. */
export interface TableDescriptor {
  readonly schema: string;
  readonly name: string;
  readonly kind: TableKind;
  readonly comment: string | null;
  readonly columns: readonly ColumnDescriptor[];
  /** Columns in key order; null without a primary key. */
  readonly primaryKey: readonly string[] | null;
  readonly uniques: readonly UniqueDescriptor[];
  readonly indexes: readonly IndexDescriptor[];
  readonly checks: readonly CheckDescriptor[];
  readonly foreignKeys: readonly ForeignKeyDescriptor[];
  /** The table has user-defined triggers or rules. */
  readonly userTriggers: boolean;
  /** The planner's row estimate, as a power of ten (0 below one); -1 without an estimate. */
  readonly estimatedRows: number;
}

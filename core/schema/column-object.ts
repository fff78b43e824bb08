/** The API representation of a field's column, from the catalog and its indexes. */
import type {
  ColumnDescriptor,
  ForeignKeyDescriptor,
  IndexDescriptor,
  TableDescriptor,
} from '#core/model/catalog/descriptor.ts';
import type { FieldType } from '#core/model/catalog/field-type.ts';
import { defaultValue } from './read-default.ts';

/** The state of a field's index: an index that is being built is not used yet. */
export type IndexState = 'building' | 'ready' | 'invalid';

/** The column of a field. */
export interface ColumnObject {
  readonly name: string;
  readonly table: string;
  readonly schema: string;
  /** The type in SQL, without length and precision. */
  readonly data_type: string;
  /** In the type of the field; SQL such as `now()` is a text. */
  readonly default_value: unknown;
  readonly generation_expression: string | null;
  readonly max_length: number | null;
  readonly numeric_precision: number | null;
  readonly numeric_scale: number | null;
  readonly is_generated: boolean;
  readonly is_nullable: boolean;
  /**
   * A complete, valid, unique index exists on this column alone, besides that of the primary key.
   */
  readonly is_unique: boolean;
  /** A complete, valid, non-unique index exists on this column alone. */
  readonly is_indexed: boolean;
  readonly is_primary_key: boolean;
  readonly has_auto_increment: boolean;
  /** The foreign key of this column alone. */
  readonly foreign_key_schema: string | null;
  readonly foreign_key_table: string | null;
  readonly foreign_key_column: string | null;
  readonly comment: string | null;
  /** The values of an enumeration, in its order; missing for other types. */
  readonly enum_values?: readonly string[];
  /** Missing when this column alone has no index except that of the primary key. */
  readonly index_state?: IndexState;
}

/** The effects of a table's indexes and keys on single columns. */
interface ColumnFacts {
  readonly unique: ReadonlySet<string>;
  readonly indexed: ReadonlySet<string>;
  readonly invalid: ReadonlySet<string>;
  readonly foreignKeys: ReadonlyMap<string, ForeignKeyDescriptor>;
}

const factsOf = new WeakMap<TableDescriptor, ColumnFacts>();

function columnsOf(indexes: readonly IndexDescriptor[]): ReadonlySet<string> {
  return new Set(indexes.flatMap(({ columns: [column] }) => column ?? []));
}

function gatherFacts({ indexes, foreignKeys, primaryKey }: TableDescriptor): ColumnFacts {
  const [key] = primaryKey?.length === 1 ? primaryKey : [];
  const single = indexes.filter(({ columns, partial, unique }) => {
    const [column] = columns;
    return columns.length === 1 && column !== null && !partial && !(unique && column === key);
  });
  const valid = single.filter((index) => index.valid);
  return {
    unique: columnsOf(valid.filter(({ unique }) => unique)),
    indexed: columnsOf(valid.filter(({ unique }) => !unique)),
    invalid: columnsOf(single.filter((index) => !index.valid)),
    foreignKeys: new Map(
      foreignKeys.flatMap((foreignKey) => {
        const [column, ...others] = foreignKey.columns;
        return column === undefined || others.length > 0 ? [] : [[column, foreignKey] as const];
      }),
    ),
  };
}

function factsAbout(table: TableDescriptor): ColumnFacts {
  const facts = factsOf.get(table) ?? gatherFacts(table);
  factsOf.set(table, facts);
  return facts;
}

/** The type without its modifiers; quoted text is a name. */
function dataType({ typeText }: ColumnDescriptor): string {
  return typeText.replace(/("(?:[^"]|"")*")|\([^)]*\)/g, '$1');
}

function indexState(facts: ColumnFacts, column: string, building: boolean): IndexState | null {
  if (building) return 'building';
  if (facts.invalid.has(column)) return 'invalid';
  return facts.unique.has(column) || facts.indexed.has(column) ? 'ready' : null;
}

/**
 * The API representation of a field's column.
 * @param type of the field
 * @param building an index of this column is being built, or waits for it
 */
export function columnObject(
  table: TableDescriptor,
  column: ColumnDescriptor,
  type: FieldType,
  building: boolean,
): ColumnObject {
  const { name } = column;
  const facts = factsAbout(table);
  const foreignKey = facts.foreignKeys.get(name) ?? null;
  const state = indexState(facts, name, building);
  return {
    name,
    table: table.name,
    schema: table.schema,
    data_type: dataType(column),
    default_value: defaultValue(column, type),
    generation_expression: column.generatedExpression,
    max_length: column.maxLength,
    numeric_precision: column.numericPrecision,
    numeric_scale: column.numericScale,
    is_generated: column.generatedExpression !== null,
    is_nullable: column.nullable,
    is_unique: facts.unique.has(name),
    is_indexed: facts.indexed.has(name),
    is_primary_key: table.primaryKey?.includes(name) ?? false,
    has_auto_increment: column.identity !== null || column.sequence !== null,
    foreign_key_schema: foreignKey?.targetSchema ?? null,
    foreign_key_table: foreignKey?.targetTable ?? null,
    foreign_key_column: foreignKey?.targetColumns[0] ?? null,
    comment: column.comment,
    ...(column.enumValues === null ? {} : { enum_values: column.enumValues }),
    ...(state === null ? {} : { index_state: state }),
  };
}

/** Maps the columns of a file to fields, and determines the conversion of their values. */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import {
  namesObject,
  readableCheck,
  type TextCheck,
  textChecker,
} from '#core/model/values/check-value.ts';
import { isTemporal } from '#core/model/values/json-type.ts';
import { looksLikeNumber } from '#core/model/values/number.ts';
import { looksLikeTimestamp } from '#core/model/values/timestamp-text.ts';
import { hasSecrets } from '#core/write/special-flags.ts';
import type { ImportableCollection } from '../target/import-target.ts';
import type { Reference } from '../target/reference.ts';
import { displayName } from './row-fault.ts';
import { looksLikeBoolean, looksLikeWhole, WHOLE_TYPES } from './spelling.ts';

/**
 * How a value becomes PostgreSQL's text: unchanged, as JSON, as an array, or (a comma list in a
 * text column) as its elements joined by commas.
 */
export type ValueForm = 'plain' | 'json' | 'array' | 'list';

/** Whether the bytes between two positions have a usual form. */
export type PlainBytesTest = (bytes: Uint8Array, start: number, end: number) => boolean;

const NUMBERS = new Set(['int2', 'int4', 'int8', 'numeric', 'float4', 'float8']);

/** A column of a file. */
export interface FileColumn {
  readonly name: string;
  readonly field: ColumnField;
  /** The index of its cell in the records of a CSV file; 0 in other formats. */
  readonly cell: number;
  readonly form: ValueForm;
  /** The mask that readers see instead of its values is not imported. */
  readonly masked: boolean;
  /**
   * Checks values that PostgreSQL would misread, or that some releases cannot read; null when
   * PostgreSQL can check all.
   */
  readonly check: TextCheck | null;
  /** Whether bytes look so usual that they can be copied as they are; null without such a test. */
  readonly isUsual: PlainBytesTest | null;
  /**
   * It refers to one item, of one collection or of any, which the file may contain as an object.
   */
  readonly links: 'one' | 'any' | null;
  /** The path of members that leads to it, from the collection itself; null for a plain column. */
  readonly path: readonly string[] | null;
  /** Its values find items by another field, which is `field` then. */
  readonly reference?: Reference;
  /** The column of the collection that stores the found keys; only with `reference`. */
  readonly link?: ColumnField;
  /** The value of all rows, which the file does not have. */
  readonly constant?: ConstantValue;
}

/** A value that an option gives to all rows. */
export interface ConstantValue {
  readonly json: unknown;
  /** As PostgreSQL's text. */
  readonly text: string | null;
}

/** Whether the result is the reason for a missing column. */
export function isReason(found: object): found is Reason {
  return 'sentence' in found;
}

/** The stored text of a value's text; the report handles an invalid one. */
export function storedText(
  { field: { codec }, check }: Pick<FileColumn, 'field' | 'check'>,
  text: string,
): string {
  return codec === null || check?.(text) !== null ? text : codec.encode(text);
}

function formOf(field: ColumnField): ValueForm {
  // The hash is stored in the form of the field, instead of the text.
  if (hasSecrets(field)) return 'plain';
  if (field.column.elementType !== null) return 'array';
  if (field.type === 'csv') return 'list';
  return field.type === 'json' || field.type.startsWith('geometry') ? 'json' : 'plain';
}

function isKey(collection: Collection, name: string): boolean {
  return collection.primaryKey.some((field) => field.name === name);
}

/**
 * The column of a name in a file, or the reason for its absence. The key may be an identity column:
 * then it finds existing items.
 */
export function fileColumn(
  collection: Collection &
    Partial<Pick<ImportableCollection, 'relations' | 'references' | 'constants'>>,
  name: string,
): FileColumn | Reason {
  if (isConstant(collection, name)) {
    return reason('constant_field_in_file', { field: JSON.stringify(name) });
  }
  const column = ownColumn(collection, name);
  const reference = collection.references?.get(name);
  if (reference === undefined || isReason(column)) return column;
  return referenceColumn(column, reference);
}

/** Whether an option gives the field its value. */
export function isConstant(
  { constants = {} }: Pick<ImportableCollection, 'constants'>,
  name: string,
): boolean {
  return Object.hasOwn(constants, name);
}

/** A column with values of another field of the items that it refers to. */
function referenceColumn(column: FileColumn, reference: Reference): FileColumn {
  const { by, collection } = reference;
  const read = columnOf({ collection, field: by, name: column.name });
  return { ...read, masked: false, links: column.links, reference, link: column.field };
}

/** The column with keys instead of the values that find them. */
export function plainColumn(column: FileColumn): FileColumn {
  const { reference, link, ...others } = column;
  if (link === undefined) return column;
  return { ...others, field: link, form: formOf(link), check: null, isUsual: null };
}

function ownColumn(
  collection: Collection & Partial<Pick<ImportableCollection, 'relations'>>,
  name: string,
): FileColumn | Reason {
  const field = collection.fields.get(name);
  if (field === undefined) {
    return reason('import_field_unknown', { field: JSON.stringify(displayName(name)) });
  }
  const { column } = field;
  if (column === null)
    return reason('import_field_without_column', { field: JSON.stringify(name) });
  if (column.generatedExpression !== null) {
    return reason('import_field_computed', { field: JSON.stringify(name) });
  }
  if (column.identity === 'always' && !isKey(collection, name)) {
    return reason('import_field_numbered', { field: JSON.stringify(name) });
  }
  return columnOf({ collection, field: { ...field, column }, name });
}

function columnOf({
  collection,
  field,
  name,
}: {
  readonly collection: Collection & Partial<Pick<ImportableCollection, 'relations'>>;
  readonly field: ColumnField;
  readonly name: string;
}): FileColumn {
  const { column } = field;
  const columnField = field;
  const isMoment = isTemporal(field) && field.codec === null;
  const isNumber = NUMBERS.has(column.elementType ?? column.typeName);
  const isShape = field.type.startsWith('geometry');
  const isJudged = isMoment || isNumber || isShape || field.codec !== null || namesObject(column);
  // Values that the type json stores but later reads fail on are rejected; PostgreSQL checks the
  // rest.
  const ofJson = column.typeName === 'json' ? readableCheck : null;
  const check = isJudged || column.elementType === 'json' ? textChecker(columnField) : ofJson;
  const masked = isConcealed(field);
  const kind = collection.relations?.get(name)?.kind;
  const links = kind === 'm2o' ? 'one' : kind === 'a2o' ? 'any' : null;
  const form = formOf(columnField);
  const known = { name, field: columnField, cell: 0, form, masked, check };
  const isPlainNumber = isNumber && column.elementType === null && field.codec === null;
  const isWhole = isPlainNumber && WHOLE_TYPES.has(column.typeName);
  const isUsual = isMoment
    ? looksLikeTimestamp
    : isWhole
      ? looksLikeWhole
      : isPlainNumber
        ? looksLikeNumber
        : column.typeName === 'bool'
          ? looksLikeBoolean
          : null;
  return { ...known, isUsual, links, path: null };
}

/** All columns that a file may contain. */
export function allColumns(collection: Collection): FileColumn[] {
  return [...collection.fields.keys()]
    .map((name) => fileColumn(collection, name))
    .flatMap((column) => (isReason(column) ? [] : [column]));
}

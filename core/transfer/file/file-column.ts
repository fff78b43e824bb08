/** Maps the columns of a file to fields, and decides how their values are converted. */
import type { Collection, ColumnField } from '#core/catalog/catalog.ts';
import { isConcealed } from '#core/catalog/concealed-field.ts';
import type { Relations } from '#core/catalog/relation.ts';
import { hasSecrets } from '#core/mutation/special.ts';
import {
  namesObject,
  readableCheck,
  type TextCheck,
  textChecker,
} from '#core/values/check-value.ts';
import { isTemporal } from '#core/values/json-type.ts';
import { shownName } from './row-fault.ts';

/**
 * How a value becomes PostgreSQL's text: unchanged, as JSON, as an array, or (a comma list in a
 * text column) as its elements joined by commas.
 */
export type ValueForm = 'plain' | 'json' | 'array' | 'list';

/** A column of a file. */
export interface FileColumn {
  readonly name: string;
  readonly field: ColumnField;
  /** The index of its cell in the records of a CSV file; 0 in other formats. */
  readonly cell: number;
  readonly form: ValueForm;
  /** The mask that readers see instead of its values is not a value. */
  readonly masked: boolean;
  /** Checks values that PostgreSQL would misread; null when it can check all. */
  readonly check: TextCheck | null;
  /** Dates and times; most of them need no check. */
  readonly temporal: boolean;
  /** It refers to one item, of one collection or of any, which may stand there as an object. */
  readonly links: 'one' | 'any' | null;
  /** The members that lead to it, the collection's own first; null for what a file writes by itself. */
  readonly path: readonly string[] | null;
}

/** The stored text of a value's text; an invalid one is left for the report. */
export function storedText({ field: { stored }, check }: FileColumn, text: string): string {
  return stored === null || check?.(text) !== null ? text : stored.text(text);
}

function formOf(field: ColumnField): ValueForm {
  // Its hash is stored in the form of the field, not the text itself.
  if (hasSecrets(field)) return 'plain';
  if (field.column.elementType !== null) return 'array';
  if (field.type === 'csv') return 'list';
  return field.type === 'json' || field.type.startsWith('geometry') ? 'json' : 'plain';
}

function isKey(collection: Collection, name: string): boolean {
  return collection.primaryKey.some((field) => field.name === name);
}

/**
 * The column of a name in a file, or a sentence that says why there is none. The key may be an
 * identity column: then it finds existing items.
 */
export function fileColumn(
  collection: Collection & { readonly relations?: Relations },
  name: string,
): FileColumn | string {
  const field = collection.fields.get(name);
  if (field === undefined) {
    return `The collection has no field ${JSON.stringify(shownName(name))}.`;
  }
  const { column } = field;
  if (column === null) return `The field ${JSON.stringify(name)} has no column of its own.`;
  if (column.generatedExpression !== null) {
    return `The field ${JSON.stringify(name)} is computed by the database.`;
  }
  if (column.identity === 'always' && !isKey(collection, name)) {
    return `The field ${JSON.stringify(name)} is numbered by the database.`;
  }
  const columnField = { ...field, column };
  const temporal = isTemporal(field) && field.stored === null;
  const isShape = field.type.startsWith('geometry');
  const isJudged = temporal || isShape || field.stored !== null || namesObject(column);
  // What the type json stores and nothing reads is refused; the rest of it PostgreSQL checks.
  const ofJson = column.typeName === 'json' ? readableCheck : null;
  const check = isJudged || column.elementType === 'json' ? textChecker(columnField) : ofJson;
  const masked = isConcealed(field);
  const kind = collection.relations?.get(name)?.kind;
  const links = kind === 'm2o' ? 'one' : kind === 'a2o' ? 'any' : null;
  const form = formOf(columnField);
  const known = { name, field: columnField, cell: 0, form, masked, check };
  return { ...known, temporal, links, path: null };
}

/** All columns that a file may contain. */
export function allColumns(collection: Collection): FileColumn[] {
  return [...collection.fields.keys()]
    .map((name) => fileColumn(collection, name))
    .filter((column) => typeof column !== 'string');
}

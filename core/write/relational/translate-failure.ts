/**
 * Finds the item of the payload whose write the database rejected, by the row in the error. Also
 * finds the field when the error names no column.
 */
import type pg from 'pg';
import { failureView } from '#core/access/error-visibility.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { constraintColumns, foreignKeyOf, keyDetail } from '#core/database/constraint.ts';
import { blamesValue, type FailureView, translateFailure } from '#core/database/failure.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { TableDescriptor } from '#core/model/catalog/descriptor.ts';
import type { Key } from '#core/query/key.ts';
import { ownMember } from '../payload.ts';
import type { WriteTarget } from '../write-context.ts';
import { errorAtPath } from './error-path.ts';
import type { RowNode } from './work.ts';

/** Items of one collection that a transaction writes. */
export interface WrittenItems {
  readonly collection: Collection;
  readonly nodes: readonly RowNode[];
}

/** One of these items. */
interface Candidate {
  readonly collection: Collection;
  readonly node: RowNode;
}

/** The text that an item writes to a column; undefined when it does not write the column. */
function textOf({ node, collection }: Candidate, column: string): string | null | undefined {
  for (const [field, text] of node.row) if (field.column.name === column) return text;
  const place = collection.primaryKey.findIndex((field) => field.column.name === column);
  return place < 0 ? undefined : node.key?.[place];
}

/** Compares texts case-insensitively: an index over an expression usually changes the case. */
function isSame(text: string, other: string): boolean {
  return text === other || text.toLowerCase() === other.toLowerCase();
}

/** The values in `Failing row contains (1, a, null).`; null when they cannot be split. */
function failingRow(error: pg.DatabaseError, table: TableDescriptor): Map<string, string> | null {
  const detail = error.detail ?? '';
  const values = detail.slice(detail.indexOf('(') + 1, detail.lastIndexOf(')')).split(', ');
  const columns = [...table.columns].sort((a, b) => a.position - b.position);
  if (values.length !== columns.length) return null;
  return new Map(columns.map(({ name }, place) => [name, values[place] ?? '']));
}

/** Whether PostgreSQL prints the value like this; it truncates long values. */
function isShownAs(text: string | null, shown: string): boolean {
  if (text === null) return shown === 'null';
  if (isSame(text, shown)) return true;
  return shown.endsWith('...') && text.startsWith(shown.slice(0, -3));
}

/** The only candidate that matches the failing row; null when several or no candidates match. */
function shownIn(
  error: pg.DatabaseError,
  table: TableDescriptor,
  own: readonly Candidate[],
): Candidate | null {
  const row = failingRow(error, table);
  if (row === null) return null;
  const columns = [...row.keys()];
  const found = own.filter((one) =>
    columns.every((name) => {
      const text = textOf(one, name);
      return text === undefined || isShownAs(text, row.get(name) ?? '');
    }),
  );
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Whether the error names the collection's table; a partition is not a collection. */
function isOf(error: pg.DatabaseError, { table }: Collection): boolean {
  return table !== null && (table.name === error.table || table.kind === 'partitioned');
}

/** The view of a failure, extended so that an error about a partition names its parent table. */
function withPartitions(
  view: FailureView,
  { catalog }: WriteTarget,
  written: readonly Pick<WrittenItems, 'collection'>[],
): FailureView {
  const parents = written.flatMap(({ collection: { table } }) =>
    table?.kind === 'partitioned' ? [table] : [],
  );
  const [parent, ...others] = new Set(parents);
  if (parent === undefined || others.length > 0) return view;
  return {
    ...view,
    tableOf: (schema, name) =>
      catalog.collections.has(name)
        ? view.tableOf(schema, name)
        : view.tableOf(parent.schema, parent.name),
  };
}

/** The candidate that caused the failure; null when it cannot be determined. */
function culprit(error: pg.DatabaseError, all: readonly Candidate[]): Candidate | null {
  if (all.length === 1) return all[0] ?? null;
  const own = all.filter(({ collection }) => isOf(error, collection));
  const table = own[0]?.collection.table;
  if (!table) return null;
  const { code, column } = error;
  if (code === SQLSTATE.notNullViolation && column !== undefined) {
    return own.find((one) => (textOf(one, column) ?? null) === null) ?? null;
  }
  const key = keyDetail(error);
  if (key === null) return shownIn(error, table, own);
  const columns =
    code === SQLSTATE.foreignKeyViolation
      ? (foreignKeyOf(error, table)?.columns ?? [])
      : constraintColumns(error, table);
  const hasKey = (one: Candidate) => {
    const texts = columns.map((name) => textOf(one, name));
    return texts.every((text) => typeof text === 'string') && isSame(texts.join(', '), key.values);
  };
  // Among items with the same value, the later one violates the unique constraint.
  return (code === SQLSTATE.uniqueViolation ? own.findLast(hasKey) : own.find(hasKey)) ?? null;
}

function isOfDomain({ column }: ColumnField, name: string): boolean {
  return column.domain?.split('.').at(-1)?.replaceAll('"', '') === name;
}

/** The fields that may have caused a failure that names no column: those of its domain, or all. */
function possibleFields(error: pg.DatabaseError, { node }: Candidate): ColumnField[] {
  const { dataType } = error;
  const fields = [...node.row.keys()];
  return dataType === undefined ? fields : fields.filter((field) => isOfDomain(field, dataType));
}

/** The failing field's name; null when it is hidden from the caller or cannot be determined. */
function fieldOf(
  error: pg.DatabaseError,
  view: FailureView,
  { told, all }: { readonly told: unknown; readonly all: readonly Candidate[] },
): string | null {
  if (typeof told === 'string') return told;
  // The constraint of a table determines the columns, so they must be hidden from the caller.
  if (error.table !== undefined) return null;
  const found = new Map<ColumnField, Collection>();
  for (const one of all) {
    for (const field of possibleFields(error, one)) found.set(field, one.collection);
  }
  const [[field, { table }] = [null, { table: null }]] = found;
  if (found.size !== 1 || field === null || table === null) return null;
  return view.tableOf(table.schema, table.name)?.fieldOf(field.column.name)?.name ?? null;
}

/** The value that the client sent for a field, unless it is a secret. */
function sentValue({ collection, node }: Candidate, name: string): unknown {
  const field = collection.fields.get(name);
  if (!field?.column || isConcealed(field)) return undefined;
  return ownMember(node.sent, name);
}

/** The collection of an item, if the caller may know its name. */
function seenCollection(view: FailureView, found: Candidate | null): string | null {
  const table = found?.collection.table;
  return table ? (view.tableOf(table.schema, table.name)?.collection ?? null) : null;
}

/**
 * Converts the failure of a write to the error for the caller; failures that no item caused are
 * unchanged.
 */
export function translateWriteFailure(
  error: unknown,
  target: WriteTarget,
  written: readonly WrittenItems[],
): unknown {
  if (!blamesValue(error)) return error;
  const view = withPartitions(failureView(target, true), target, written);
  const translated = translateFailure(error, view);
  if (!(translated instanceof ServiceError) || translated.code === 'FORBIDDEN') return translated;
  const all = written.flatMap(({ collection, nodes }) =>
    nodes.map((node) => ({ collection, node })),
  );
  const found = culprit(error, all);
  const { details, code, headers } = translated;
  const field = fieldOf(error, view, { told: details.field, all });
  const value = found === null || field === null ? undefined : sentValue(found, field);
  const full = new ServiceError(
    code,
    {
      ...details,
      field,
      collection: details.collection ?? seenCollection(view, found),
      ...(details.value !== undefined || value === undefined ? {} : { value }),
    },
    { cause: error, headers },
  );
  return found === null ? full : errorAtPath(full, found.node.place);
}

/**
 * Converts the failure of a deletion to the error for the caller. It may hide the collection that
 * still refers to an item, but not the item, which the caller named.
 */
export function translateDeletionFailure(
  error: unknown,
  target: WriteTarget,
  collection: Collection,
  keys: readonly Key[],
): unknown {
  if (!blamesValue(error)) return error;
  const translated = translateFailure(error, failureView(target, true));
  if (!(translated instanceof ServiceError) || translated.code !== 'INVALID_FOREIGN_KEY') {
    return translated;
  }
  const { details } = translated;
  const { columns, values } = keyDetail(error) ?? {};
  const names = collection.primaryKey.map(({ name }) => name);
  const isOurs =
    columns === collection.primaryKey.map(({ column }) => column.name).join(', ') &&
    keys.some((key) => key.join(', ') === values);
  if (typeof details.field === 'string' || !isOurs) return translated;
  const item = { collection: collection.name, field: names.join(','), value: values };
  return new ServiceError(translated.code, { ...details, ...item }, { cause: error });
}

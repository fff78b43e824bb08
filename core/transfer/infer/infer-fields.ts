/**
 * Infers the fields of a collection that an import creates: their types come from the whole file,
 * which is read as a stream.
 */
import * as v from 'valibot';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { validateName } from '#core/schema/validate-name.ts';
import { COLUMNS_MAX } from '../file/csv-rows.ts';
import type { FileColumn } from '../file/file-column.ts';
import {
  fieldOf,
  hasCells,
  headerOf,
  type ImportFile,
  missingHeaders,
  rowReader,
} from '../file/import-file.ts';
import { type RowFault, syntaxFault, UnreadableFile, withAdvice } from '../file/row-fault.ts';
import type { Row, RowHandler } from '../file/row-reader.ts';
import { type InferredType, TypeInference } from './infer-type.ts';
import { AscendingCheck, areUnique } from './unique-values.ts';

/** The field that becomes the primary key. */
const KEY = 'id';
const KEY_TYPES: ReadonlySet<InferredType> = new Set(['integer', 'bigInteger', 'uuid', 'text']);

export interface InferredField {
  readonly field: string;
  readonly type: InferredType;
  readonly primary_key?: true;
}

/** The inferred content of the file. */
export interface Inference {
  readonly fields: readonly InferredField[];
  readonly rows: number;
  readonly skipped: number;
  /** The number of unreadable rows, and the first of their faults. */
  readonly failed: number;
  readonly faults: readonly RowFault[];
}

/** A column whose values are read as written. */
function rawColumn(name: string, cell: number): FileColumn {
  const column: ColumnField['column'] = {
    ...{ name, position: cell + 1, typeName: 'json', typeSchema: 'pg_catalog', typeText: 'json' },
    ...{ typeKind: 'b', elementType: null, domain: null, enumValues: null, nullable: true },
    ...{ defaultExpression: null, generatedExpression: null, identity: null, sequence: null },
    ...{ maxLength: null, numericPrecision: null, numericScale: null, comment: null },
  };
  const field: ColumnField = { name, type: 'json', column, codec: null, special: [], meta: null };
  const plain = { masked: false, check: null, isUsual: null, links: null, path: null };
  return { name, field, cell, form: 'json', ...plain };
}

/** Why a name cannot be a field name; null when it can. */
function nameFault(name: string): Reason | null {
  if (name === '') return reason('header_column_without_name');
  const parsed = v.safeParse(validateName('field'), name, { abortPipeEarly: true });
  if (parsed.success && !name.includes('.')) return null;
  // In requests a dot separates the fields of related items.
  const why = parsed.success
    ? reason('new_field_name_with_dot')
    : reason('new_field_name_invalid', { message: parsed.issues[0].message });
  return withAdvice(why, `Use "mapping" to give ${JSON.stringify(name)} another name.`);
}

/** @throws {UnreadableFile} with the faults of all names */
async function csvColumns(file: ImportFile): Promise<FileColumn[]> {
  const header = await headerOf(file);
  const faults = missingHeaders(file.parameters, header);
  const columns: FileColumn[] = [];
  for (const [cell, { name: own, ...place }] of header.entries()) {
    const name = fieldOf(file.parameters, own);
    if (name === null || (name === '' && file.table !== undefined)) continue;
    const isTwice = columns.some((column) => column.name === name);
    const twice = isTwice
      ? reason('header_names_field_twice', { name: JSON.stringify(name) })
      : null;
    const why = nameFault(name) ?? twice;
    if (why !== null) faults.push({ ...syntaxFault(why, null, place), field: name });
    else columns.push(rawColumn(name, cell));
  }
  const [first, ...rest] = faults;
  if (first !== undefined) throw new UnreadableFile(first, ...rest);
  return columns;
}

const IGNORED: RowHandler = {
  row: () => undefined,
  fault: () => undefined,
  skipped: () => undefined,
  member: () => undefined,
};

async function readRows(
  file: ImportFile,
  columns: readonly FileColumn[],
  handler: RowHandler,
  signal: AbortSignal,
): Promise<void> {
  const reader = rowReader(file, columns, handler);
  for await (const chunk of file.content()) {
    signal.throwIfAborted();
    reader.push(chunk);
  }
  reader.end();
}

/** @throws {UnreadableFile} with the faults of the first of their names */
async function jsonColumns(file: ImportFile, signal: AbortSignal): Promise<FileColumn[]> {
  const names = new Set<string>();
  const member = (name: string, row: number) => {
    if (names.has(name)) return;
    const why =
      names.size === COLUMNS_MAX
        ? reason('objects_have_too_many_members', { limit: COLUMNS_MAX })
        : nameFault(name);
    if (why !== null) throw new UnreadableFile({ ...syntaxFault(why, row, null), field: name });
    names.add(name);
  };
  await readRows(file, [], { ...IGNORED, member }, signal);
  return [...names].map((name, cell) => rawColumn(name, cell));
}

/** The facts about the column that may become the key. */
class KeyColumn {
  readonly index: number;
  readonly ascent = new AscendingCheck();
  /** The first row without a value. */
  lacking: number | null = null;

  constructor(index: number) {
    this.index = index;
  }

  add(row: Row, value: string | null | undefined): void {
    if (value === null || value === undefined) this.lacking ??= row.number;
    else this.ascent.add(row.integer(this.index));
  }
}

const OTHER_NAME = `Use "mapping" to give it another name; then the collection gets a field "${KEY}" of its own.`;

/** @throws {UnreadableFile} when the column cannot be the primary key */
async function checkKey(
  file: ImportFile,
  columns: readonly FileColumn[],
  { key, type, rows }: { key: KeyColumn; type: InferredType; rows: number },
  signal: AbortSignal,
): Promise<void> {
  const refuse = (why: Reason, row: number | null): never => {
    throw new UnreadableFile({
      ...syntaxFault(withAdvice(why, OTHER_NAME), row, null),
      field: KEY,
    });
  };
  if (key.lacking !== null) refuse(reason('key_row_without_value', { key: KEY }), key.lacking);
  if (!KEY_TYPES.has(type)) refuse(reason('key_type_unsuitable', { key: KEY, type }), null);
  if (key.ascent.ascends) return;
  const isUnique = await areUnique(rows, (take) => {
    const row = (one: Row) => {
      const value = one.value(key.index);
      // The case of a UUID is insignificant.
      if (typeof value === 'string') take(type === 'uuid' ? value.toLowerCase() : value);
    };
    return readRows(file, columns, { ...IGNORED, row }, signal);
  });
  if (!isUnique) refuse(reason('key_value_repeated', { key: KEY }), null);
}

/**
 * Reads the whole file, twice when a key has to be compared or the file is JSON.
 * @param faultsMax the maximum number of stored faults
 * @throws {UnreadableFile} when it cannot be read completely, or its names or its key are invalid
 */
export async function inferFields(
  file: ImportFile,
  { signal, faultsMax }: { readonly signal: AbortSignal; readonly faultsMax: number },
): Promise<Inference> {
  const isJson = !hasCells(file.format);
  const columns = isJson ? await jsonColumns(file, signal) : await csvColumns(file);
  const types = columns.map(() => new TypeInference(isJson, file.parameters));
  const isTable = file.table !== undefined;
  const index = columns.findIndex(({ name }) => name === KEY);
  const key = index < 0 ? null : new KeyColumn(index);
  const faults: RowFault[] = [];
  let [rows, skipped, failed] = [0, 0, 0];
  const handler: RowHandler = {
    row(row) {
      rows += 1;
      for (const [place, type] of types.entries()) {
        const value = isTable ? row.written(place) : row.value(place);
        const isNull = value === null || value === undefined || value === '' || value === 'null';
        if (!isNull) type.add(value);
        if (place === key?.index) key.add(row, isNull ? null : value);
      }
    },
    fault(fault) {
      failed += 1;
      if (faults.length < faultsMax) faults.push(fault);
    },
    skipped() {
      skipped += 1;
    },
    member: () => undefined,
  };
  await readRows(file, columns, handler, signal);
  const fields = columns.map(({ name, cell }, place): InferredField => {
    const declared = file.table?.types?.[cell] ?? null;
    const type = declared ?? types[place]?.type ?? 'text';
    return { field: name, type, ...(place === key?.index ? { primary_key: true } : {}) };
  });
  if (key === null) {
    fields.unshift({ field: KEY, type: 'integer', primary_key: true });
  } else {
    const type = fields[key.index]?.type ?? 'text';
    await checkKey(file, columns, { key, type, rows }, signal);
  }
  return { fields, rows, skipped, failed, faults };
}

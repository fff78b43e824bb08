/**
 * Infers the fields of a collection that an import creates: their types come from the whole file,
 * which is read as a stream.
 */
import * as v from 'valibot';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { ImportParameters, NewFieldType } from '#core/jobs/message/import-parameters.ts';
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
import {
  displayValue,
  type RowFault,
  syntaxFault,
  UnreadableFile,
  withAdvice,
} from '../file/row-fault.ts';
import type { Row, RowHandler } from '../file/row-reader.ts';

import { type ColumnFormat, type Misfit, TypeInference } from './infer-type.ts';
import { AscendingCheck, areUnique } from './unique-values.ts';

/** The field that becomes the primary key, unless the options name another. */
const KEY = 'id';
const KEY_TYPES: ReadonlySet<NewFieldType> = new Set([
  ...(['integer', 'bigInteger', 'uuid', 'string', 'text'] as const),
]);

export interface InferredField {
  readonly field: string;
  readonly type: NewFieldType;
  readonly primary_key?: true;
  /** The number of values that lack the type, and the first of them. */
  readonly misfits?: number;
  readonly examples?: readonly Misfit[];
  /** Notations that fit the same values; the field holds text until the options choose one. */
  readonly ambiguous?: readonly string[];
  /** The notation of its values in the file. */
  readonly format?: ColumnFormat;
}

/** The inferred content of the file. */
export interface Inference {
  readonly fields: readonly InferredField[];
  readonly rows: number;
  readonly skipped: number;
  /** The number of unreadable rows, and the first of their faults. */
  readonly failed: number;
  readonly faults: readonly RowFault[];
  /** The rows with values that lack the proposed types, where they are counted. */
  readonly misfits: { readonly rows: number; readonly faults: readonly RowFault[] };
}

/** The notations of columns, as an option of the import. */
export function formatsOf(fields: readonly InferredField[]): ImportParameters['formats'] {
  return Object.fromEntries(
    fields.flatMap(({ field, format }) => (format === undefined ? [] : [[field, format]])),
  );
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
    const name = fieldOf(file, own);
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
  { key, type, rows }: { key: KeyColumn; type: NewFieldType; rows: number },
  signal: AbortSignal,
): Promise<void> {
  const name = columns[key.index]?.name ?? KEY;
  const refuse = (why: Reason, row: number | null): never => {
    const told = name === KEY ? withAdvice(why, OTHER_NAME) : why;
    throw new UnreadableFile({ ...syntaxFault(told, row, null), field: name });
  };
  if (key.lacking !== null) refuse(reason('key_row_without_value', { key: name }), key.lacking);
  if (!KEY_TYPES.has(type)) refuse(reason('key_type_unsuitable', { key: name, type }), null);
  if (key.ascent.ascends) return;
  const isUnique = await areUnique(rows, (take) => {
    const row = (one: Row) => {
      const value = one.value(key.index);
      // The case of a UUID is insignificant.
      if (typeof value === 'string') take(type === 'uuid' ? value.toLowerCase() : value);
    };
    return readRows(file, columns, { ...IGNORED, row }, signal);
  });
  if (!isUnique) refuse(reason('key_value_repeated', { key: name }), null);
}

/** The value of a column: of typed cells the text that a person would write. */
function cellValue({ table }: ImportFile, row: Row, place: number): string | null | undefined {
  return table === undefined ? row.value(place) : row.written(place);
}

/** A field with the proposed type, or with that of the options. */
function newField(
  field: string,
  {
    type,
    own,
    isKey,
    proven,
  }: {
    readonly type: TypeInference | undefined;
    readonly own: NewFieldType | undefined;
    readonly isKey: boolean;
    readonly proven: ReadonlySet<string>;
  },
): InferredField {
  const key = isKey ? ({ primary_key: true } as const) : {};
  const proposal = type?.proposal(proven);
  if (proposal === undefined) return { field, type: own ?? 'text', ...key };
  const { format, misfits, examples, ambiguous } = proposal;
  const notation = format === null ? {} : { format };
  // The import checks the values of a given type.
  if (own !== undefined) return { field, type: own, ...key, ...notation };
  return {
    ...{ field, type: proposal.type, ...key, ...notation },
    ...(misfits > 0 && { misfits, examples }),
    ...(ambiguous.length > 0 && { ambiguous }),
  };
}

/**
 * The rows of the file with values that speak against the proposed types, as they would be faults
 * of the import.
 */
async function misfits(
  file: ImportFile,
  columns: readonly FileColumn[],
  { types, fields }: { types: readonly TypeInference[]; fields: readonly InferredField[] },
  { signal, faultsMax }: { readonly signal: AbortSignal; readonly faultsMax: number },
): Promise<{ readonly rows: number; readonly faults: readonly RowFault[] }> {
  const doubtful = columns.flatMap(({ name }, place) => {
    const field = fields.find((one) => one.field === name);
    const type = types[place];
    return type !== undefined && (field?.misfits ?? 0) > 0 ? [{ name, place, type }] : [];
  });
  const faults: RowFault[] = [];
  let rows = 0;
  const row = (one: Row) => {
    let isFaulty = false;
    for (const { name, place, type } of doubtful) {
      const value = cellValue(file, one, place);
      if (value === null || value === undefined || value === '' || type.fits(value)) continue;
      isFaulty = true;
      if (faults.length >= faultsMax) continue;
      const fault = { row: one.number, field: name, value: displayValue(value) };
      const why = reason('value_misfits_proposed_type');
      faults.push({ ...fault, code: 'FAILED_VALIDATION', reason: why });
    }
    if (isFaulty) rows += 1;
  };
  if (doubtful.length > 0) await readRows(file, columns, { ...IGNORED, row }, signal);
  return { rows, faults };
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
  const { key: keyName = KEY, types: given = {} } = file.parameters;
  const isJson = !hasCells(file.format);
  const columns = isJson ? await jsonColumns(file, signal) : await csvColumns(file);
  const types = columns.map(({ name }) => new TypeInference(isJson, file.parameters, name));
  const index = columns.findIndex(({ name }) => name === keyName);
  const names = new Set(columns.map(({ name }) => name));
  const needed = [...Object.keys(given), ...(keyName === KEY ? [] : [keyName])];
  const absent = needed.find((name) => !names.has(name));
  if (absent !== undefined) {
    const why = reason('named_column_missing', { name: JSON.stringify(absent) });
    throw new UnreadableFile({ ...syntaxFault(why, null, null), field: absent });
  }
  const key = index < 0 ? null : new KeyColumn(index);
  const faults: RowFault[] = [];
  let [rows, skipped, failed] = [0, 0, 0];
  const handler: RowHandler = {
    row(row) {
      rows += 1;
      for (const [place, type] of types.entries()) {
        const value = cellValue(file, row, place);
        const isNull = value === null || value === undefined || value === '' || value === 'null';
        if (!isNull) type.add(value, row.number);
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
  const proven = new Set(types.flatMap((type) => type.order ?? []));
  const fields = columns.map(({ name, cell }, place): InferredField => {
    const isKey = place === key?.index;
    const declared = file.table?.types?.[cell] ?? undefined;
    const own = Object.hasOwn(given, name) ? given[name] : declared;
    return newField(name, { type: types[place], own, isKey, proven });
  });
  if (key === null) {
    fields.unshift({ field: KEY, type: 'integer', primary_key: true });
  } else {
    const type = fields[key.index]?.type ?? 'text';
    await checkKey(file, columns, { key, type, rows }, signal);
  }
  const { onError, dryRun } = file.parameters;
  // Otherwise the import reports them.
  const found =
    onError === 'skip' && dryRun !== true
      ? { rows: 0, faults: [] }
      : await misfits(file, columns, { types, fields }, { signal, faultsMax });
  return { fields, rows, skipped, failed, faults, misfits: found };
}

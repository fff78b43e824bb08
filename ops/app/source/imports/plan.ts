/** How a file is read and what becomes of its rows: the options of an import, as the screen edits them. */
import type { FieldFormat, ImportOptions, ImportReference } from '../../../client/source/index.ts';

export const FORMATS = ['csv', 'json', 'ndjson', 'xlsx', 'parquet'] as const;
export const SEPARATORS = [',', ';', '\t', '|'] as const;
export const QUOTES = ['"', "'", ''] as const;
export const CHARSETS = [
  ...['utf-8', 'windows-1252', 'iso-8859-15', 'windows-1250', 'windows-1251', 'macintosh'],
  ...['utf-16le', 'utf-16be', 'shift_jis', 'gb18030'],
] as const;
export const DECIMALS = ['.', ','] as const;
export const EMPTIES = ['missing', 'null', 'text'] as const;
export const THOUSANDS = ['', '.', ',', ' ', "'"] as const;
export const QUOTE_RULES = ['strict', 'lenient'] as const;
export const SHORT_ROWS = ['reject', 'pad'] as const;
/** The types that a new field may get. */
export const NEW_TYPES = [
  ...['string', 'text', 'integer', 'bigInteger', 'decimal', 'boolean'],
  ...['date', 'dateTime', 'timestamp', 'uuid', 'json'],
] as const;
export const MODES = ['upsert', 'insert', 'update'] as const;
export const ON_ERRORS = ['skip', 'abort'] as const;

type OneOf<List extends readonly string[]> = List[number];

export type Format = OneOf<typeof FORMATS>;

/** The field that each column of the file goes to; null leaves it out. */
export type Mapping = Readonly<Record<string, string | null>>;

export interface Plan {
  readonly format: Format;
  readonly separator: string;
  /** Of a workbook: the name or the number of a sheet; empty for the first one. */
  readonly sheet?: string;
  /** Of a workbook: the number of the row that names the columns; empty for the first one. */
  readonly headerRow?: string;
  readonly quote: string;
  readonly charset: string;
  readonly decimal: OneOf<typeof DECIMALS>;
  /** Between groups of digits; empty without groups. */
  readonly thousands?: OneOf<typeof THOUSANDS>;
  /** Texts of cells that are null, separated by commas. */
  readonly nullValues?: string;
  readonly quotes?: OneOf<typeof QUOTE_RULES>;
  readonly ragged?: OneOf<typeof SHORT_ROWS>;
  /** The types of new fields that were chosen, the key, and the notations of fields. */
  readonly types?: Readonly<Record<string, string>>;
  /** The collections that new fields refer to. */
  readonly relations?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly formats?: Readonly<Record<string, FieldFormat>>;
  readonly empty: OneOf<typeof EMPTIES>;
  /** Empty for ISO 8601. */
  readonly dateFormat: string;
  /** Empty for UTC. */
  readonly timezone: string;
  readonly mode: OneOf<typeof MODES>;
  /** The field by which rows find their items; empty for the primary key. */
  readonly match: string;
  readonly onError: OneOf<typeof ON_ERRORS>;
  /** Whether the collection is made by the import. */
  readonly create: boolean;
  /** Whether what the import changes is kept, so that it can be undone. */
  readonly undo?: boolean;
  readonly mapping: Mapping;
  /** The columns whose values find items by another field than the key. */
  readonly references?: Readonly<Record<string, ImportReference>>;
  /** The values of fields that the file does not have. */
  readonly constants?: Readonly<Record<string, unknown>>;
}

/** The zone of this device, in which the App shows times. */
export function ownTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function isFilled(object: object | undefined): boolean {
  return object !== undefined && Object.keys(object).length > 0;
}

/** The options of a collection that the import makes. */
function newOptions({ types, relations, key = '', formats }: Plan): ImportOptions {
  return {
    ...(isFilled(types) && { types }),
    ...(isFilled(relations) && { relations }),
    ...(key !== '' && { key }),
    ...(isFilled(formats) && { formats }),
  };
}

/** The options of cells: those of text, and those of workbooks, whose cells may be texts. */
function cellOptions({ decimal, empty, thousands = '' }: Plan): ImportOptions {
  return {
    ...(decimal !== '.' && { decimal }),
    ...(empty !== 'missing' && { empty }),
    ...(thousands !== '' && { thousands: thousands === ' ' ? 'space' : thousands }),
  };
}

/** The options of CSV. */
function csvOptions({ separator, quote, nullValues = '', quotes, ragged }: Plan): ImportOptions {
  return {
    separator: separator === '\t' ? 'tab' : separator,
    ...(quote !== '"' && { quote }),
    ...(nullValues !== '' && { null_values: nullValues }),
    ...(quotes === 'lenient' && { quotes }),
    ...(ragged === 'pad' && { ragged }),
  };
}

/** The options of workbooks. */
function sheetOptions({ sheet = '', headerRow = '' }: Plan): ImportOptions {
  return {
    ...(sheet !== '' && { sheet }),
    ...(Number(headerRow) > 0 && { header_row: Number(headerRow) }),
  };
}

/** Whether the cells of the file have types. */
export function isTable({ format }: Pick<Plan, 'format'>): boolean {
  return format === 'xlsx' || format === 'parquet';
}

/** The dialect in which the server repeats the rows of a file: of typed cells as CSV. */
export function rowDialect({ format, separator, quote }: Plan) {
  return isTable({ format })
    ? ({ format: 'csv', separator: ',', quote: '"' } as const)
    : { format, separator, quote };
}

/** The values of fields without a column; what is not filled in is none. */
function constantsOf({ constants = {}, mapping }: Plan): ImportOptions {
  const mapped = new Set(Object.values(mapping));
  const given = Object.entries(constants).filter(
    ([field, value]) => value !== '' && !mapped.has(field),
  );
  return given.length === 0 ? {} : { constants: Object.fromEntries(given) };
}

/** Options that have their default are not named. */
export function optionsOf(plan: Plan): ImportOptions {
  const { format, charset, dateFormat, timezone } = plan;
  const { mode, match, onError, create, undo = false, mapping, references = {} } = plan;
  const renamed = Object.entries(mapping)
    .map(([column, field]) => [column, references[column] ?? field] as const)
    .filter(([column, field]) => column !== field);
  return {
    mode,
    on_error: onError,
    ...(create && { create, ...newOptions(plan) }),
    ...(undo && { undo }),
    ...(match !== '' && mode !== 'insert' && { match }),
    ...(charset !== 'utf-8' && { charset }),
    ...(dateFormat !== '' && { date_format: dateFormat }),
    ...(timezone !== '' && { timezone }),
    ...constantsOf(plan),
    ...(renamed.length > 0 && { mapping: Object.fromEntries(renamed) }),
    ...(format === 'csv' && csvOptions(plan)),
    ...(format === 'xlsx' && sheetOptions(plan)),
    ...((format === 'csv' || format === 'xlsx') && cellOptions(plan)),
    // Columns that the App does not know go to fields that are called like them.
    ...(isTable(plan) && Object.keys(mapping).length === 0 && { header: 'loose' }),
  };
}

const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  parquet: 'application/vnd.apache.parquet',
};

/** The media type that tells the server the format, whatever the file is called. */
export function mediaType(format: Format): string {
  return TYPES[format];
}

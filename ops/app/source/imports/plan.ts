/** How a file is read and what becomes of its rows: the options of an import, as the screen edits them. */
import type { ImportOptions } from '../../../client/source/index.ts';

export const FORMATS = ['csv', 'json', 'ndjson'] as const;
export const SEPARATORS = [',', ';', '\t', '|'] as const;
export const QUOTES = ['"', "'", ''] as const;
export const CHARSETS = [
  ...['utf-8', 'windows-1252', 'iso-8859-15', 'windows-1250', 'windows-1251', 'macintosh'],
  ...['utf-16le', 'utf-16be', 'shift_jis', 'gb18030'],
] as const;
export const DECIMALS = ['.', ','] as const;
export const EMPTIES = ['missing', 'null', 'text'] as const;
export const MODES = ['upsert', 'insert', 'update'] as const;
export const ON_ERRORS = ['skip', 'abort'] as const;

type OneOf<List extends readonly string[]> = List[number];

export type Format = OneOf<typeof FORMATS>;

/** The field that each column of the file goes to; null leaves it out. */
export type Mapping = Readonly<Record<string, string | null>>;

export interface Plan {
  readonly format: Format;
  readonly separator: string;
  readonly quote: string;
  readonly charset: string;
  readonly decimal: OneOf<typeof DECIMALS>;
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
}

/** The zone of this device, in which the App shows times. */
export function ownTimezone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Options that have their default are not named. */
export function optionsOf(plan: Plan): ImportOptions {
  const { format, separator, quote, charset, decimal, empty, dateFormat, timezone } = plan;
  const { mode, match, onError, create, undo = false, mapping } = plan;
  const renamed = Object.entries(mapping).filter(([column, field]) => column !== field);
  return {
    mode,
    on_error: onError,
    ...(create && { create }),
    ...(undo && { undo }),
    ...(match !== '' && mode !== 'insert' && { match }),
    ...(charset !== 'utf-8' && { charset }),
    ...(dateFormat !== '' && { date_format: dateFormat }),
    ...(timezone !== '' && { timezone }),
    ...(renamed.length > 0 && { mapping: Object.fromEntries(renamed) }),
    ...(format === 'csv' && {
      separator: separator === '\t' ? 'tab' : separator,
      ...(quote !== '"' && { quote }),
      ...(decimal !== '.' && { decimal }),
      ...(empty !== 'missing' && { empty }),
    }),
  };
}

const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};

/** The media type that tells the server the format, whatever the file is called. */
export function mediaType(format: Format): string {
  return TYPES[format];
}

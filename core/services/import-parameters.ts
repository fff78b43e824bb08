/** Parses the options of an import: from the query, and from parts of the form before the file. */
import { isDeepStrictEqual } from 'node:util';
import { invalidPayload, invalidQuery, type ServiceError } from '#core/errors/service-error.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { isJsonObject } from '#core/json/json-object.ts';
import { DateFormat, WrongDateFormat } from '#core/transfer/file/date-format.ts';

/** A value that an option does not take; the message says what it takes. */
class WrongValue extends Error {}

type Parser = (text: string) => ImportParameters;

function oneOf<T extends string>(text: string, ...known: readonly T[]): T {
  const found = known.find((value) => value === text);
  if (found === undefined) throw new WrongValue(`must be ${known.join(' or ')}`);
  return found;
}

function flag(text: string): boolean {
  if (text === '' || text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new WrongValue('must be true or false');
}

/** One character that may stand between or around cells. */
function character(text: string): string {
  const isOne = [...text].length === 1 && text.isWellFormed();
  if (isOne && !/[\r\n\0\uFEFF]/.test(text)) return text;
  throw new WrongValue('must be one character, and no line break');
}

/** Tabs are hard to type, so they have names. */
function separator(text: string): string {
  return text === 'tab' || text === '\\t' ? '\t' : character(text);
}

function names(text: string): string[] {
  const list = text.split(',').map((name) => name.trim());
  if (list.includes('')) throw new WrongValue('must be field names with commas between them');
  if (new Set(list).size < list.length) throw new WrongValue('must name each field once');
  return list;
}

function count(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value < 0) throw new WrongValue('must be a whole number from 0');
  return value;
}

function mapping(text: string): Record<string, string | null> {
  const wrong = new WrongValue('must be a JSON object of headers and the fields that they name');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (!isJsonObject(value)) throw wrong;
  const entries = Object.entries(value).map(([header, field]): [string, string | null] => {
    if (field === null || (typeof field === 'string' && field !== '')) return [header, field];
    throw wrong;
  });
  const fields = entries.map(([, field]) => field).filter((field) => field !== null);
  const twice = fields.find((field, index) => fields.indexOf(field) !== index);
  if (twice !== undefined) throw new WrongValue(`maps two headers to ${JSON.stringify(twice)}`);
  return Object.fromEntries(entries);
}

function charset(text: string): string {
  try {
    return new TextDecoder(text.trim()).encoding;
  } catch {
    throw new WrongValue('must name an encoding, such as utf-8, windows-1252 or utf-16le');
  }
}

function timezone(text: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new WrongValue('must be a time zone, such as Europe/Berlin or +02:00');
  }
}

function dateFormat(text: string): string {
  if (text === '' || text.length > 64) {
    throw new WrongValue('must be a format of dates, such as DD.MM.YYYY');
  }
  try {
    new DateFormat(text);
    return text;
  } catch (error) {
    if (error instanceof WrongDateFormat) throw new WrongValue(error.message);
    throw error;
  }
}

/** All options by the names that clients use. */
const PARSERS: Readonly<Record<string, Parser>> = {
  mode: (text) => ({ mode: oneOf(text, 'insert', 'upsert', 'update') }),
  match: (text) => ({ match: names(text) }),
  on_error: (text) => ({ onError: oneOf(text, 'abort', 'skip') }),
  max_errors: (text) => ({ maxErrors: count(text) }),
  dry_run: (text) => ({ dryRun: flag(text) }),
  create: (text) => ({ create: flag(text) }),
  mapping: (text) => ({ mapping: mapping(text) }),
  empty: (text) => ({ empty: oneOf(text, 'missing', 'null', 'text') }),
  decimal: (text) => ({ decimal: oneOf(text, '.', ',') }),
  date_format: (text) => ({ dateFormat: dateFormat(text) }),
  timezone: (text) => ({ timezone: timezone(text) }),
  separator: (text) => ({ separator: separator(text) }),
  quote: (text) => ({ quote: text === '' ? '' : character(text) }),
  escape: (text) => ({ escape: character(text) }),
  comment: (text) => ({ comment: character(text) }),
  charset: (text) => ({ charset: charset(text) }),
};

/** The names of all options. */
export const IMPORT_PARAMETERS: readonly string[] = Object.keys(PARSERS);

type Refusal = (reason: string) => ServiceError;

function parseOne(name: string, raw: unknown, refusal: Refusal): ImportParameters {
  const parser = Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined;
  if (parser === undefined) throw refusal(`An import has no option ${JSON.stringify(name)}.`);
  if (typeof raw !== 'string') throw refusal(`"${name}" must be given once, as text.`);
  try {
    return parser(raw);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw refusal(`"${name}" ${error.message}.`);
  }
}

/** The characters that must differ, by their options. */
function characters(given: ImportParameters): [string, string][] {
  const { separator: between = ',', quote = '"', comment } = given;
  const found: [string, string | undefined][] = [
    ['separator', between],
    ['quote', quote],
    ['comment', comment],
  ];
  return found.flatMap(([name, mark]) => (mark === undefined || mark === '' ? [] : [[name, mark]]));
}

/** Why options contradict each other; null when they do not. */
function contradiction(given: ImportParameters): string | null {
  const { mode, match, create, onError, maxErrors } = given;
  if (maxErrors !== undefined && onError !== 'skip') return '"max_errors" needs "on_error=skip".';
  if (match !== undefined && mode === 'insert') return '"match" contradicts "mode=insert".';
  if (create === true && mode === 'update') return '"create" contradicts "mode=update".';
  if (given.quote === '' && given.escape !== undefined) return '"escape" needs a "quote".';
  const marks = characters(given);
  for (const [index, [name, mark]] of marks.entries()) {
    const other = marks.slice(0, index).find(([, earlier]) => earlier === mark);
    if (other !== undefined) return `"${name}" and "${other[0]}" are the same character.`;
  }
  const other = marks.find(([name, mark]) => name !== 'quote' && mark === given.escape);
  return other === undefined ? null : `"escape" and "${other[0]}" are the same character.`;
}

/** Parameters of the route that are no options of the import. */
const BESIDE = new Set(['background', 'access_token']);

/**
 * The options in the query; contradictions are left for {@link importParameters}.
 * @throws ServiceError INVALID_QUERY for an unknown option or a wrong value
 */
export function importQuery(query: Readonly<Record<string, unknown>>): ImportParameters {
  const given = Object.entries(query).filter(([name]) => !BESIDE.has(name));
  const parsed = given.map(([name, raw]) => parseOne(name, raw, invalidQuery));
  return Object.assign({}, ...parsed);
}

/** Options that describe cells, which only CSV files have. */
const OF_CELLS = ['separator', 'quote', 'escape', 'comment', 'empty', 'decimal'] as const;

function misfit(given: ImportParameters, format: ImportFormat): string | null {
  const name = format === 'csv' ? undefined : OF_CELLS.find((one) => given[one] !== undefined);
  return name === undefined ? null : `"${name}" is an option of CSV files, and this is ${format}.`;
}

/** What is known of the file before it is read. */
export interface FileFacts {
  readonly format: ImportFormat;
  /** Options that its name or its type imply; others replace them. */
  readonly implied?: ImportParameters;
}

/**
 * The options of the query together with those in the parts of the form before the file.
 * @throws ServiceError INVALID_PAYLOAD for an unknown option or a wrong value, and, like
 *   INVALID_QUERY, for options that contradict each other
 */
export function importParameters(
  query: ImportParameters,
  parts: ReadonlyMap<string, string>,
  { format, implied = {} }: FileFacts,
): ImportParameters {
  const given: Readonly<Record<string, unknown>> = query;
  let parsed = query;
  for (const [name, text] of parts) {
    const part = parseOne(name, text, invalidPayload);
    for (const [member, value] of Object.entries(part)) {
      if (given[member] === undefined || isDeepStrictEqual(given[member], value)) continue;
      throw invalidPayload(`The query and the form differ about "${name}".`);
    }
    parsed = { ...parsed, ...part };
  }
  parsed = { ...implied, ...parsed };
  const reason = contradiction(parsed) ?? misfit(parsed, format);
  if (reason !== null) throw (parts.size > 0 ? invalidPayload : invalidQuery)(reason);
  return parsed;
}

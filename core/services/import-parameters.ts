/** Parses the options of an import: from the query, and from parts of the form before the file. */
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import {
  invalidPayload,
  invalidQuery,
  type ServiceError,
} from '#core/base/errors/service-error.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import {
  type ImportParameters,
  NEW_FIELD_TYPES,
  importParameters as parametersSchema,
  type ReferenceParameters,
} from '#core/jobs/message/import-parameters.ts';
import { DateFormat, WrongDateFormat } from '#core/transfer/file/date-format.ts';
import { SHEET_ROWS } from '#core/transfer/file/xlsx/address.ts';
import { misfit, optionName } from './import-format-options.ts';

/** A value that is invalid for an option. */
class WrongValue extends Error {
  readonly reason: (name: string) => Reason;

  /** @param why the expected value, by the option's name */
  constructor(why: (name: string) => Reason) {
    super('an option does not take the value');
    this.reason = why;
  }
}

type Parser = (text: string) => ImportParameters;

function oneOf<T extends string>(text: string, ...known: readonly T[]): T {
  const found = known.find((value) => value === text);
  if (found === undefined) {
    const values = known.join(' or ');
    throw new WrongValue((name) => reason('option_values_expected', { name, values }));
  }
  return found;
}

function flag(text: string): boolean {
  if (text === '' || text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new WrongValue((name) => reason('parameter_boolean_expected', { name }));
}

/** A single character that may separate or quote cells. */
function character(text: string): string {
  const isOne = [...text].length === 1 && text.isWellFormed();
  if (isOne && !/[\r\n\0\uFEFF]/.test(text)) return text;
  throw new WrongValue((name) => reason('option_character_expected', { name }));
}

/** Tabs are hard to type, so they have names. */
function separator(text: string): string {
  return text === 'tab' || text === '\\t' ? '\t' : character(text);
}

function names(text: string): string[] {
  const list = text.split(',').map((name) => name.trim());
  if (list.includes('')) {
    throw new WrongValue((name) => reason('option_field_names_expected', { name }));
  }
  if (new Set(list).size < list.length) {
    throw new WrongValue((name) => reason('option_names_field_twice', { name }));
  }
  return list;
}

function count(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value < 0) throw new WrongValue((name) => reason('option_count_expected', { name }));
  return value;
}

function jsonObject(text: string, wrong: WrongValue): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (isJsonObject(value)) return value;
  throw wrong;
}

/** A field in the mapping, by its name or with the way in which its values find items. */
export const mappedField = v.nullable(
  v.union([
    v.pipe(v.string(), v.nonEmpty()),
    v.strictObject({
      field: v.pipe(v.string(), v.nonEmpty()),
      by: v.optional(v.pipe(v.string(), v.nonEmpty())),
      missing: v.optional(v.picklist(['reject', 'create', 'null'])),
      separator: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(8))),
    }),
  ]),
);

function mapping(text: string): Pick<ImportParameters, 'mapping' | 'references'> {
  const wrong = new WrongValue((name) => reason('option_mapping_expected', { name }));
  const references: [string, ReferenceParameters][] = [];
  const entries = Object.entries(jsonObject(text, wrong)).map(
    ([header, given]): [string, string | null] => {
      const parsed = v.safeParse(mappedField, given);
      if (!parsed.success) throw wrong;
      if (parsed.output === null || typeof parsed.output === 'string') {
        return [header, parsed.output];
      }
      const { field, ...reference } = parsed.output;
      references.push([field, reference]);
      return [header, field];
    },
  );
  const fields = entries.map(([, field]) => field).filter((field) => field !== null);
  const twice = fields.find((field, index) => fields.indexOf(field) !== index);
  if (twice !== undefined) {
    const field = JSON.stringify(twice);
    throw new WrongValue((name) => reason('option_maps_field_twice', { name, field }));
  }
  return {
    mapping: Object.fromEntries(entries),
    ...(references.length > 0 && { references: Object.fromEntries(references) }),
  };
}

function constants(text: string): Record<string, unknown> {
  const wrong = new WrongValue((name) => reason('option_constants_expected', { name }));
  const values = jsonObject(text, wrong);
  if (Object.keys(values).some((name) => name === '' || name.includes('.'))) throw wrong;
  return values;
}

function charset(text: string): string {
  try {
    return new TextDecoder(text.trim()).encoding;
  } catch {
    throw new WrongValue((name) => reason('option_encoding_expected', { name }));
  }
}

function timezone(text: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    throw new WrongValue((name) => reason('option_time_zone_expected', { name }));
  }
}

function dateFormat(text: string): string {
  if (text === '' || text.length > 64) {
    throw new WrongValue((name) => reason('option_date_format_expected', { name }));
  }
  try {
    new DateFormat(text);
    return text;
  } catch (error) {
    if (error instanceof WrongDateFormat) throw new WrongValue(() => error.reason);
    throw error;
  }
}

/** Texts of cells, separated by commas. */
function texts(text: string): string[] {
  return text.split(',');
}

/** The separator of groups of digits. */
function thousands(text: string): string {
  const sign = text === 'space' ? ' ' : text;
  if ([...sign].length === 1 && !/[\d\p{L}+\-\r\n]/u.test(sign)) return sign;
  throw new WrongValue((name) => reason('option_thousands_expected', { name }));
}

/** The types of new fields. */
function types(text: string): ImportParameters['types'] {
  const values = NEW_FIELD_TYPES.join(', ');
  const wrong = new WrongValue((name) => reason('option_types_expected', { name, values }));
  const parsed = v.safeParse(parametersSchema.entries.types, jsonObject(text, wrong));
  if (!parsed.success) throw wrong;
  return parsed.output;
}

/** The collections that new fields refer to. */
function relations(text: string): ImportParameters['relations'] {
  const wrong = new WrongValue((name) => reason('option_relations_expected', { name }));
  const parsed = v.safeParse(parametersSchema.entries.relations, jsonObject(text, wrong));
  if (!parsed.success) throw wrong;
  return parsed.output;
}

/** The notations of single fields. */
function formats(text: string): ImportParameters['formats'] {
  const wrong = new WrongValue((name) => reason('option_formats_expected', { name }));
  const given = Object.entries(jsonObject(text, wrong)).map(([field, format]) => {
    if (!isJsonObject(format)) throw wrong;
    const { decimal, thousands: sign, date_format: date, ...rest } = format;
    if (Object.keys(rest).length > 0) throw wrong;
    const own = {
      ...(decimal !== undefined && { decimal }),
      ...(typeof sign === 'string' ? { thousands: thousands(sign) } : {}),
      ...(typeof date === 'string' ? { dateFormat: dateFormat(date) } : {}),
    };
    return [field, own];
  });
  const parsed = v.safeParse(parametersSchema.entries.formats, Object.fromEntries(given));
  if (!parsed.success) throw wrong;
  return parsed.output;
}

/** A share between 0 and a half. */
function share(text: string): number {
  const value = /^0?(?:\.\d{1,6})?$|^0$/.test(text) && text !== '' ? Number(text) : 1;
  if (value <= 0.5) return value;
  throw new WrongValue((name) => reason('option_share_expected', { name }));
}

/** A text that is not empty. */
function label(text: string): string {
  if (text.trim() !== '' && text.length <= 255) return text.trim();
  throw new WrongValue((name) => reason('option_label_expected', { name }));
}

/** Names of sheets have up to 31 characters, but other programs write longer ones. */
function sheet(text: string): string {
  if (text !== '' && text.length <= 255) return text;
  throw new WrongValue((name) => reason('option_sheet_expected', { name }));
}

function headerRow(text: string): number {
  const row = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (row >= 1 && row <= SHEET_ROWS) return row;
  throw new WrongValue((name) => reason('option_row_expected', { name, limit: SHEET_ROWS }));
}

/** All options by the names that clients use. */
const PARSERS: Readonly<Record<string, Parser>> = {
  mode: (text) => ({ mode: oneOf(text, 'insert', 'upsert', 'update', 'mirror') }),
  max_deletes: (text) => ({ maxDeletes: count(text) }),
  match: (text) => ({ match: names(text) }),
  on_error: (text) => ({ onError: oneOf(text, 'abort', 'skip') }),
  max_errors: (text) => ({ maxErrors: count(text) }),
  dry_run: (text) => ({ dryRun: flag(text) }),
  undo: (text) => ({ undo: flag(text) }),
  create: (text) => ({ create: flag(text) }),
  mapping: (text) => mapping(text),
  constants: (text) => ({ constants: constants(text) }),
  types: (text) => ({ types: types(text) }),
  relations: (text) => ({ relations: relations(text) }),
  types_tolerance: (text) => ({ typesTolerance: share(text) }),
  key: (text) => ({ key: label(text) }),
  name: (text) => ({ name: label(text) }),
  formats: (text) => ({ formats: formats(text) }),
  empty: (text) => ({ empty: oneOf(text, 'missing', 'null', 'text') }),
  decimal: (text) => ({ decimal: oneOf(text, '.', ',') }),
  date_format: (text) => ({ dateFormat: dateFormat(text) }),
  null_values: (text) => ({ nullValues: texts(text) }),
  thousands: (text) => ({ thousands: thousands(text) }),
  header: (text) => ({ header: oneOf(text, 'exact', 'loose') }),
  ragged: (text) => ({ ragged: oneOf(text, 'reject', 'pad') }),
  quotes: (text) => ({ quotes: oneOf(text, 'strict', 'lenient') }),
  timezone: (text) => ({ timezone: timezone(text) }),
  separator: (text) => ({ separator: text === 'auto' ? undefined : separator(text) }),
  quote: (text) => ({ quote: text === '' ? '' : character(text) }),
  escape: (text) => ({ escape: character(text) }),
  comment: (text) => ({ comment: character(text) }),
  charset: (text) => ({ charset: charset(text) }),
  sheet: (text) => ({ sheet: sheet(text) }),
  header_row: (text) => ({ headerRow: headerRow(text) }),
};

/** The names of all options. */
export const IMPORT_PARAMETERS: readonly string[] = Object.keys(PARSERS);

type Refusal = (why: Reason) => ServiceError;

/** The parameters of one option. @throws ServiceError the refusal, for an unknown option or a wrong value */
export function parseImportOption(name: string, raw: unknown, refusal: Refusal): ImportParameters {
  const parser = Object.hasOwn(PARSERS, name) ? PARSERS[name] : undefined;
  if (parser === undefined) {
    throw refusal(reason('option_unknown', { name: JSON.stringify(name) }));
  }
  if (typeof raw !== 'string') throw refusal(reason('option_text_expected', { name }));
  try {
    return parser(raw);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw refusal(error.reason(name));
  }
}

/** The characters that must differ, with their options. */
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
export function contradiction(given: ImportParameters): Reason | null {
  const { mode, match, create, onError, maxErrors } = given;
  if (maxErrors !== undefined && onError !== 'skip') return reason('max_errors_without_skip');
  if (given.maxDeletes !== undefined && mode !== 'mirror') {
    return reason('max_deletes_without_mirror');
  }
  if (given.undo === true && mode === 'mirror') return reason('undo_with_mirror');
  if (match !== undefined && mode === 'insert') return reason('match_with_insert');
  if (create === true && mode === 'update') return reason('create_with_update');
  if (create !== true) {
    const name = (['types', 'relations', 'typesTolerance', 'key', 'name'] as const).find(
      (one) => given[one] !== undefined,
    );
    if (name !== undefined) return reason('option_of_new_collection', { name: optionName(name) });
  }
  if (given.thousands !== undefined && given.thousands === (given.decimal ?? '.')) {
    return reason('same_characters', { name: 'thousands', other: 'decimal' });
  }
  if (given.quote === '' && given.escape !== undefined) return reason('escape_without_quote');
  const marks = characters(given);
  for (const [index, [name, mark]] of marks.entries()) {
    const other = marks.slice(0, index).find(([, earlier]) => earlier === mark);
    if (other !== undefined) return reason('same_characters', { name, other: other[0] });
  }
  const other = marks.find(([name, mark]) => name !== 'quote' && mark === given.escape);
  return other === undefined ? null : reason('escape_same_as_other', { other: other[0] });
}

/** Parameters of the route that are not options of the import. */
const BESIDE = new Set(['background', 'access_token', 'profile']);

/**
 * The options in the query; {@link importParameters} checks contradictions.
 * @throws ServiceError INVALID_QUERY for an unknown option or a wrong value
 */
export function importQuery(query: Readonly<Record<string, unknown>>): ImportParameters {
  const given = Object.entries(query).filter(([name]) => !BESIDE.has(name));
  const parsed = given.map(([name, raw]) => parseImportOption(name, raw, invalidQuery));
  return Object.assign({}, ...parsed);
}

/** The facts about the file that are known before it is read. */
export interface FileFacts {
  readonly format: ImportFormat;
  /** Options from its name or its type; explicit options override them. */
  readonly implied?: ImportParameters;
  /** Those of its profile, which override what is implied. */
  readonly profile?: ImportParameters | undefined;
}

/** Parameters that replace others. A mapping replaces the references of the other one, too. */
function replacing(others: ImportParameters, parameters: ImportParameters): ImportParameters {
  const { references: _, ...rest } = others;
  return { ...(parameters.mapping === undefined ? others : rest), ...parameters };
}

/**
 * The options of the query together with those in the parts of the form before the file.
 * @throws ServiceError INVALID_PAYLOAD for an unknown option or a wrong value, and, like
 *   INVALID_QUERY, for options that contradict each other
 */
export function importParameters(
  query: ImportParameters,
  parts: ReadonlyMap<string, string>,
  { format, implied = {}, profile = {} }: FileFacts,
): ImportParameters {
  const given: Readonly<Record<string, unknown>> = query;
  let parsed = query;
  for (const [name, text] of parts) {
    const part = parseImportOption(name, text, invalidPayload);
    for (const [member, value] of Object.entries(part)) {
      if (given[member] === undefined || isDeepStrictEqual(given[member], value)) continue;
      throw invalidPayload(reason('query_and_form_differ', { name }));
    }
    parsed = { ...parsed, ...part };
  }
  parsed = { ...implied, ...replacing(profile, parsed) };
  const why = contradiction(parsed) ?? misfit(parsed, format);
  if (why !== null) throw (parts.size > 0 ? invalidPayload : invalidQuery)(why);
  const isTried = parsed.mode === 'mirror' && parsed.maxDeletes === undefined;
  return isTried ? { ...parsed, dryRun: true } : parsed;
}

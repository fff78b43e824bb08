/** Parses the options of an import, one by one. */
import * as v from 'valibot';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import {
  type ImportParameters,
  NEW_FIELD_TYPES,
  importParameters as parametersSchema,
  type ReferenceParameters,
} from '#core/jobs/message/import-parameters.ts';
import {
  character,
  charset,
  count,
  dateFormat,
  flag,
  headerRow,
  jsonObject,
  label,
  names,
  oneOf,
  separator,
  share,
  sheet,
  texts,
  thousands,
  timezone,
  WrongValue,
} from './import-value.ts';

type Parser = (text: string) => ImportParameters;

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

/** The error for a reason. */
export type Refusal = (why: Reason) => ServiceError;

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

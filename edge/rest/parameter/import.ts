/** The options of an import in its URL. */
import * as v from 'valibot';
import { NEW_FIELD_TYPES } from '#core/jobs/message/import-parameters.ts';
import { mappedField } from '#core/services/import-option.ts';
import type { ParameterTable } from '../route-facts.ts';
import { flagParameter } from './item.ts';

const character = v.pipe(v.string(), v.minLength(1), v.maxLength(2));
const names = v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.minLength(1));

/** All parameters of `importQuery` in core; a test compares them. */
export const IMPORT_OPTIONS: ParameterTable = {
  mode: {
    summary: 'What happens to items that exist, or do not',
    schema: v.picklist(['insert', 'upsert', 'update', 'mirror']),
  },
  max_deletes: {
    summary: 'With mode=mirror: most items that are deleted; without it, nothing is written',
    schema: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(999_999_999)),
  },
  match: { summary: 'The fields of a unique key', schema: names, spelling: 'list' },
  on_error: { summary: 'What a faulty row does', schema: v.picklist(['abort', 'skip']) },
  max_errors: {
    summary: 'Most faulty rows that are skipped',
    schema: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(999_999_999)),
  },
  dry_run: { summary: 'Tries the import and keeps nothing', schema: flagParameter },
  undo: {
    summary: 'Keeps what the import changes, so that it can be undone',
    schema: flagParameter,
  },
  create: { summary: 'Creates the collection by what the file has', schema: flagParameter },
  mapping: {
    summary: 'Headers, and the fields that they stand for; null leaves one out',
    schema: v.record(v.string(), mappedField),
    spelling: 'json',
  },
  constants: {
    summary: 'Fields that the file does not have, and the value of each for all rows',
    schema: v.record(v.string(), v.unknown()),
    spelling: 'json',
  },
  types: {
    summary: 'The types of new fields',
    schema: v.record(v.string(), v.picklist(NEW_FIELD_TYPES)),
    spelling: 'json',
  },
  relations: {
    summary: 'New fields, and the existing collection that each refers to',
    schema: v.record(v.string(), v.string()),
    spelling: 'json',
  },
  types_tolerance: {
    summary: 'The share of values that may lack the type of a new field',
    schema: v.pipe(v.number(), v.minValue(0), v.maxValue(0.5)),
  },
  key: { summary: 'The field that becomes the primary key', schema: v.string() },
  name: { summary: 'The name of the new collection for people', schema: v.string() },
  formats: {
    summary: 'The notation of single fields: decimal, thousands, date_format',
    schema: v.record(v.string(), v.record(v.string(), v.string())),
    spelling: 'json',
  },
  empty: { summary: 'What an empty cell is', schema: v.picklist(['missing', 'null', 'text']) },
  decimal: { summary: 'The decimal mark', schema: v.picklist(['.', ',']) },
  thousands: { summary: 'Between groups of digits; `space` for a space', schema: v.string() },
  null_values: {
    summary: 'Texts of cells that are null, such as NULL',
    schema: v.pipe(v.array(v.string()), v.minLength(1)),
    spelling: 'list',
  },
  header: { summary: 'How headers name fields', schema: v.picklist(['exact', 'loose']) },
  ragged: { summary: 'What a short row is', schema: v.picklist(['reject', 'pad']) },
  quotes: { summary: 'What a stray quote is', schema: v.picklist(['strict', 'lenient']) },
  date_format: {
    summary: 'How dates are written, such as DD.MM.YYYY',
    schema: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
  },
  timezone: { summary: 'Of times without one, such as Europe/Berlin', schema: v.string() },
  separator: {
    summary: 'Between cells; `tab` for a tab; by default that of the file',
    schema: v.string(),
  },
  quote: { summary: 'Around cells; empty for none', schema: v.pipe(v.string(), v.maxLength(2)) },
  escape: { summary: 'Before a quote inside a cell', schema: character },
  comment: { summary: 'At the beginning of lines that are left out', schema: character },
  charset: { summary: 'The encoding of the file', schema: v.string() },
  sheet: { summary: 'The name or the number of a sheet', schema: v.pipe(v.string(), v.nonEmpty()) },
  header_row: {
    summary: 'The row of a sheet that names the fields',
    schema: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_048_576)),
  },
};

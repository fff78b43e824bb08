/** The options of an import in its message; an absent option has its default. */
import * as v from 'valibot';

const character = v.string();

export const importParameters = v.strictObject({
  /** The allowed changes of rows; default: upsert. */
  mode: v.optional(v.picklist(['insert', 'upsert', 'update'])),
  /** The fields by which rows are matched to items; default: the primary key. */
  match: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  /** The effect of an invalid row: abort the import (default), or skip the row. */
  onError: v.optional(v.picklist(['abort', 'skip'])),
  /** With `onError: skip`: more invalid rows than this abort the import. */
  maxErrors: v.optional(v.number()),
  /** Reports the result without storing it. */
  dryRun: v.optional(v.boolean()),
  /** Creates the collection first. */
  create: v.optional(v.boolean()),
  /** The field of each named header or member; null leaves the column out. */
  mapping: v.optional(v.record(v.string(), v.nullable(v.string()))),
  /** The meaning of an empty cell: no value (default), null, or an empty text. */
  empty: v.optional(v.picklist(['missing', 'null', 'text'])),
  /** The decimal separator of numbers in cells; default: `.`. */
  decimal: v.optional(v.picklist(['.', ','])),
  /** The format of dates and times; default: ISO 8601. */
  dateFormat: v.optional(v.string()),
  /** The time zone of times without one; default: UTC. */
  timezone: v.optional(v.string()),
  /** The character between cells; default: a comma, in TSV files a tab. */
  separator: v.optional(character),
  /** The character around cells; default: `"`; empty: unquoted. */
  quote: v.optional(v.string()),
  /** The character before a quote inside of quotes; default: the quote itself. */
  escape: v.optional(character),
  /** The first character of lines that are skipped; default: no comments. */
  comment: v.optional(character),
  /** The encoding of the file, as a label of the Encoding Standard; default: UTF-8. */
  charset: v.optional(v.string()),
  /** The name or the number of a sheet; default: the first visible one. */
  sheet: v.optional(v.string()),
  /** The row of a sheet that names the fields; default: the first one with a value. */
  headerRow: v.optional(v.number()),
});

export type ImportParameters = v.InferOutput<typeof importParameters>;

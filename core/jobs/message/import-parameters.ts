/** The options of an import, as its message carries them; an absent one has its default. */
import * as v from 'valibot';

const character = v.string();

export const importParameters = v.strictObject({
  /** What may happen to rows; default: upsert. */
  mode: v.optional(v.picklist(['insert', 'upsert', 'update'])),
  /** The fields by which rows find their items; default: the primary key. */
  match: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  /** What a faulty row does: abort the import (default), or only itself be left out. */
  onError: v.optional(v.picklist(['abort', 'skip'])),
  /** With `onError: skip`: more faulty rows than this abort the import. */
  maxErrors: v.optional(v.number()),
  /** Reports what would happen, and keeps nothing. */
  dryRun: v.optional(v.boolean()),
  /** Creates the collection first. */
  create: v.optional(v.boolean()),
  /** The field of each named header or member; null leaves the column out. */
  mapping: v.optional(v.record(v.string(), v.nullable(v.string()))),
  /** What an empty cell is: no value (default), null, or an empty text. */
  empty: v.optional(v.picklist(['missing', 'null', 'text'])),
  /** The decimal sign of numbers in cells; default: `.`. */
  decimal: v.optional(v.picklist(['.', ','])),
  /** How dates and times are written; default: ISO 8601. */
  dateFormat: v.optional(v.string()),
  /** The time zone of times without one; default: UTC. */
  timezone: v.optional(v.string()),
  /** Between cells; default: a comma, in TSV files a tab. */
  separator: v.optional(character),
  /** Around cells; default: `"`; empty: nothing. */
  quote: v.optional(v.string()),
  /** Before a quote inside of quotes; default: the quote itself. */
  escape: v.optional(character),
  /** Begins lines that are skipped; default: nothing. */
  comment: v.optional(character),
  /** The encoding of the file, as a label of the Encoding Standard; default: UTF-8. */
  charset: v.optional(v.string()),
});

export type ImportParameters = v.InferOutput<typeof importParameters>;

/** The options of an import in its message; an absent option has its default. */
import * as v from 'valibot';

const character = v.string();

/** How the values of a field find the items that they refer to. */
export const referenceParameters = v.strictObject({
  /** The field of the items that has the value; default: their key. */
  by: v.optional(v.string()),
  /** The effect of a value without an item: a fault (default), a new item, or null. */
  missing: v.optional(v.picklist(['reject', 'create', 'null'])),
  /** The text between the values of a cell; default: a comma, a semicolon or a bar. */
  separator: v.optional(v.string()),
});

export type ReferenceParameters = v.InferOutput<typeof referenceParameters>;

/** The types of fields that an import can create. */
export const NEW_FIELD_TYPES = [
  ...(['string', 'text', 'integer', 'bigInteger', 'float', 'decimal', 'boolean'] as const),
  ...(['date', 'time', 'dateTime', 'timestamp', 'uuid', 'binary', 'json'] as const),
] as const;
export type NewFieldType = (typeof NEW_FIELD_TYPES)[number];

export const importParameters = v.strictObject({
  /** The allowed changes of rows; default: upsert. */
  mode: v.optional(v.picklist(['insert', 'upsert', 'update', 'mirror'])),
  /** Of a mirror: more deletions than this abort the import; without it, it is only tried. */
  maxDeletes: v.optional(v.number()),
  /** The fields by which rows are matched to items; default: the primary key. */
  match: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  /** The effect of an invalid row: abort the import (default), or skip the row. */
  onError: v.optional(v.picklist(['abort', 'skip'])),
  /** With `onError: skip`: more invalid rows than this abort the import. */
  maxErrors: v.optional(v.number()),
  /** Reports the result without storing it. */
  dryRun: v.optional(v.boolean()),
  /** Keeps what the import changes, so that it can be undone. */
  undo: v.optional(v.boolean()),
  /** Creates the collection first. */
  create: v.optional(v.boolean()),
  /** The types of new fields; default: proposed by their values. */
  types: v.optional(v.record(v.string(), v.picklist(NEW_FIELD_TYPES))),
  /** The existing collections that new fields refer to. */
  relations: v.optional(v.record(v.string(), v.string())),
  /** The share of values that may lack the proposed type; default: 0.02. */
  typesTolerance: v.optional(v.number()),
  /** The field that becomes the primary key; default: `id`. */
  key: v.optional(v.string()),
  /** The name of the new collection for people. */
  name: v.optional(v.string()),
  /** The field of each named header or member; null leaves the column out. */
  mapping: v.optional(v.record(v.string(), v.nullable(v.string()))),
  /** The fields whose values are not keys, but find the items by another field. */
  references: v.optional(v.record(v.string(), referenceParameters)),
  /** The values of fields that the file does not have. */
  constants: v.optional(v.record(v.string(), v.unknown())),
  /** The meaning of an empty cell: no value (default), null, or an empty text. */
  empty: v.optional(v.picklist(['missing', 'null', 'text'])),
  /** Cells with one of these texts are null. */
  nullValues: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  /** Whether headers name fields exactly (default), or regardless of case, spaces, `_` and `-`. */
  header: v.optional(v.picklist(['exact', 'loose'])),
  /** The character between groups of digits; default: none. */
  thousands: v.optional(v.string()),
  /** The notation of single fields; it replaces that of the file. */
  formats: v.optional(
    v.record(
      v.string(),
      v.strictObject({
        decimal: v.optional(v.picklist(['.', ','])),
        thousands: v.optional(v.string()),
        dateFormat: v.optional(v.string()),
      }),
    ),
  ),
  /** The decimal separator of numbers in cells; default: `.`. */
  decimal: v.optional(v.picklist(['.', ','])),
  /** The format of dates and times; default: ISO 8601. */
  dateFormat: v.optional(v.string()),
  /** The time zone of times without one; default: UTC. */
  timezone: v.optional(v.string()),
  /** The effect of a row with fewer cells than the header: a fault (default), or empty cells. */
  ragged: v.optional(v.picklist(['reject', 'pad'])),
  /** The meaning of quotes that break RFC 4180: a fault (default), or text. */
  quotes: v.optional(v.picklist(['strict', 'lenient'])),
  /** The character between cells; default: found in the file, in TSV files a tab. */
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

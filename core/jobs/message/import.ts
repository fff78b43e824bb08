/** The message of an import job: what the edge puts on the queue and the worker parses. */
import * as v from 'valibot';

export const IMPORT_JOB = 'import';

/** Formats of an imported file. */
export const IMPORT_FORMATS = ['csv', 'json'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export const importMessage = v.strictObject({
  /** Version of this message's shape; a worker of another release refuses what it cannot read. */
  version: v.literal(1),
  collection: v.string(),
  /** The only fields that the file may fill; absent: all. */
  fields: v.optional(v.array(v.string())),
  file: v.strictObject({
    /** Key of the spooled upload; never a path. */
    id: v.pipe(v.string(), v.uuid()),
    format: v.picklist(IMPORT_FORMATS),
    bytes: v.number(),
  }),
});

export type ImportMessage = v.InferOutput<typeof importMessage>;

/** The message of an import job. */
import * as v from 'valibot';
import { importParameters } from './import-parameters.ts';

export const IMPORT_JOB = 'import';

/** Formats of an imported file. */
export const IMPORT_FORMATS = ['csv', 'json'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export const importMessage = v.strictObject({
  /**
   * Version of this message; a worker of another release refuses a version that it does not know.
   * Since 2, rows are judged by what the sender may read; since 3, there are parameters. The lowest
   * version that can express a job is used, so that older workers do what they can.
   */
  version: v.picklist([1, 2, 3]),
  collection: v.string(),
  /** The only fields that the file may contain; absent: all. */
  fields: v.optional(v.array(v.string())),
  /** What of the sender decides which items rows may refer to; absent: any item. */
  sender: v.optional(
    v.strictObject({
      role: v.nullable(v.string()),
      roles: v.array(v.string()),
      policies: v.array(v.string()),
      app: v.boolean(),
    }),
  ),
  file: v.strictObject({
    /** Id of the upload; never a path. */
    id: v.pipe(v.string(), v.uuid()),
    format: v.picklist(IMPORT_FORMATS),
    bytes: v.number(),
  }),
  parameters: v.optional(importParameters),
});

export type ImportMessage = v.InferOutput<typeof importMessage>;

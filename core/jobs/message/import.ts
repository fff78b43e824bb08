/** The message of an import job. */
import * as v from 'valibot';
import { importParameters } from './import-parameters.ts';

export const IMPORT_JOB = 'import';

/** Formats of an imported file. */
export const IMPORT_FORMATS = ['csv', 'json', 'ndjson', 'xlsx', 'parquet'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export const importMessage = v.strictObject({
  /**
   * Version of this message; a worker of another release refuses an unsupported version.
   * - 3 adds parameters;
   * - 4 uses the sender's permissions at the time the job runs;
   * - 5 creates its collection;
   * - 6 adds the digest of the file;
   * - 7 adds workbooks, Parquet files, references by other fields, constants, notations of cells, the
   *   types of new fields, undo, files of `/files`, objects of locations, profiles, and mirrors.
   */
  version: v.picklist([1, 2, 3, 4, 5, 6, 7]),
  collection: v.string(),
  /** Of versions before 4. */
  fields: v.optional(v.array(v.string())),
  /** The sender's address; the row of the job contains the user. */
  sender: v.optional(v.object({ ip: v.optional(v.nullable(v.string()), null) })),
  file: v.strictObject({
    /** Id of the upload, never a path; absent for a file that stays where it is. */
    id: v.optional(v.pipe(v.string(), v.uuid())),
    /** Key of a file of `/files`. */
    of: v.optional(v.pipe(v.string(), v.uuid())),
    /** The object of a location. */
    at: v.optional(
      v.strictObject({
        location: v.string(),
        key: v.string(),
        etag: v.string(),
        /** The import fails when the object was imported before. */
        once: v.optional(v.boolean()),
      }),
    ),
    format: v.picklist(IMPORT_FORMATS),
    bytes: v.number(),
    gzip: v.optional(v.boolean()),
    /** SHA-256 in hexadecimal of the file as it was sent. */
    sha256: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
  }),
  parameters: v.optional(importParameters),
  /** The name of the profile that the parameters come from. */
  profile: v.optional(v.string()),
});

export type ImportMessage = v.InferOutput<typeof importMessage>;

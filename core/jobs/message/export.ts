/** The message and the result of an export job, and the name of its file in the spool. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';

export const EXPORT_JOB = 'export';

/** Formats of an exported file. */
export const EXPORT_FORMATS = [
  'csv',
  'csv_utf8',
  'json',
  'ndjson',
  'xml',
  'yaml',
  'xlsx',
  'parquet',
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const exportMessage = v.strictObject({
  /** Workers of 0.1.0 would accept version 1, but have no actor for it. */
  version: v.literal(2),
  collection: v.string(),
  /** The original query; it is parsed again when the job runs. */
  query: v.record(v.string(), v.unknown()),
  format: v.picklist(EXPORT_FORMATS),
  /** Prevents spreadsheets from interpreting cells as formulas. */
  safe: v.boolean(),
  /** The text of a null in CSV; absent for the word `null`. */
  nullText: v.optional(v.string()),
  /** Begins a CSV file with the line `sep=,`. */
  sepLine: v.optional(v.boolean()),
  /** The name of the file without its extension; null for the default. */
  title: v.nullable(v.string()),
  /** The exporting user, whose permissions are checked when the job runs. */
  user: v.string(),
  /** The address of the request, for policies that apply only at certain addresses. */
  ip: v.nullable(v.string()),
});
export type ExportMessage = v.InferOutput<typeof exportMessage>;

/** The exports of a user run one after another, so that one user cannot occupy all workers. */
export function exportMailbox(user: string): string {
  return `${EXPORT_JOB}:${user}`;
}

export const exportResult = v.object({
  rows: v.number(),
  bytes: v.number(),
  format: v.picklist(EXPORT_FORMATS),
  /** The filename for downloads. */
  file: v.string(),
  /** SHA-256 of the content in hexadecimal. */
  sha256: v.string(),
});
export type ExportResult = v.InferOutput<typeof exportResult>;

/** A delivery of an export job; a completed job has the file of its last delivery. */
export interface ExportDelivery {
  readonly id: string;
  readonly attempt: number;
}

/**
 * The name of an export's file in the spool. Each attempt has a separate name, so that a superseded
 * worker cannot replace the file of its successor.
 */
export function exportFileId({ id, attempt }: ExportDelivery): string {
  const hex = createHash('sha256').update(`${id} ${attempt}`).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20, 32)].join('-');
}

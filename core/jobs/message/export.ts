/** The message and the result of an export job, and the name of its file in the spool. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';

export const EXPORT_JOB = 'export';

/** Formats of an exported file. */
export const EXPORT_FORMATS = ['csv', 'csv_utf8', 'json', 'ndjson', 'xml', 'yaml'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const exportMessage = v.strictObject({
  /** Workers of 0.1.0 would take version 1, and have no actor for it. */
  version: v.literal(2),
  collection: v.string(),
  /** The query as it was sent; it is parsed again when the job runs. */
  query: v.record(v.string(), v.unknown()),
  format: v.picklist(EXPORT_FORMATS),
  /** Spreadsheets shall take no cell for a formula. */
  safe: v.boolean(),
  /** The name that the file gets, without its extension; null for the default. */
  title: v.nullable(v.string()),
  /** Who exports; rights are those that this user has when the job runs. */
  user: v.string(),
  /** The address of the request, for policies that hold at some addresses only. */
  ip: v.nullable(v.string()),
});
export type ExportMessage = v.InferOutput<typeof exportMessage>;

/** The exports of a user run one after another, so that nobody has all workers. */
export function exportMailbox(user: string): string {
  return `${EXPORT_JOB}:${user}`;
}

export const exportResult = v.object({
  rows: v.number(),
  bytes: v.number(),
  format: v.picklist(EXPORT_FORMATS),
  /** The name of the file for whoever downloads it. */
  file: v.string(),
  /** SHA-256 of the content in hexadecimal. */
  sha256: v.string(),
});
export type ExportResult = v.InferOutput<typeof exportResult>;

/** A delivery of an export job; a completed job has the file of its last one. */
export interface ExportDelivery {
  readonly id: string;
  readonly attempt: number;
}

/**
 * The name of an export's file in the spool. Each attempt has its own, so that a worker that was
 * given up cannot replace the file of its successor.
 */
export function exportFileId({ id, attempt }: ExportDelivery): string {
  const hex = createHash('sha256').update(`${id} ${attempt}`).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20, 32)].join('-');
}

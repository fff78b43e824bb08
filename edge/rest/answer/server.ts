/** What answers tell of the server itself. */
import * as v from 'valibot';
import { anyObjectSchema } from './value.ts';

const status = v.picklist(['ok', 'warn', 'error']);

/** Everybody sees the status, administrators the rest. */
export const healthSchema = v.strictObject({
  status,
  releaseId: v.optional(v.string()),
  serviceId: v.optional(v.string()),
  checks: v.optional(v.record(v.string(), v.array(v.looseObject({ status })))),
});

/** Everybody sees the project, users the rest. */
export const projectSchema = v.looseObject({
  project: anyObjectSchema,
  version: v.optional(v.string()),
});

export const identityProvidersSchema = v.strictObject({
  data: v.array(anyObjectSchema),
  disableDefault: v.boolean(),
});

/** The response schemas for the server itself. */
import * as v from 'valibot';
import { anyObjectSchema } from './value.ts';

const status = v.picklist(['ok', 'warn', 'error']);

/** All callers see the status; administrators also see the rest. */
export const healthSchema = v.strictObject({
  status,
  releaseId: v.optional(v.string()),
  serviceId: v.optional(v.string()),
  checks: v.optional(v.record(v.string(), v.array(v.looseObject({ status })))),
});

/** All callers see the project; users also see the rest. */
export const projectSchema = v.looseObject({
  project: anyObjectSchema,
  mail: v.optional(v.pipe(v.boolean(), v.description('Whether mails are sent'))),
  version: v.optional(v.string()),
});

export const identityProvidersSchema = v.strictObject({
  data: v.array(anyObjectSchema),
  disableDefault: v.boolean(),
});

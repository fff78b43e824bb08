/** What answers tell of the server itself. */
import * as v from 'valibot';
import { anyMembers } from './value.ts';

const status = v.picklist(['ok', 'warn', 'error']);

/** Everybody sees the status, administrators the rest. */
export const healthReport = v.strictObject({
  status,
  releaseId: v.optional(v.string()),
  serviceId: v.optional(v.string()),
  checks: v.optional(v.record(v.string(), v.array(v.looseObject({ status })))),
});

/** Everybody sees the project, users the rest. */
export const project = v.looseObject({ project: anyMembers, version: v.optional(v.string()) });

export const identityProviders = v.strictObject({
  data: v.array(anyMembers),
  disableDefault: v.boolean(),
});

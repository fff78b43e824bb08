/** The response schemas for a caller's tokens and permissions. */
import * as v from 'valibot';
import { anyObjectSchema, timestampSchema, uuidSchema } from './value.ts';

/** `mode` determines which tokens are in the body. */
export const tokensSchema = v.strictObject({
  expires: v.pipe(v.number(), v.description('Milliseconds until the access token expires')),
  access_token: v.optional(v.string()),
  refresh_token: v.optional(v.string()),
});

export const secondFactorSchema = v.strictObject({ secret: v.string(), otpauth_url: v.string() });

/** The logins of the caller; a session that an older release began lacks times. */
export const ownSessionsSchema = v.array(
  v.strictObject({
    id: uuidSchema,
    created_on: v.nullable(timestampSchema),
    renewed_on: v.nullable(timestampSchema),
    expires: timestampSchema,
    ip: v.nullable(v.string()),
    user_agent: v.nullable(v.string()),
    origin: v.nullable(v.string()),
    current: v.pipe(v.boolean(), v.description('The session of this request')),
  }),
);

/** A link for a user, which is as secret as a password until it is used. */
export const accountLinkSchema = v.strictObject({
  purpose: v.picklist(['invitation', 'password-reset']),
  url: v.string(),
});

/** Callers without a user receive only the first member. */
export const ownRightsSchema = v.strictObject({
  app_access: v.boolean(),
  admin_access: v.optional(v.boolean()),
  enforce_tfa: v.optional(v.boolean()),
});

const action = v.strictObject({
  access: v.picklist(['none', 'partial', 'full']),
  fields: v.optional(v.array(v.string())),
  presets: v.optional(anyObjectSchema),
});

/** Permissions by collection. */
export const allRightsSchema = v.record(
  v.string(),
  v.strictObject({ create: action, read: action, update: action, delete: action, share: action }),
);

const onItem = v.union([v.strictObject({ ...action.entries, access: v.boolean() }), action]);

/** Permissions on one item, or on any item of a collection. */
export const itemRightsSchema = v.strictObject({ update: onItem, delete: onItem, share: onItem });

/** The rules of settings: a valid password policy, and no administrator role for registration. */
import { invalidPayload } from '#core/errors/service-error.ts';
import { parseEmailFilter } from '#core/identity/email-filter.ts';
import { requirePlainRegistration } from '#core/identity/last-administrator.ts';
import type { Action, Item } from '#core/mutation/payload.ts';
import type { Done, Write } from '#core/mutation/target.ts';
import { checkStored } from './stored-filter.ts';
import { askIn, schemaOf } from './system-schema.ts';

function checkPasswordRule(policy: unknown): void {
  if (typeof policy !== 'string' || policy === '') return;
  const [, source = policy, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(policy) ?? [];
  try {
    new RegExp(source, flags);
  } catch {
    throw invalidPayload('"auth_password_policy" is no regular expression.', {
      field: 'auth_password_policy',
    });
  }
}

/**
 * @throws ServiceError INVALID_PAYLOAD when the policy is not a regular expression, or the filter
 * of addresses cannot be read
 */
export async function refineSettings(_: Write, __: Action, item: Item): Promise<Item> {
  checkPasswordRule(item.auth_password_policy);
  checkStored(item, 'public_registration_email_filter', parseEmailFilter);
  return item;
}

/** @throws ServiceError UNPROCESSABLE_ENTITY when registration would make administrators */
export async function afterSettings(write: Write, { items }: Done): Promise<void> {
  if (items.every((item) => item.public_registration_role === undefined)) return;
  await requirePlainRegistration(askIn(write), schemaOf(write));
}

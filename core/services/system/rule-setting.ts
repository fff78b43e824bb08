/** The rules of settings: a valid password policy, and no administrator role for registration. */

import { parseEmailFilter } from '#core/accounts/identity/email-filter.ts';
import { requirePlainRegistration } from '#core/accounts/identity/last-administrator.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import type { Action, Item } from '#core/write/payload.ts';
import type { CompletedChange, WriteContext } from '#core/write/write-context.ts';
import { checkStoredFilter } from './stored-filter.ts';
import { queryInTransaction, systemSchemaOf } from './system-schema.ts';

function checkPasswordRule(policy: unknown): void {
  if (typeof policy !== 'string' || policy === '') return;
  const [, source = policy, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(policy) ?? [];
  try {
    new RegExp(source, flags);
  } catch {
    throw invalidPayload(reason('password_policy_invalid'), {
      field: 'auth_password_policy',
    });
  }
}

/**
 * @throws ServiceError INVALID_PAYLOAD when the policy is not a regular expression, or the filter
 * of addresses cannot be read
 */
export async function refineSettings(_: WriteContext, __: Action, item: Item): Promise<Item> {
  checkPasswordRule(item.auth_password_policy);
  checkStoredFilter(item, 'public_registration_email_filter', parseEmailFilter);
  return item;
}

/** @throws ServiceError UNPROCESSABLE_ENTITY when registration would create administrators */
export async function afterSettings(
  write: WriteContext,
  { items }: CompletedChange,
): Promise<void> {
  if (items.every((item) => item.public_registration_role === undefined)) return;
  await requirePlainRegistration(queryInTransaction(write), systemSchemaOf(write));
}

/**
 * The rules of users: valid addresses and passwords, and sessions that end when credentials change.
 */
import * as v from 'valibot';
import { forgiveFailures } from '#core/accounts/identity/login-attempts.ts';
import { checkPasswordPolicy, readPasswordPolicy } from '#core/accounts/identity/password.ts';
import { CURRENT_PASSWORD } from '#core/accounts/identity/password-confirmation.ts';
import { endSessionsOf, loginTimeOfSession } from '#core/accounts/identity/session.ts';
import { tokenHash } from '#core/accounts/identity/token-hash.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { referencesTo } from '#core/model/system-collections/registry.ts';
import type { Action, Item } from '#core/write/payload.ts';
import type { CompletedChange, PendingChange, WriteContext } from '#core/write/write-context.ts';
import { forbidAdministrators } from './administrator.ts';
import { singleKeys, systemSchemaOf } from './system-schema.ts';

const email = v.pipe(v.string(), v.email());

const STATUS = new Set(['draft', 'invited', 'unverified', 'active', 'suspended', 'archived']);

/** Fields for external logins. */
const PROVIDER = ['provider', 'external_identifier'] as const;

function fault(field: string, type: string, details = {}): ServiceError {
  return new ServiceError('FAILED_VALIDATION', { field, path: [], type, ...details });
}

function checkForm(write: WriteContext, item: Item): void {
  const { email: address, status, tfa_secret } = item;
  if (tfa_secret !== undefined) {
    throw invalidPayload(reason('second_factor_secret_not_written'));
  }
  if (address !== undefined && address !== null && !v.is(email, address))
    throw fault('email', 'email');
  if (status !== undefined && !STATUS.has(String(status))) {
    throw fault('status', 'in', { valid: [...STATUS] });
  }
  const names = PROVIDER.filter((name) => item[name] !== undefined);
  if (names.length > 0 && !write.target.rights.admin) {
    throw forbidden(reason('only_administrators_write_fields', { fields: names.join('" and "') }));
  }
}

/** A token is stored as a hash, like a password. */
function storedToken(token: unknown): string | null {
  if (token === null) return null;
  if (typeof token !== 'string')
    throw invalidPayload(reason('token_text_expected'), { field: 'token' });
  return token === '' ? null : tokenHash(token);
}

/** Checks the members of a user; the password before it is hashed. */
export async function refineUser(write: WriteContext, _: Action, item: Item): Promise<Item> {
  checkForm(write, item);
  const { password, token } = item;
  if (typeof password === 'string') {
    if (password === '') throw fault('password', 'required');
    checkPasswordPolicy(await readPasswordPolicy(write.client, systemSchemaOf(write)), password);
  }
  return token === undefined ? item : { ...item, token: storedToken(token) };
}

/** Columns that refer to users and whose rows stay when a user is deleted. */
const REFERENCES = referencesTo('users').filter(({ onDelete }) => onDelete === 'NO ACTION');

/** A caller that takes over an administrator's account gains its rights. */
export async function beforeUsers(write: WriteContext, pending: PendingChange): Promise<void> {
  const { client, target } = write;
  const users = singleKeys(pending.keys);
  const schema = systemSchemaOf(write);
  if (!target.rights.admin) await forbidAdministrators(client, schema, users);
  if (pending.action === 'update') {
    await requireConfirmation(write, users, pending.items);
    return;
  }
  for (const { collection, field } of REFERENCES) {
    const column = identifier(field);
    await client.query(
      render(sql`UPDATE ${systemTable(schema, collection)} SET ${column} = NULL
        WHERE ${column} = ANY(${users}::uuid[])`),
    );
  }
}

/** A login within this time (ms) confirms a change of the own credentials, like the password. */
const FRESH_LOGIN_MS = 15 * 60_000;

/**
 * The password, or the address for resetting it, gives permanent control of an account. A token
 * alone therefore cannot change them for its own user. An administrator may change passwords,
 * because it may also appoint administrators: that is how access is regained.
 * @throws ServiceError INVALID_PAYLOAD
 */
async function requireConfirmation(
  write: WriteContext,
  users: readonly string[],
  items: readonly Item[],
): Promise<void> {
  const { user, session } = write.target.caller;
  if (user === null || write.confirmed) return;
  const changes = users.flatMap((id, place) => {
    const { email: address, password } = items[place] ?? {};
    const hasPassword = password !== undefined && !write.target.rights.admin;
    return address === undefined && !hasPassword ? [] : [{ id, address, hasPassword }];
  });
  if (changes.length === 0) return;
  const ids = changes.map(({ id }) => id);
  const addresses = changes.map(({ address }) => address ?? null);
  const addressed = changes.map(({ address }) => address !== undefined);
  const withPassword = changes.map(({ hasPassword }) => hasPassword);
  const place = { db: write.client, schema: systemSchemaOf(write) };
  // Keys have several spellings, so the database compares them.
  const { rowCount } = await write.client.query(
    render(sql`SELECT FROM ${systemTable(place.schema, 'users')} AS u
      JOIN unnest(${ids}::uuid[], ${addresses}::text[], ${addressed}::boolean[],
        ${withPassword}::boolean[]) AS w(id, email, is_addressed, has_password) USING (id)
      WHERE u.id = ${user} AND (w.has_password
        OR w.is_addressed AND lower(u.email) IS DISTINCT FROM lower(w.email))`),
  );
  if (rowCount === 0) return;
  const login = session === null ? null : await loginTimeOfSession(place, session);
  if (login !== null && login > Date.now() - FRESH_LOGIN_MS) return;
  throw invalidPayload(reason('current_password_needed', { member: CURRENT_PASSWORD }), {
    field: CURRENT_PASSWORD,
  });
}

/**
 * New credentials end the user's sessions, except the one that changed them, and reset the count of
 * failed logins.
 */
export async function afterUsers(
  write: WriteContext,
  { action, keys, items }: CompletedChange,
): Promise<void> {
  if (action !== 'update') return;
  const changed = keys.filter((_, place) => {
    const item = items[place];
    return item?.password !== undefined || item?.email !== undefined;
  });
  if (changed.length === 0) return;
  const place = { db: write.client, schema: systemSchemaOf(write) };
  await endSessionsOf(place, singleKeys(changed), write.target.caller.session);
  await forgiveFailures(place, singleKeys(changed));
}

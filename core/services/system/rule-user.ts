/**
 * The rules of users: valid addresses and passwords, and sessions that end when credentials change.
 */
import * as v from 'valibot';
import { identifier, render, sql } from '#core/database/sql.ts';
import { forbidden, invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import { forgiveFailures } from '#core/identity/login-attempts.ts';
import { checkPasswordPolicy, readPasswordPolicy } from '#core/identity/password.ts';
import { CURRENT_PASSWORD } from '#core/identity/password-confirmation.ts';
import { endSessionsOf, loginTimeOfSession } from '#core/identity/session.ts';
import { tokenHash } from '#core/identity/token-hash.ts';
import type { Action, Item } from '#core/mutation/payload.ts';
import type { Done, Pending, Write } from '#core/mutation/target.ts';
import { systemTable } from '#core/system/system-table.ts';
import { referencesTo } from '#core/system-collections/registry.ts';
import { forbidAdministrators } from './administrator.ts';
import { schemaOf, singleKeys } from './system-schema.ts';

const email = v.pipe(v.string(), v.email());

const STATUS = new Set(['draft', 'invited', 'unverified', 'active', 'suspended', 'archived']);

/** Fields for external logins. */
const PROVIDER = ['provider', 'external_identifier'] as const;

function fault(field: string, type: string, details = {}): ServiceError {
  return new ServiceError('FAILED_VALIDATION', { field, path: [], type, ...details });
}

function checkForm(write: Write, item: Item): void {
  const { email: address, status, tfa_secret } = item;
  if (tfa_secret !== undefined) {
    throw invalidPayload('"tfa_secret" is not written; a second factor is enabled by its user.');
  }
  if (address !== undefined && address !== null && !v.is(email, address))
    throw fault('email', 'email');
  if (status !== undefined && !STATUS.has(String(status))) {
    throw fault('status', 'in', { valid: [...STATUS] });
  }
  const names = PROVIDER.filter((name) => item[name] !== undefined);
  if (names.length > 0 && !write.target.rights.admin) {
    throw forbidden(`Only administrators write "${names.join('" and "')}".`);
  }
}

/** A token is stored as a hash, like a password that nobody has to remember. */
function storedToken(token: unknown): string | null {
  if (token === null) return null;
  if (typeof token !== 'string')
    throw invalidPayload('"token" must be a text.', { field: 'token' });
  return token === '' ? null : tokenHash(token);
}

/** Checks the members of a user; the password before it is hashed. */
export async function refineUser(write: Write, _: Action, item: Item): Promise<Item> {
  checkForm(write, item);
  const { password, token } = item;
  if (typeof password === 'string') {
    if (password === '') throw fault('password', 'required');
    checkPasswordPolicy(await readPasswordPolicy(write.client, schemaOf(write)), password);
  }
  return token === undefined ? item : { ...item, token: storedToken(token) };
}

/** Columns that refer to users and whose rows stay when a user is deleted. */
const REFERENCES = referencesTo('users').filter(({ onDelete }) => onDelete === 'NO ACTION');

/** A caller who takes over an administrator's account has its rights. */
export async function beforeUsers(write: Write, pending: Pending): Promise<void> {
  const { client, target } = write;
  const users = singleKeys(pending.keys);
  const schema = schemaOf(write);
  if (!target.rights.admin) await forbidAdministrators(client, schema, users);
  if (pending.action === 'update') {
    await requireOwnAddress(write, users, pending.items);
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

/** A login that is younger confirms a change of the own address, as the password does. */
const FRESH_LOGIN_MS = 15 * 60_000;

/**
 * The owner of the address can reset the password, so a token alone does not change the address of its own
 * user.
 * @throws ServiceError INVALID_PAYLOAD
 */
async function requireOwnAddress(
  write: Write,
  users: readonly string[],
  items: readonly Item[],
): Promise<void> {
  const { user, session } = write.target.caller;
  if (user === null || write.confirmed) return;
  const addressed = users.filter((_, place) => items[place]?.email !== undefined);
  const addresses = items.flatMap(({ email: address }) => (address === undefined ? [] : [address]));
  if (addresses.length === 0) return;
  const place = { db: write.client, schema: schemaOf(write) };
  // Keys may be spelled in more ways than one, so the database compares them.
  const { rowCount } = await write.client.query(
    render(sql`SELECT FROM ${systemTable(place.schema, 'users')} AS u
      JOIN unnest(${addressed}::uuid[], ${addresses}::text[]) AS w(id, email) USING (id)
      WHERE u.id = ${user} AND lower(u.email) IS DISTINCT FROM lower(w.email)`),
  );
  if (rowCount === 0) return;
  const login = session === null ? null : await loginTimeOfSession(place, session);
  if (login !== null && login > Date.now() - FRESH_LOGIN_MS) return;
  throw invalidPayload(
    `Changing one's own e-mail address needs "${CURRENT_PASSWORD}" or a login of the last 15 minutes.`,
    { field: CURRENT_PASSWORD },
  );
}

/**
 * New credentials end the sessions of the old ones, except the session that changed them, and reset
 * the count of failed logins.
 */
export async function afterUsers(write: Write, { action, keys, items }: Done): Promise<void> {
  if (action !== 'update') return;
  const changed = keys.filter((_, place) => {
    const item = items[place];
    return item?.password !== undefined || item?.email !== undefined;
  });
  if (changed.length === 0) return;
  const place = { db: write.client, schema: schemaOf(write) };
  await endSessionsOf(place, singleKeys(changed), write.target.caller.session);
  await forgiveFailures(place, singleKeys(changed));
}

/**
 * The encrypted the secrets of second factors with a key that each edge has, and can be used all the
 * while: beside an older release, during a change of SECRET, and after both.
 */
import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { SecretSeal } from '#core/accounts/identity/secret-seal.ts';
import { StoredSecrets } from '#core/accounts/identity/stored-secrets.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { createLog } from '#core/base/log/log.ts';
import type { SigningKeys } from '#core/model/system/signing-key.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';
import { identityOn, PASSWORD, SECRET, VISITOR } from './fixture/identity.ts';

const NEXT = 'the key that follows the one of tests';
const PAUSE_MS = 1;

const world = await identityOn(t);
const { pool } = world;
await pool.query('INSERT INTO system_settings (auth_login_attempts) VALUES (1000)');

async function storedOf(id: string): Promise<string> {
  const { rows } = await pool.query('SELECT tfa_secret FROM system_users WHERE id = $1', [id]);
  return rows[0].tfa_secret;
}

/** Adds an edge to the registry; null for one of a release that reads plain secrets only. */
async function addEdge(keys: readonly string[] | null): Promise<() => Promise<void>> {
  const id = randomUUID();
  await pool.query(
    `INSERT INTO system_members (id, name, kind, expires, form, catalog, reset, secret_keys)
     VALUES ($1, 'another edge', 'edge', now() + interval '1 hour', 1, 1, 0, $2)`,
    [id, keys],
  );
  return async () => {
    await pool.query('DELETE FROM system_members WHERE id = $1', [id]);
  };
}

/** Begins to encrypt with the keys of a process. */
function encryption(t: Teardown, secrets: SigningKeys): Promise<void> {
  const closing = new AbortController();
  t.teardown(() => closing.abort());
  return world.open(secrets).storedSecrets.encryptAll(closing.signal, PAUSE_MS);
}

/** Logs in with the code of a moment, which is used up. */
async function login(email: string, secret: Secret, secrets: SigningKeys): Promise<string> {
  // Each code works once, and half minutes are long.
  await pool.query('UPDATE system_logins SET otp_step = NULL, addresses = NULL, minute = NULL');
  const otp = new TOTP({ secret }).generate();
  return world
    .open(secrets)
    .signIn.login({ email, password: PASSWORD, otp }, 'json', VISITOR)
    .then(
      () => 'in',
      (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
    );
}

t.test('plain secrets are encrypted when no older release runs any more', async (t) => {
  const secret = new Secret({ size: 20 });
  const { id, email } = await world.createUser({ tfa_secret: secret.base32 });
  const endEdge = await addEdge(null);
  const endOther = await addEdge(new SecretSeal([SECRET]).names);
  const encrypted = encryption(t, [SECRET]);
  t.equal(await world.open().storedSecrets.stored('A', id), 'A', 'new ones stay plain meanwhile');
  t.equal(await login(email, secret, [SECRET]), 'in');
  t.equal(await storedOf(id), secret.base32, 'the older release can read it');
  await endEdge();
  await encrypted;
  const stored = await storedOf(id);
  t.match(stored, /^\$aes-256-gcm\$[\w-]{8}\$[\w-]+$/);
  t.equal(await login(email, secret, [SECRET]), 'in');
  t.not(await world.open().storedSecrets.stored('A', id), 'A');
  await endOther();

  const other = await world.createUser({ tfa_secret: stored });
  t.equal(await login(other.email, secret, [SECRET]), 'INVALID_OTP', 'it is of one user');
  const broken = `${stored.slice(0, -4)}AAAA`;
  await pool.query('UPDATE system_users SET tfa_secret = $2 WHERE id = $1', [id, broken]);
  t.equal(await login(email, secret, [SECRET]), 'INVALID_OTP', 'it was not changed');
  await pool.query('UPDATE system_users SET tfa_secret = NULL');
});

t.test('secrets follow a change of SECRET', async (t) => {
  const secret = new Secret({ size: 20 });
  const { id, email } = await world.createUser({ tfa_secret: secret.base32 });
  const many = Array.from({ length: 250 }, () =>
    world.createUser({ tfa_secret: new Secret({ size: 20 }).base32 }),
  );
  await Promise.all(many);
  await encryption(t, [SECRET]);
  const lost = await world.createUser();
  await pool.query(
    `UPDATE system_users SET tfa_secret = '$aes-256-gcm$unknown_$AAAA' WHERE id = $1`,
    [lost.id],
  );
  const before = await storedOf(id);
  const endEdge = await addEdge(new SecretSeal([SECRET]).names);
  const encrypted = encryption(t, [NEXT, SECRET]);
  t.equal(await login(email, secret, [NEXT, SECRET]), 'in', 'SECRET_PREVIOUS decrypts');
  const nextSeal = new SecretSeal([NEXT]);
  const both = world.open([NEXT, SECRET]).storedSecrets;
  const shared = await both.stored('A', id);
  t.equal(
    world.open([SECRET]).storedSecrets.open(shared, id),
    'A',
    'the edge with the old key reads',
  );
  t.equal(await storedOf(id), before);
  await endEdge();
  await encrypted;
  t.not(await storedOf(id), before);
  t.equal(await login(email, secret, [NEXT]), 'in', 'the old key is not needed any more');
  t.equal(await login(email, secret, [SECRET]), 'INVALID_OTP');
  const { rows } = await pool.query(
    'SELECT id FROM system_users WHERE tfa_secret IS NOT NULL AND NOT starts_with(tfa_secret, $1)',
    [nextSeal.startOf(nextSeal.names[0])],
  );
  t.strictSame(rows, [{ id: lost.id }], 'what no key opens stays as it is');
});

t.test('an outage does not end the encryption', async (t) => {
  const secret = new Secret({ size: 20 });
  const { id } = await world.createUser({ tfa_secret: secret.base32 });
  await pool.query('ALTER TABLE system_members RENAME TO system_members_away');
  const log = createLog({ LOG_LEVEL: 'silent' }, 'test');
  const warnings = t.capture(log, 'warn');
  const seal = new SecretSeal([SECRET]);
  const secrets = new StoredSecrets({ pool, schema: 'public', seal, log });
  const closing = new AbortController();
  t.teardown(() => closing.abort());
  const encrypted = secrets.encryptAll(closing.signal, PAUSE_MS);
  await until(() => warnings().length > 0, 'it has failed');
  await pool.query('ALTER TABLE system_members_away RENAME TO system_members');
  await encrypted;
  t.not(await storedOf(id), secret.base32);
});

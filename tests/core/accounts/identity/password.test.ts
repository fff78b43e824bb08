// @newest @quick

import argon2 from 'argon2';
import t from 'tap';
import {
  checkPasswordPolicy,
  hashOfNobody,
  hashPassword,
  isOutdated,
  PASSWORD_MAX_BYTES,
  passwordsWorked,
  verifyPassword,
} from '#core/accounts/identity/password.ts';

const config = { ARGON2_MEMORY: 1_048_576, ARGON2_TIME: 1, ARGON2_PARALLELISM: 1 };
const FAILED = { code: 'FAILED_VALIDATION', details: { field: 'password', type: 'regex' } };

t.test('a password belongs to its hash', async (t) => {
  const hash = await hashPassword(config, 'pässword');
  t.match(hash, /^\$argon2id\$v=19\$m=1024,p=1,t=1\$/);
  t.equal(await verifyPassword(hash, 'pässword'), true);
  t.equal(await verifyPassword(hash, 'password'), false);
  t.equal(await verifyPassword('no hash', 'password'), false);
  t.equal(isOutdated(config, hash), false);
  t.equal(isOutdated({ ...config, ARGON2_TIME: 2 }, hash), true);
  t.equal(isOutdated(config, 'no hash'), true);
});

t.test('the hash of nobody takes as much work as any other, and fits nothing', async (t) => {
  const hash = hashOfNobody(config);
  t.equal(isOutdated(config, hash), false, 'it has the same parameters');
  t.equal(await argon2.verify(hash, ''), false, 'and is not refused for its form');
});

t.test('a password that is too long costs nothing', async (t) => {
  const long = 'é'.repeat(PASSWORD_MAX_BYTES / 2);
  const hash = await hashPassword(config, long);
  const before = passwordsWorked();
  t.equal(await verifyPassword(hash, `${long}x`), false);
  await t.rejects(hashPassword(config, `${long}x`), { code: 'INVALID_PAYLOAD' });
  t.throws(() => checkPasswordPolicy(null, `${long}x`), { code: 'INVALID_PAYLOAD' });
  t.equal(passwordsWorked(), before);
});

t.test('too many are refused with the time to retry', async (t) => {
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, () => hashPassword(config, 'password')),
  );
  const refused = results.filter((result) => result.status === 'rejected');
  t.equal(refused.length, 34, 'two run, 64 wait');
  t.match(refused[0]?.reason, { code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '1' } });
  t.equal(await verifyPassword(await hashPassword(config, 'x'), 'x'), true, 'then it goes on');
});

t.test('a holder with many passwords delays others by those that run', async (t) => {
  const ended: string[] = [];
  const hash = (holder: string) =>
    hashPassword(config, 'password', holder).then(() => ended.push(holder));
  const many = Promise.allSettled(Array.from({ length: 100 }, () => hash('user:many')));
  await Promise.all([hash('user:one'), hash('ip:127.0.0.1')]);
  const before = ended.filter((holder) => holder === 'user:many').length;
  t.ok(before < 10, `${before} of 66 came first`);
  await many;
  t.equal(ended.length, 68, 'nothing of others is refused');
});

t.test('the policy is a regular expression, with or without slashes', async (t) => {
  for (const policy of [null, '', '/^.{8,}$/', '^.{8,}$', '/^[A-Z]{8}$/i']) {
    t.doesNotThrow(() => checkPasswordPolicy(policy, 'abcdefgh'), String(policy));
  }
  for (const policy of ['/^.{9,}$/', '^[A-Z]{8}$', '(', '/a/zz']) {
    t.throws(() => checkPasswordPolicy(policy, 'abcdefgh'), FAILED, policy);
  }
});

t.test('a failure does not repeat the password', async (t) => {
  try {
    checkPasswordPolicy('^x$', 'the secret word');
    t.fail('it passed');
  } catch (error) {
    t.notMatch(JSON.stringify(error), 'secret word');
  }
});

t.test('a policy that backtracks for ever is stopped', async (t) => {
  t.throws(() => checkPasswordPolicy('/^(a+)+$/', `${'a'.repeat(60)}!`), FAILED);
});

// @newest @quick

import { SignJWT, UnsecuredJWT } from 'jose';
import t from 'tap';
import {
  accountState,
  isCurrent,
  type MailScope,
  MailTokens,
} from '#core/accounts/identity/mail-token.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';

const SECRET = 'a-secret-of-thirty-two-characters';
const account = {
  id: 'a2f0b0a6-6a3c-4a2e-9f55-0d3a0d2d7b11',
  email: 'Ann@example.com',
  password: '$argon2id$v=19$m=1024,t=1,p=1$c2FsdA$aGFzaA',
};
const tokens = new MailTokens([SECRET]);

async function codeOf(token: string, scope: MailScope, by = tokens): Promise<string> {
  try {
    await by.read(token, scope);
    return 'none';
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
}

t.test('a token says who it is for, and only for its purpose', async (t) => {
  const scopes = ['invite', 'password-reset', 'pending-registration'] as const;
  for (const scope of scopes) {
    const token = await tokens.issue(scope, account);
    const claims = await tokens.read(token, scope);
    t.match(claims, { user: account.id, email: account.email });
    t.ok(isCurrent(claims, account));
    for (const other of scopes.filter((one) => one !== scope)) {
      t.equal(await codeOf(token, other), 'INVALID_TOKEN');
    }
  }
});

t.test('it dies with the password, the address and the account', async (t) => {
  const claims = await tokens.read(await tokens.issue('invite', account), 'invite');
  t.notOk(isCurrent(claims, { ...account, password: null }));
  t.notOk(isCurrent(claims, { ...account, password: `${account.password}x` }));
  t.notOk(isCurrent(claims, { ...account, email: 'ann@example.com' }));
  t.notOk(isCurrent(claims, { ...account, id: 'b2f0b0a6-6a3c-4a2e-9f55-0d3a0d2d7b11' }));
  const text = JSON.stringify(claims);
  t.notMatch(text, 'argon2', 'the digest holds nothing of the hash');
});

t.test('it dies of age: after a day for a reset, after seven for the others', async (t) => {
  const hour = 3_600_000;
  const lifetimes = { 'password-reset': 24, invite: 168, 'pending-registration': 168 } as const;
  for (const scope of ['password-reset', 'invite', 'pending-registration'] as const) {
    const fresh = await tokens.issue(scope, account, Date.now() - (lifetimes[scope] - 1) * hour);
    const old = await tokens.issue(scope, account, Date.now() - (lifetimes[scope] + 1) * hour);
    t.equal(await codeOf(fresh, scope), 'none');
    t.equal(await codeOf(old, scope), 'TOKEN_EXPIRED');
    t.equal(await codeOf(old, scope, new MailTokens(['another'])), 'INVALID_TOKEN');
  }
});

t.test('the former secret is still accepted, and does not sign', async (t) => {
  const rotated = new MailTokens(['the-next-secret', SECRET]);
  t.equal(await codeOf(await tokens.issue('invite', account), 'invite', rotated), 'none');
  t.equal(await codeOf(await rotated.issue('invite', account), 'invite'), 'INVALID_TOKEN');
});

t.test('no other token passes', async (t) => {
  const claims = {
    email: account.email,
    scope: 'password-reset',
    hash: accountState(account),
  };
  const from = (key: Uint8Array, header: { alg: string; typ?: string }, audience = 'mail') =>
    new SignJWT(claims)
      .setProtectedHeader(header)
      .setIssuer('sluice')
      .setAudience(audience)
      .setSubject(account.id)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key);
  const secret = new TextEncoder().encode(SECRET);
  const good = await tokens.issue('password-reset', account);
  const [head = '', body = '', signature = ''] = good.split('.');
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: account.id })).toString('base64url');
  const corpus = {
    'signed with the key of access tokens': await from(secret, { alg: 'HS256', typ: 'mail+jwt' }),
    'another algorithm': await from(secret, { alg: 'HS512', typ: 'mail+jwt' }),
    'no algorithm': new UnsecuredJWT({ ...claims, sub: account.id }).encode(),
    'another body': `${head}.${forged}.${signature}`,
    'no signature': `${head}.${body}.`,
    'no token': 'abc',
    empty: '',
  };
  for (const [name, token] of Object.entries(corpus)) {
    t.equal(await codeOf(token, 'password-reset'), 'INVALID_TOKEN', name);
  }
});

t.test('a stand-in looks like the key of a user and stays the same', (t) => {
  const one = tokens.standIn('Nobody@example.com');
  t.match(one, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
  t.equal(one, tokens.standIn('nobody@example.com'));
  t.not(one, tokens.standIn('nobody@example.org'));
  t.not(one, new MailTokens(['another']).standIn('nobody@example.com'));
  t.end();
});

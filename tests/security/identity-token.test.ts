// @newest
/** Access tokens that were made by others, for another purpose, or in another way. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import t from 'tap';
import { MailTokens } from '#core/accounts/identity/mail-token.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import {
  identityOn,
  PASSWORD,
  SECRET,
  VISITOR,
} from '#tests/core/accounts/identity/fixture/identity.ts';

const world = await identityOn(t);
const { identity, signIn } = world.open();
const user = await world.createUser();
const credentials = { email: user.email, password: PASSWORD, otp: null };
const { accessToken } = await signIn.login(credentials, 'json', VISITOR);
const claims = decodeJwt(accessToken);
const key = (secret: string) => new TextEncoder().encode(secret);

async function outcome(token: string, by = identity): Promise<string | null> {
  try {
    return (await by.authenticate(token, null)).user;
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
}

const sign = (
  payload: Record<string, unknown>,
  { secret = SECRET, header = {} }: { secret?: string; header?: Record<string, string> } = {},
) =>
  new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header })
    .sign(key(secret));

t.test('the token as it was issued counts', async (t) => {
  t.equal(await outcome(accessToken), user.id);
  t.equal(
    await outcome(await sign(claims)),
    user.id,
    'so the ones below fail for their own reason',
  );
});

t.test('a token without a signature is refused', async (t) => {
  const [head, body, signature] = accessToken.split('.');
  t.equal(await outcome(new UnsecuredJWT(claims).encode()), 'INVALID_CREDENTIALS');
  t.equal(await outcome(`${head}.${body}.`), 'INVALID_CREDENTIALS');
  t.equal(await outcome(`${head}.${body}`), 'INVALID_CREDENTIALS');
  for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
    const none = Buffer.from(JSON.stringify({ alg, typ: 'JWT' })).toString('base64url');
    t.equal(await outcome(`${none}.${body}.`), 'INVALID_CREDENTIALS', alg);
    t.equal(await outcome(`${none}.${body}.${signature}`), 'INVALID_CREDENTIALS', alg);
  }
});

t.test('a token of another algorithm is refused, whatever its key', async (t) => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rs256 = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256' })
    .sign(pair.privateKey);
  t.equal(await outcome(rs256), 'INVALID_CREDENTIALS');
  const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  t.equal(await outcome(await sign(claims, { secret: pem })), 'INVALID_CREDENTIALS');
  const hs512 = new SignJWT(claims).setProtectedHeader({ alg: 'HS512' });
  t.equal(await outcome(await hs512.sign(key(SECRET.repeat(2)))), 'INVALID_CREDENTIALS');
  const [, body, signature] = accessToken.split('.');
  const rsHead = Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url');
  t.equal(await outcome(`${rsHead}.${body}.${signature}`), 'INVALID_CREDENTIALS');
});

t.test('a token brings no key of its own', async (t) => {
  const jwk = { kty: 'oct', k: Buffer.from('mine').toString('base64url') };
  const head = Buffer.from(JSON.stringify({ alg: 'HS256', jwk, jku: 'http://127.0.0.1:1/' }));
  const { createHmac } = await import('node:crypto');
  const signed = `${head.toString('base64url')}.${accessToken.split('.')[1]}`;
  const tag = createHmac('sha256', 'mine').update(signed).digest('base64url');
  t.equal(await outcome(`${signed}.${tag}`), 'INVALID_CREDENTIALS');
});

t.test('a token of another secret, issuer or type is refused', async (t) => {
  t.equal(await outcome(await sign(claims, { secret: `${SECRET}x` })), 'INVALID_CREDENTIALS');
  t.equal(await outcome(await sign({ ...claims, iss: 'other' })), 'INVALID_CREDENTIALS');
  t.equal(
    await outcome(await sign(claims, { header: { typ: 'mail+jwt' } })),
    'INVALID_CREDENTIALS',
  );
  const account = { ...user, password: null };
  const mail = await new MailTokens([SECRET]).issue('password-reset', account);
  t.equal(await outcome(mail), 'INVALID_CREDENTIALS', 'a token of a mail');
});

t.test('a changed token is refused', async (t) => {
  const [head = '', , signature = ''] = accessToken.split('.');
  const other = Buffer.from(JSON.stringify({ ...claims, admin_access: true })).toString(
    'base64url',
  );
  t.equal(await outcome(`${head}.${other}.${signature}`), 'INVALID_CREDENTIALS');
});

t.test('what a token claims gives no rights', async (t) => {
  const forged = await sign({
    ...claims,
    admin_access: true,
    app_access: true,
    role: randomUUID(),
  });
  const caller = await identity.authenticate(forged, null);
  t.match(caller, { user: user.id, admin: false, app: false, role: null });
});

t.test('without a live session of its user no token counts', async (t) => {
  const { session: _, ...rest } = claims;
  t.equal(await outcome(await sign(rest)), 'INVALID_CREDENTIALS', 'missing');
  t.equal(
    await outcome(await sign({ ...claims, session: randomUUID() })),
    'INVALID_CREDENTIALS',
    'unknown',
  );
  t.equal(await outcome(await sign({ ...claims, session: "' OR 1=1" })), 'INVALID_CREDENTIALS');
  const otherUser = await world.createUser();
  t.equal(
    await outcome(await sign({ ...claims, id: otherUser.id })),
    'INVALID_CREDENTIALS',
    "another's",
  );
});

t.test('a token ends in time', async (t) => {
  const { exp: _, ...endless } = claims;
  const past = Math.floor(Date.now() / 1_000) - 1;
  t.equal(await outcome(await sign({ ...claims, exp: past })), 'TOKEN_EXPIRED');
  t.equal(
    await outcome(await sign({ ...claims, exp: past }, { secret: `${SECRET}x` })),
    'INVALID_CREDENTIALS',
  );
  t.equal(await outcome(await sign(endless)), 'INVALID_CREDENTIALS');
  t.equal(await outcome(await sign({ ...claims, nbf: past + 1_000 })), 'INVALID_CREDENTIALS');
});

t.test('the secret can be rotated', async (t) => {
  const next = world.open([`${SECRET} of the next year`, SECRET]);
  t.equal(await outcome(accessToken, next.identity), user.id, 'the previous one still counts');
  const renewed = await next.signIn.login(credentials, 'json', VISITOR);
  t.equal(await outcome(renewed.accessToken, next.identity), user.id);
  t.equal(await outcome(renewed.accessToken), 'INVALID_CREDENTIALS', 'it signs nothing new');
  const later = world.open([`${SECRET} of the next year`]);
  t.equal(await outcome(accessToken, later.identity), 'INVALID_CREDENTIALS');
  const pass = { mode: 'json', refreshToken: renewed.refreshToken ?? '' } as const;
  t.ok(
    (await world.open(['a wholly different key of tests']).renewal.refresh(pass, VISITOR))
      .refreshToken,
    'refresh tokens rest on the database alone',
  );
});

t.test('unknown tokens of any form are refused', async (t) => {
  const forms = [
    'x',
    '.',
    '..',
    '...',
    'a.b.c',
    'e30.e30.',
    'é.é.é',
    'a'.repeat(100_000),
    `${accessToken}.x`,
    accessToken.slice(0, -1),
    '\u0000',
  ];
  for (const form of forms)
    t.equal(await outcome(form), 'INVALID_CREDENTIALS', JSON.stringify(form.slice(0, 20)));
});

// @newest

import { Writable } from 'node:stream';
import { pino } from 'pino';
import t from 'tap';
import {
  type Mail,
  mailTransport,
  openMailTransport,
  requireMail,
  smtpOptions,
} from '#core/accounts/mail/transport.ts';
import { loadConfig } from '#core/base/config/config.ts';
import { startMailServer } from '#tests/harness/mail-server.ts';

const silent = pino({ level: 'silent' });
const mail: Mail = {
  id: 'f3b8f7a2-3b7e-4a55-9a3f-0b6a3d6a2d11',
  to: 'ann@example.com',
  senderName: 'Harbour',
  subject: 'Grüße',
  text: 'Plain wörds\n',
  html: '<p>HTML wörds</p>\n',
};

async function open(env: Record<string, string>) {
  const transport = await openMailTransport(
    loadConfig({ EMAIL_TRANSPORT: 'smtp', ...env }),
    silent,
  );
  if (transport === null) throw new Error('there is no transport');
  return transport;
}

t.test('mail is sent as configured, and logged only when configured', (t) => {
  const way = (env: Record<string, string>) => mailTransport(loadConfig(env));
  t.equal(way({}), null);
  t.equal(way({ NODE_ENV: 'production' }), null);
  t.equal(way({ NODE_ENV: 'development' }), 'log');
  t.equal(way({ NODE_ENV: 'development', EMAIL_TRANSPORT: 'smtp' }), 'smtp');
  t.equal(way({ EMAIL_TRANSPORT: 'log' }), 'log');
  t.throws(() => requireMail(loadConfig({})), {
    code: 'SERVICE_UNAVAILABLE',
    details: { service: 'mail' },
  });
  requireMail(loadConfig({ EMAIL_TRANSPORT: 'log' }));
  t.end();
});

t.test('a mail arrives in both forms, signed in, without STARTTLS on loopback', async (t) => {
  const server = await startMailServer(t, { user: 'sluice', password: 'sesame' });
  const transport = await open({
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(server.port),
    EMAIL_SMTP_USER: 'sluice',
    EMAIL_SMTP_PASSWORD: 'sesame',
    EMAIL_FROM: 'robot@harbour.example',
  });
  await transport.send(mail);
  const [got] = server.mails;
  t.match(got, {
    user: 'sluice',
    from: 'robot@harbour.example',
    to: ['ann@example.com'],
    mail: {
      subject: 'Grüße',
      from: { name: 'Harbour', address: 'robot@harbour.example' },
      to: [{ address: 'ann@example.com' }],
      messageId: `<${mail.id}@harbour.example>`,
      text: 'Plain wörds\n',
      html: '<p>HTML wörds</p>\n',
    },
  });
  t.match(got?.source, /^Content-Type: multipart\/alternative;/m);
  t.match(got?.source, /^Auto-Submitted: auto-generated/m);
});

t.test('the sender is the one of the configuration, else one of the public host', async (t) => {
  const server = await startMailServer(t);
  const way = { EMAIL_SMTP_HOST: 'localhost', EMAIL_SMTP_PORT: String(server.port) };
  for (const env of [
    { EMAIL_FROM: 'The Robot <robot@harbour.example>' },
    { PUBLIC_URL: 'https://api.harbour.example/v1' },
    { PUBLIC_URL: 'http://127.0.0.1:8055' },
    { PUBLIC_URL: 'http://[::1]:8055' },
  ]) {
    await (await open({ ...way, ...env })).send(mail);
  }
  t.match(
    server.mails.map(({ mail: { from } }) => `${from?.name} ${from?.address}`),
    [
      'The Robot robot@harbour.example',
      'Harbour no-reply@api.harbour.example',
      'Harbour no-reply@localhost',
      'Harbour no-reply@localhost',
    ],
  );
});

t.test('wrong credentials are refused, and nothing is sent', async (t) => {
  const server = await startMailServer(t, { user: 'sluice', password: 'sesame' });
  const transport = await open({
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(server.port),
    EMAIL_SMTP_USER: 'sluice',
    EMAIL_SMTP_PASSWORD: 'a-canary-password',
  });
  const error = await transport.send(mail).then(
    () => null,
    (reason: unknown) => reason,
  );
  t.match(error, { code: 'EAUTH', responseCode: 535 });
  t.notMatch(
    JSON.stringify(pino.stdSerializers.err(error instanceof Error ? error : new Error())),
    /canary/,
  );
  t.equal(server.mails.length, 0);
});

t.test('no name or address adds a header or a recipient', async (t) => {
  const server = await startMailServer(t);
  const transport = await open({
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(server.port),
    EMAIL_FROM: 'robot@harbour.example',
  });
  const hostile = [
    { senderName: 'Harbour\r\nBcc: eve@example.com' },
    { senderName: 'Harbour" <eve@example.com>, "' },
    { subject: 'Hello\r\nBcc: eve@example.com\r\n\r\nbody' },
    { to: 'ann@example.com\r\nBcc: eve@example.com' },
    { to: 'ann@example.com, eve@example.com' },
    { to: 'ann@example.com>\r\nRCPT TO:<eve@example.com' },
    { to: '"ann@example.com" <eve@example.com>' },
  ];
  for (const part of hostile) await transport.send({ ...mail, ...part }).catch(() => undefined);
  for (const {
    to,
    mail: { headers, to: shown = [] },
  } of server.mails) {
    t.equal(to.length, 1);
    t.notOk(headers.some(({ key }) => key === 'bcc'));
    t.equal(shown.length, 1);
  }
  t.equal(server.mails.length, 3, 'what is not one address gets none');
});

t.test('a password goes only where nobody listens', (t) => {
  const options = (env: Record<string, string>) => smtpOptions(loadConfig(env));
  const account = { EMAIL_SMTP_USER: 'u', EMAIL_SMTP_PASSWORD: 'p' };
  t.match(options({ EMAIL_SMTP_HOST: 'mail.example', ...account }), {
    requireTLS: true,
    ignoreTLS: false,
    secure: false,
  });
  t.match(options({ EMAIL_SMTP_HOST: 'mail.example' }), { requireTLS: false, ignoreTLS: false });
  t.match(options({ EMAIL_SMTP_SECURE: 'true', ...account }), { secure: true });
  for (const host of ['localhost', '127.0.0.1', '127.8.9.1', '::1']) {
    t.match(options({ EMAIL_SMTP_HOST: host, ...account }), { requireTLS: false, ignoreTLS: true });
  }
  for (const host of ['127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1', '0.0.0.0']) {
    t.match(options({ EMAIL_SMTP_HOST: host, ...account }), { requireTLS: true, ignoreTLS: false });
  }
  t.end();
});

t.test('a logged mail has all that its reader needs', async (t) => {
  let output = '';
  const sink = new Writable({
    write(chunk, _, done) {
      output += String(chunk);
      done();
    },
  });
  const config = loadConfig({ EMAIL_TRANSPORT: 'log' });
  const transport = await openMailTransport(config, pino({ level: 'info' }, sink));
  await transport?.send(mail);
  t.match(JSON.parse(output), {
    level: 30,
    mail: { to: 'ann@example.com', subject: 'Grüße', text: 'Plain wörds\n' },
  });
  t.equal(await openMailTransport(loadConfig({}), silent), null);
});

t.test('an address of the configuration that cannot be used is a fault of it', (t) => {
  for (const from of ['robot', 'a@b, c@d', 'A <a@b> <c@d>', 'A\r\nBcc: x@y <a@b>', '<>', 'a b@c']) {
    t.throws(() => loadConfig({ EMAIL_FROM: from }), /EMAIL_FROM/, JSON.stringify(from));
  }
  for (const list of [
    'account',
    'ftp://a.example/',
    'https://u:p@a.example',
    'https://a.example?x',
  ]) {
    t.throws(() => loadConfig({ USER_INVITE_URL_ALLOW_LIST: list }), /USER_INVITE_URL/, list);
  }
  t.match(loadConfig({ PASSWORD_RESET_URL_ALLOW_LIST: 'https://A.example, https://b.example/x' }), {
    PASSWORD_RESET_URL_ALLOW_LIST: ['https://a.example/', 'https://b.example/x'],
  });
  t.end();
});

/**
 * A real SMTP server on loopback that stores received mails, and refuses recipients as a test
 * specifies.
 */
import { once } from 'node:events';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Teardown } from './database.ts';

/** A mail as it arrived. */
export interface Delivered {
  /** Sender and recipients of the envelope. */
  readonly from: string;
  readonly to: readonly string[];
  /** Everything after DATA, as sent. */
  readonly source: string;
  readonly mail: Email;
  /** The authenticated user; empty without one. */
  readonly user: string;
}

export interface MailServer {
  readonly port: number;
  readonly mails: readonly Delivered[];
  /** Answers the next recipients with these codes instead of accepting them. */
  refuse(...codes: number[]): void;
  /** Recipients that were refused so far. */
  readonly refused: number;
}

export interface MailServerOptions {
  /** The only accepted user; without it, all users are accepted. */
  readonly user?: string;
  readonly password?: string;
}

/** Starts a server that ends with the test. It offers STARTTLS with an untrusted certificate. */
export async function startMailServer(
  t: Teardown,
  { user, password }: MailServerOptions = {},
): Promise<MailServer> {
  const mails: Delivered[] = [];
  const codes: number[] = [];
  let refused = 0;
  const server = new SMTPServer({
    authOptional: user === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onAuth(given, _, done) {
      if (given.username === user && given.password === password) done(null, { user });
      else done(new Error('wrong credentials'));
    },
    onRcptTo(_, __, done) {
      const code = codes.shift();
      if (code === undefined) return done();
      refused += 1;
      done(Object.assign(new Error('not now'), { responseCode: code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const source = Buffer.concat(chunks).toString();
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source,
          mail: await PostalMime.parse(source),
          user: typeof session.user === 'string' ? session.user : '',
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.teardown(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    mails,
    refuse: (...next) => codes.push(...next),
    get refused() {
      return refused;
    },
  };
}

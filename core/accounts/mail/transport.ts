/** Sends mails by SMTP, or to the log, or not at all, as the configuration specifies. */
import { BlockList, isIP } from 'node:net';
import { publicUrl } from '#core/base/config/public-url.ts';
import type { Config } from '#core/base/config/variables.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import type { RenderedMail } from './render.ts';

/** A mail to one person. */
export interface Mail extends RenderedMail {
  /** The same for each attempt, so that duplicates can be detected. */
  readonly id: string;
  /** One address, never a list. */
  readonly to: string;
  /** The sender's name when EMAIL_FROM has none. */
  readonly senderName: string;
}

export interface MailTransport {
  /**
   * Resolves when the server has accepted the mail. Rejects with the error of the server or
   * network.
   * @throws ServiceError UNPROCESSABLE_ENTITY when it is not exactly one address
   */
  send(mail: Mail): Promise<void>;
}

type MailConfig = Pick<
  Config,
  | 'NODE_ENV'
  | 'EMAIL_TRANSPORT'
  | 'EMAIL_FROM'
  | 'EMAIL_SMTP_HOST'
  | 'EMAIL_SMTP_PORT'
  | 'EMAIL_SMTP_USER'
  | 'EMAIL_SMTP_PASSWORD'
  | 'EMAIL_SMTP_SECURE'
  | 'PUBLIC_URL'
  | 'HOST'
  | 'PORT'
>;

/** Refuses texts that the library could parse as several addresses or as the end of a header. */
const ADDRESS = /^[^\s@,;:<>()[\]\\"\p{Cc}]{1,64}@[^\s@,;:<>()[\]\\"\p{Cc}]{1,255}$/u;

const CONNECT_TIMEOUT_MS = 10_000;
const SILENT_WITHIN_MS = 20_000;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host === 'localhost' || host.endsWith('.localhost');
  return loopback.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** EMAIL_TRANSPORT; in development mails go to the log by default. Null: no mail is sent. */
export function mailTransport(
  config: Pick<Config, 'NODE_ENV' | 'EMAIL_TRANSPORT'>,
): 'smtp' | 'log' | null {
  return config.EMAIL_TRANSPORT ?? (config.NODE_ENV === 'development' ? 'log' : null);
}

/**
 * For requests that need mail.
 * @throws ServiceError SERVICE_UNAVAILABLE of the service `mail` when no transport is configured
 */
export function requireMail(config: Pick<Config, 'NODE_ENV' | 'EMAIL_TRANSPORT'>): void {
  if (mailTransport(config) !== null) return;
  throw unavailable('mail', reason('no_mail_server'), {
    retryAfter: 3_600,
  });
}

/** The sender address. */
function senderOf(config: MailConfig): { readonly name: string; readonly address: string } {
  if (config.EMAIL_FROM !== undefined) return config.EMAIL_FROM;
  const { hostname } = new URL(publicUrl(config));
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return { name: '', address: `no-reply@${isName ? hostname : 'localhost'}` };
}

/** The server options of the library. Only here a password may travel unencrypted. */
export function smtpOptions(config: MailConfig) {
  const local = isLoopback(config.EMAIL_SMTP_HOST);
  const { EMAIL_SMTP_USER: user, EMAIL_SMTP_PASSWORD: pass = '' } = config;
  return {
    host: config.EMAIL_SMTP_HOST,
    port: config.EMAIL_SMTP_PORT,
    secure: config.EMAIL_SMTP_SECURE,
    ignoreTLS: local,
    requireTLS: !local && user !== undefined,
    ...(user === undefined ? {} : { auth: { user, pass } }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENT_WITHIN_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function requireAddress(address: string): void {
  if (ADDRESS.test(address)) return;
  const why = reason('stored_email_unusable');
  throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: why });
}

async function smtpTransport(config: MailConfig): Promise<MailTransport> {
  // Loaded with the first mail; edges never load it.
  const { createTransport } = await import('nodemailer');
  const sender = senderOf(config);
  const transport = createTransport(smtpOptions(config));
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1);
  return {
    async send({ id, to, senderName, subject, text, html }) {
      requireAddress(to);
      await transport.sendMail({
        messageId: `<${id}@${domain}>`,
        from: { name: sender.name || senderName, address: sender.address },
        // As an object, so that it is never parsed as a list.
        to: { name: '', address: to },
        envelope: { from: sender.address, to: [to] },
        ...{ subject, text, html },
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      });
    },
  };
}

function logTransport(log: Log): MailTransport {
  return {
    async send({ to, subject, text }) {
      log.info({ mail: { to, subject, text } }, 'logging a mail instead of sending it');
    },
  };
}

/** Creates the transport; null when mail is off. */
export async function openMailTransport(
  config: MailConfig,
  log: Log,
): Promise<MailTransport | null> {
  const way = mailTransport(config);
  if (way === null) return null;
  return way === 'smtp' ? await smtpTransport(config) : logTransport(log);
}

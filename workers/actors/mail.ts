/**
 * Sends e-mails. An e-mail that was sent just before its worker crashed is sent again, with the
 * same id.
 */
import * as v from 'valibot';
import { composeMail } from '#core/accounts/identity/compose-mail.ts';
import { MailTokens } from '#core/accounts/identity/mail-token.ts';
import { openMailTransport, requireMail } from '#core/accounts/mail/transport.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import { MAIL_JOB, mailMessage } from '#core/jobs/message/mail.ts';
import { openSigningKeys } from '#core/model/system/signing-key.ts';
import type { Actor } from '#workers/runtime/actor.ts';
import { RetryableError } from '#workers/runtime/retryable-error.ts';

const DEADLINE_MS = 60_000;

/**
 * The details of a failure from the mail library: its own code, and the reply code of the server.
 */
const failure = v.object({
  code: v.optional(v.string()),
  responseCode: v.optional(v.number()),
});

/** Errors of the message itself, not of the server or the connection. */
const REFUSALS: ReadonlySet<string> = new Set(['EENVELOPE', 'EMESSAGE']);

/** The effect of a failure on the job: a reply code of 500 or above is final (RFC 5321). */
function meaningOf(error: unknown): Error {
  if (error instanceof ServiceError) return error;
  const { code = 'unknown', responseCode = 0 } = v.is(failure, error) ? error : {};
  if (REFUSALS.has(code) && responseCode >= 500) {
    const why = reason('mail_refused', { code: responseCode });
    return new ServiceError('UNPROCESSABLE_ENTITY', { reason: why });
  }
  const detail = responseCode === 0 ? code : `${code}, ${responseCode}`;
  const why =
    code === 'EAUTH'
      ? reason('mail_login_refused', { detail })
      : reason('mail_server_unreachable', { detail });
  return new RetryableError(unavailable('mail', why), error);
}

export const mailActor: Actor<typeof mailMessage> = {
  name: MAIL_JOB,
  queue: 'maintenance',
  message: mailMessage,
  version: 1,
  effect: 'at least once',
  deadline: () => DEADLINE_MS,
  mailbox: () => null,

  async receive(message, { services, job, log }) {
    const { config, pool, schema } = services;
    requireMail(config);
    const transport = await openMailTransport(config, log);
    const tokens = new MailTokens(openSigningKeys(config));
    const mail = await composeMail({ pool, schema, config, tokens }, job.id, message);
    if (mail === null) return { sent: false };
    try {
      await transport?.send(mail);
    } catch (error) {
      throw meaningOf(error);
    }
    return { sent: true };
  },
};

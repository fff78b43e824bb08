/**
 * The message of a mail job. It says which mail goes to which user; the address, the words and
 * the token are found and made when the mail is sent, so that none of them lies in a queue.
 */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const MAIL_JOB = 'mail';

export const MAIL_KINDS = [
  'invitation',
  'password-reset',
  'verification',
  'known-address',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

export const mailMessage = v.strictObject({
  version: v.literal(1),
  // The name under which messages keep it.
  letter: v.picklist(MAIL_KINDS),
  /** Key of the user; there need not be one, and then no mail is sent. */
  user: v.pipe(v.string(), v.uuid()),
  /** The page that the link leads to, checked already; null: the usual one. */
  page: v.nullable(v.string()),
  /** What the account was like when the mail was asked for; null: that does not matter. */
  state: v.nullable(v.string()),
});

export type MailMessage = v.InferOutput<typeof mailMessage>;

/**
 * A mail to be sent; one that waits already with the same content is joined.
 * @param by key of the user who asked for it; null when anonymous
 */
export function mailSubmission(mail: Omit<MailMessage, 'version'>, by: string | null): Submission {
  const message: MailMessage = { version: 1, ...mail };
  return {
    kind: MAIL_JOB,
    queue: 'maintenance',
    message,
    mailbox: null,
    collection: null,
    user: by,
    fingerprint: createHash('sha256').update(JSON.stringify(message)).digest('hex'),
  };
}

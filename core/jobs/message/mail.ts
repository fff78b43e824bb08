/**
 * The message of a mail job: the kind of mail and its user. Address, text and token are created
 * when the mail is sent, so that a queue stores none of them.
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
  // The stored name of the kind of mail.
  letter: v.picklist(MAIL_KINDS),
  /** Key of the user; if the user does not exist, no mail is sent. */
  user: v.pipe(v.string(), v.uuid()),
  /** The validated page of the link; null for the default. */
  page: v.nullable(v.string()),
  /** The state of the account when the mail was requested; null when it is not checked. */
  state: v.nullable(v.string()),
});

export type MailMessage = v.InferOutput<typeof mailMessage>;

/**
 * A mail to send; an identical waiting job is joined.
 * @param by key of the requesting user; null when anonymous
 * @param requestId of the causing request; null without one
 */
export function mailSubmission(
  mail: Omit<MailMessage, 'version'>,
  by: string | null,
  requestId: string | null,
): Submission {
  const message: MailMessage = { version: 1, ...mail };
  return {
    kind: MAIL_JOB,
    queue: 'maintenance',
    message,
    mailbox: null,
    collection: null,
    user: by,
    requestId,
    fingerprint: createHash('sha256').update(JSON.stringify(message)).digest('hex'),
  };
}

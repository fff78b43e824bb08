/**
 * The message of a mail job. It says which letter goes to which user; the address, the words and
 * the token are found and made when the letter is sent, so that none of them lies in a queue.
 */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const MAIL_JOB = 'mail';

export const LETTERS = ['invitation', 'password-reset', 'verification', 'known-address'] as const;
export type LetterKind = (typeof LETTERS)[number];

export const mailMessage = v.strictObject({
  version: v.literal(1),
  letter: v.picklist(LETTERS),
  /** Key of the user; there need not be one, and then no letter is sent. */
  user: v.pipe(v.string(), v.uuid()),
  /** The page that the link leads to, checked already; null: the usual one. */
  page: v.nullable(v.string()),
  /** What the account was like when the letter was asked for; null: that does not matter. */
  state: v.nullable(v.string()),
});

export type MailMessage = v.InferOutput<typeof mailMessage>;

/**
 * A letter to be sent; one that waits already with the same content is joined.
 * @param by key of the user who asked for it; null for strangers
 */
export function mailSubmission(
  letter: Omit<MailMessage, 'version'>,
  by: string | null,
): Submission {
  const message: MailMessage = { version: 1, ...letter };
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

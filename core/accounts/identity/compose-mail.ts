/**
 * Composes the mail of a job when it is sent: for the current address, with a new token, and only
 * when the account should still receive it.
 */

import { publicUrl } from '#core/base/config/public-url.ts';
import type { Config } from '#core/base/config/variables.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { MailKind, MailMessage } from '#core/jobs/message/mail.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { withToken } from '../mail/link.ts';
import {
  invitationMail,
  knownAddressMail,
  type Occasion,
  passwordResetMail,
  verificationMail,
} from '../mail/mail-texts.ts';
import { type MailContent, plainName, renderMail } from '../mail/render.ts';
import type { Mail } from '../mail/transport.ts';
import { accountState, type MailAccount, type MailScope, type MailTokens } from './mail-token.ts';

export interface ComposeParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly config: Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT'>;
  readonly tokens: MailTokens;
}

/** One kind of mail. */
interface Kind {
  /** Status of the accounts that receive it. */
  readonly status: string;
  /** The purpose of its token; null without a token. */
  readonly scope: MailScope | null;
  /** Path of the default page below the public URL. */
  readonly path: string;
  readonly write: (occasion: Occasion) => MailContent;
}

const KINDS: Readonly<Record<MailKind, Kind>> = {
  invitation: {
    status: 'invited',
    scope: 'invite',
    path: '/admin/accept-invite',
    write: invitationMail,
  },
  'password-reset': {
    status: 'active',
    scope: 'password-reset',
    path: '/admin/reset-password',
    write: passwordResetMail,
  },
  verification: {
    status: 'unverified',
    scope: 'pending-registration',
    path: '/users/register/verify-email',
    write: verificationMail,
  },
  'known-address': {
    status: 'active',
    scope: null,
    path: '/admin/login',
    write: knownAddressMail,
  },
};

/**
 * A link with a new token to the default page: what a mail of this kind would contain.
 * @param account the user, in a status that the kind is for
 */
export async function accountLink(
  { config, tokens }: Pick<ComposeParts, 'config' | 'tokens'>,
  kind: 'invitation' | 'password-reset',
  account: MailAccount,
): Promise<string> {
  const { path } = KINDS[kind];
  const scope = kind === 'invitation' ? 'invite' : 'password-reset';
  return withToken(`${publicUrl(config)}${path}`, await tokens.issue(scope, account));
}

interface Addressee {
  readonly id: string;
  readonly email: string;
  readonly first_name: string | null;
  readonly password: string | null;
  readonly project_name: string;
  readonly project_color: string;
}

async function addresseeOf(
  { pool, schema }: ComposeParts,
  user: string,
  status: string,
): Promise<Addressee | null> {
  const { rows } = await pool.query<Addressee>(
    render(sql`
      SELECT u.id, u.email, u.first_name, u.password,
        coalesce(s.project_name, 'Sluice') AS project_name,
        coalesce(s.project_color, '') AS project_color
      FROM ${systemTable(schema, 'users')} AS u LEFT JOIN ${systemTable(schema, 'settings')} AS s
        ON true
      WHERE u.id = ${user} AND u.status = ${status} AND u.provider = 'default'
        AND u.email IS NOT NULL`),
  );
  return rows[0] ?? null;
}

/**
 * The recipient of a registration. The password of that registration becomes the account's when it
 * is confirmed. Null when the registration no longer exists.
 */
async function registrationOf(
  { pool, schema }: ComposeParts,
  addressee: Addressee,
  state: string | null,
): Promise<Addressee | null> {
  const { rows } = await pool.query<{ password: string }>(
    render(sql`SELECT password FROM ${systemTable(schema, 'registrations')}
      WHERE "user" = ${addressee.id} ORDER BY id DESC`),
  );
  const candidates = rows.map(({ password }) => ({ ...addressee, password }));
  return candidates.find((found) => state === null || accountState(found) === state) ?? null;
}

/**
 * Composes the mail of a job.
 * @param job key of the job; identifies the mail
 * @returns null when it should no longer be sent
 */
export async function composeMail(
  parts: ComposeParts,
  job: string,
  message: MailMessage,
): Promise<Mail | null> {
  const kind = KINDS[message.letter];
  const addressee = await addresseeOf(parts, message.user, kind.status);
  if (addressee === null) return null;
  const found =
    message.letter === 'verification'
      ? await registrationOf(parts, addressee, message.state)
      : addressee;
  if (found === null) return null;
  if (message.state !== null && message.state !== accountState(found)) return null;
  const page = message.page ?? `${publicUrl(parts.config)}${kind.path}`;
  const link =
    kind.scope === null ? page : withToken(page, await parts.tokens.issue(kind.scope, found));
  const content = kind.write({
    project: found.project_name,
    firstName: found.first_name,
    link,
  });
  const brand = { name: found.project_name, color: found.project_color };
  return {
    ...renderMail(content, brand),
    id: job,
    to: found.email,
    senderName: plainName(found.project_name),
  };
}

/**
 * Logic that all flows with mails share: finding accounts by address and by token, the allowed
 * pages, and the activity of a change by token.
 */

import type { Config } from '#core/base/config/variables.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import type { Client, Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import type { Submission, Submitted } from '#core/jobs/submit.ts';
import type { WaitForEdges } from '#core/model/catalog/wait-for-edges.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { allowedUrl } from '../mail/link.ts';
import type { MailAccount, MailTokens } from './mail-token.ts';
import { type Visitor, visitorFacts } from './session.ts';

export interface MailFlowParts {
  readonly config: Config;
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly tokens: MailTokens;
  /** Waits until each edge has applied a change. */
  readonly confirm: WaitForEdges;
  readonly jobs: { submit(submission: Submission): Promise<Submitted> };
}

export interface StoredAccount extends MailAccount {
  readonly status: string;
  readonly provider: string;
}

/** The condition that a user has this address, ignoring case. */
export function hasAddress(email: string): Sql {
  return sql`lower(email) = lower(${email})`;
}

/** The account of a user; null without one with an address. */
export async function accountOf(
  { pool, schema }: Pick<MailFlowParts, 'pool' | 'schema'>,
  user: string,
): Promise<StoredAccount | null> {
  const { rows } = await pool.query<StoredAccount>(
    render(sql`SELECT id, email, password, status, provider FROM ${systemTable(schema, 'users')}
      WHERE id = ${user} AND email IS NOT NULL`),
  );
  return rows[0] ?? null;
}

/**
 * The condition that an account has not changed since it was read. Of two concurrent requests with
 * one token, one fails.
 */
export function isUnchanged({ id, email, password, status }: StoredAccount): Sql {
  return sql`id = ${id} AND email = ${email} AND status = ${status}
    AND password IS NOT DISTINCT FROM ${password}`;
}

/**
 * The page that a link points to.
 * @param given from the request; undefined or null for the default page, which is null
 * @param member the member of the body
 * @throws ServiceError INVALID_PAYLOAD when it is not in the allow list
 */
export function pageOf(
  given: string | null | undefined,
  allowed: readonly string[] | undefined,
  member: string,
): string | null {
  if (given === undefined || given === null) return null;
  const page = allowedUrl(given, allowed ?? []);
  if (page === null) throw invalidPayload(reason('url_not_allowed', { member }));
  return page;
}

/** Records that users changed their own account with a token. */
export async function recordUpdate(
  client: Client,
  schema: string,
  user: string,
  visitor: Visitor,
): Promise<void> {
  await client.query(
    render(sql`INSERT INTO ${systemTable(schema, 'activity')}
        (action, "user", collection, item, ip, user_agent, origin)
      SELECT 'update', ${user}::uuid, 'system_users', ${user}::text, ${visitorFacts(visitor)}`),
  );
}

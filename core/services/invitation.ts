/** Invitations: users that another user creates, and that choose their password later. */

import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { isAdminRole } from '#core/accounts/identity/administrators.ts';
import {
  accountOf,
  isUnchanged,
  type MailFlowParts,
  pageOf,
  recordUpdate,
} from '#core/accounts/identity/mail-flow.ts';
import { isCurrent } from '#core/accounts/identity/mail-token.ts';
import {
  checkPasswordPolicy,
  hashPassword,
  readPasswordPolicy,
} from '#core/accounts/identity/password.ts';
import type { Visitor } from '#core/accounts/identity/session.ts';
import { requireMail } from '#core/accounts/mail/transport.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { transaction } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { mailSubmission } from '#core/jobs/message/mail.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import type { ItemService } from './items.ts';
import type { RightsSource } from './request-context.ts';

const USERS = 'system_users';
/** Maximum number of addresses per request, because each gets a mail. */
const MAX_INVITED = 100;

export interface InvitationParts extends MailFlowParts {
  readonly access: RightsSource;
  readonly bounds: QueryBounds;
  /** Writes users with the caller's permissions: fields, presets and validation apply. */
  readonly users: Pick<ItemService, 'create' | 'updateMany'>;
}

export interface Invitation {
  readonly emails: readonly string[];
  /** Key of the users' role. */
  readonly role: string;
  /** The page that the link in the mail points to, from the allow list. */
  readonly page: string | null | undefined;
  /** For the jobs of the mails. */
  readonly requestId?: string | null;
}

interface Known {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly role: string | null;
}

export class Invitations {
  readonly #parts: InvitationParts;

  constructor(parts: InvitationParts) {
    this.#parts = parts;
  }

  /**
   * Creates a user for each new address, and sends a mail to all users that have not accepted yet.
   * Users invited with another role get this one. Addresses of other users are ignored.
   * @throws ServiceError FORBIDDEN without permission to write such users, and for administrator
   * roles unless the caller is an administrator; INVALID_PAYLOAD for the page or too many
   * addresses; SERVICE_UNAVAILABLE without mail or queue
   */
  async invite(
    caller: Caller,
    { emails, role, page, requestId = null }: Invitation,
  ): Promise<void> {
    const { config, jobs, access } = this.#parts;
    const rights = await access.rightsOf(caller);
    if (rights.of(USERS, 'create').length === 0) throw forbidden();
    if (!caller.admin && (await isAdminRole(this.#parts, role))) throw forbidden();
    const allowed = pageOf(page, config.USER_INVITE_URL_ALLOW_LIST, 'invite_url');
    const wanted = [...new Map(emails.map((email) => [email.toLowerCase(), email])).values()];
    if (wanted.length > MAX_INVITED) {
      throw invalidPayload(reason('too_many_invited', { limit: MAX_INVITED }));
    }
    requireMail(config);
    await this.#prepare(caller, wanted, role);
    const invited = (await this.#find(wanted)).filter(({ status }) => status === 'invited');
    for (const { id } of invited) {
      const mail = { letter: 'invitation', user: id, page: allowed, state: null } as const;
      await jobs.submit(mailSubmission(mail, caller.user, requestId));
    }
  }

  /**
   * Activates an invited user and sets the password.
   * @throws ServiceError TOKEN_EXPIRED; INVALID_TOKEN; INVALID_INVITE when the user is no longer
   *   invited; FAILED_VALIDATION when the password does not meet the policy
   */
  async accept(token: string, password: string, visitor: Visitor): Promise<void> {
    const { config, pool, schema, tokens, confirm } = this.#parts;
    const claims = await tokens.read(token, 'invite');
    const account = await accountOf(this.#parts, claims.user);
    if (account?.status !== 'invited') throw new ServiceError('INVALID_INVITE');
    if (!isCurrent(claims, account)) throw new ServiceError('INVALID_TOKEN');
    checkPasswordPolicy(await readPasswordPolicy(pool, schema), password);
    const holder = quotaKeyOf({ user: null, ip: visitor.ip });
    const hash = await hashPassword(config, password, holder);
    await transaction(pool, async (client) => {
      const { rowCount } = await client.query(
        render(sql`UPDATE ${systemTable(schema, 'users')}
          SET password = ${hash}, status = 'active' WHERE ${isUnchanged(account)}`),
      );
      if (rowCount !== 1) throw new ServiceError('INVALID_INVITE');
      await recordUpdate(client, schema, account.id, visitor);
    });
    await confirm();
  }

  /** Creates or updates users with the role for all addresses without an account. */
  async #prepare(caller: Caller, wanted: readonly string[], role: string): Promise<void> {
    const { users, bounds } = this.#parts;
    const target = { caller, collection: USERS };
    const answer = parseQuery({ fields: ['id'] }, bounds);
    const known = await this.#find(wanted);
    const moved = known.filter((user) => user.status === 'invited' && user.role !== role);
    if (moved.length > 0) {
      const keys = moved.map(({ id }) => id);
      await users.updateMany(
        target,
        { kind: 'same', selection: { kind: 'keys', keys }, data: { role } },
        parsedQuery(answer),
      );
    }
    const taken = new Set(known.map(({ email }) => email.toLowerCase()));
    const fresh = wanted.filter((email) => !taken.has(email.toLowerCase()));
    if (fresh.length === 0) return;
    const invited = fresh.map((email) => ({ email, role, status: 'invited' }));
    await users.create(target, invited, parsedQuery(answer));
  }

  async #find(emails: readonly string[]): Promise<readonly Known[]> {
    const { pool, schema } = this.#parts;
    const { rows } = await pool.query<Known>(
      render(sql`SELECT id, email, status, role FROM ${systemTable(schema, 'users')}
        WHERE lower(email) IN (SELECT lower(one) FROM unnest(${emails}::text[]) AS one)
        ORDER BY id`),
    );
    return rows;
  }
}

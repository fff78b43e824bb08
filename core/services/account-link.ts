/**
 * Links with which users set their password, for administrators who hand them over themselves: the same
 * as in a mail, with the same lifetime, and used up by a new password.
 */
import type { Caller } from '#core/access/grants.ts';
import { accountLink } from '#core/accounts/identity/compose-mail.ts';
import { accountOf, type MailFlowParts } from '#core/accounts/identity/mail-flow.ts';
import { type Visitor, visitorFacts } from '#core/accounts/identity/session.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';

const KEY = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A link to the App. */
export interface AccountLink {
  readonly purpose: 'invitation' | 'password-reset';
  readonly url: string;
}

export class AccountLinks {
  readonly #parts: MailFlowParts;

  constructor(parts: MailFlowParts) {
    this.#parts = parts;
  }

  /**
   * Creates a link for a user, and records the caller.
   * @throws ServiceError FORBIDDEN unless an administrator names a user; UNPROCESSABLE_ENTITY for a
   *   user who is neither invited nor active, or has no password here
   */
  async create(caller: Caller, user: string, visitor: Visitor): Promise<AccountLink> {
    const { pool, schema } = this.#parts;
    if (!caller.admin || !KEY.test(user)) throw forbidden();
    const account = await accountOf(this.#parts, user);
    if (account === null) throw forbidden();
    const { status, provider } = account;
    if (provider !== 'default' || (status !== 'invited' && status !== 'active')) {
      throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: reason('no_link_for_user') });
    }
    const purpose = status === 'invited' ? 'invitation' : 'password-reset';
    const url = await accountLink(this.#parts, purpose, account);
    await pool.query(
      render(sql`INSERT INTO ${systemTable(schema, 'activity')}
          (action, "user", collection, item, ip, user_agent, origin)
        SELECT 'update', ${caller.user}::uuid, 'system_users', ${account.id}::text,
          ${visitorFacts(visitor)}`),
    );
    return { purpose, url };
  }
}

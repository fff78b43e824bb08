/** Password reset: a mail to the stored address, and a new password with its token. */
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { transaction } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { mailSubmission } from '#core/jobs/message/mail.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { requireMail } from '../mail/transport.ts';
import { forgiveFailures } from './login-attempts.ts';
import {
  accountOf,
  hasAddress,
  isUnchanged,
  type MailFlowParts,
  pageOf,
  recordUpdate,
} from './mail-flow.ts';
import { isCurrent } from './mail-token.ts';
import { checkPasswordPolicy, hashPassword, readPasswordPolicy } from './password.ts';
import { endSessionsOf, type Visitor } from './session.ts';
import { withMinimumTime } from './timing.ts';

export class PasswordResets {
  readonly #parts: MailFlowParts;

  constructor(parts: MailFlowParts) {
    this.#parts = parts;
  }

  /**
   * Requests a mail to the user with this address. An unknown user, or one who may not reset the
   * password, costs the same work and gets the same response. But no mail is sent; that is decided
   * at the time of sending.
   * @param page the page of the link, from the allow list; undefined for the default
   * @param requestId for the job of the mail
   * @throws ServiceError INVALID_PAYLOAD for another page; SERVICE_UNAVAILABLE without mail or
   *   queue
   */
  async request(
    email: string,
    page: string | null | undefined,
    requestId: string | null = null,
  ): Promise<void> {
    const { config, pool, schema, tokens, jobs } = this.#parts;
    requireMail(config);
    const allowed = pageOf(page, config.PASSWORD_RESET_URL_ALLOW_LIST, 'reset_url');
    await withMinimumTime(config.REGISTER_STALL_TIME, async () => {
      const { rows } = await pool.query<{ id: string }>(
        render(sql`SELECT id FROM ${systemTable(schema, 'users')} WHERE ${hasAddress(email)}`),
      );
      const user = rows[0]?.id ?? tokens.standIn(email);
      const mail = { letter: 'password-reset', user, page: allowed, state: null } as const;
      await jobs.submit(mailSubmission(mail, null, requestId));
    });
  }

  /**
   * Sets a new password and ends all sessions of the user.
   * @throws ServiceError TOKEN_EXPIRED; INVALID_TOKEN when it was used or is no longer valid;
   *   FAILED_VALIDATION when the password does not meet the policy
   */
  async reset(token: string, password: string, visitor: Visitor): Promise<void> {
    const { config, pool, schema, tokens, confirm } = this.#parts;
    const claims = await tokens.read(token, 'password-reset');
    const account = await accountOf(this.#parts, claims.user);
    const usable = account?.status === 'active' && account.provider === 'default';
    if (!usable || !isCurrent(claims, account)) throw new ServiceError('INVALID_TOKEN');
    checkPasswordPolicy(await readPasswordPolicy(pool, schema), password);
    const holder = quotaKeyOf({ user: null, ip: visitor.ip });
    const hash = await hashPassword(config, password, holder);
    await transaction(pool, async (client) => {
      const { rowCount } = await client.query(
        render(sql`UPDATE ${systemTable(schema, 'users')} SET password = ${hash}
          WHERE ${isUnchanged(account)}`),
      );
      if (rowCount !== 1) throw new ServiceError('INVALID_TOKEN');
      await endSessionsOf({ db: client, schema }, [account.id], null);
      await forgiveFailures({ db: client, schema }, [account.id]);
      await recordUpdate(client, schema, account.id, visitor);
    });
    await confirm();
  }
}

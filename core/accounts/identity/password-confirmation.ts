/** Requires the caller's password again for changes of login credentials. */
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { IdentityTables } from './identity-tables.ts';
import { giveBackAttempt, takeAttempt } from './login-attempts.ts';
import { verifyPassword } from './password.ts';

/** The member of a body with the caller's password, besides the fields of a user. */
export const CURRENT_PASSWORD = 'current_password';

export class PasswordConfirmation {
  readonly #place: IdentityTables;

  constructor({ pool, schema }: { readonly pool: Pool; readonly schema: string }) {
    this.#place = { db: pool, schema };
  }

  /**
   * Checks the caller's password. An attempt counts like a failed login unless the password is
   * correct.
   * @throws ServiceError INVALID_PAYLOAD for a wrong password, for users without one, and when too
   *   many attempts have failed
   */
  async require(caller: Caller, password: unknown): Promise<void> {
    const { user, ip } = caller;
    const hash = user === null ? null : await this.#hashOf(user);
    const right =
      hash !== null &&
      typeof password === 'string' &&
      (await verifyPassword(hash, password, quotaKeyOf(caller)));
    // The result is not used before the attempt is counted.
    const attempt = await takeAttempt(this.#place, sql`id = ${user}::uuid`, ip);
    if (attempt === null || !right) {
      const why = reason('current_password_wrong', { member: CURRENT_PASSWORD });
      throw invalidPayload(why, { field: CURRENT_PASSWORD });
    }
    await giveBackAttempt(this.#place, attempt);
  }

  async #hashOf(user: string): Promise<string | null> {
    const { db, schema } = this.#place;
    const { rows } = await db.query<{ password: string | null }>(
      render(sql`SELECT password FROM ${systemTable(schema, 'users')} WHERE id = ${user}`),
    );
    return rows[0]?.password ?? null;
  }
}

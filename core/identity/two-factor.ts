/** The second factor of users: making its secret, taking it into use, and giving it up. */
import type { Caller } from '#core/access/grants.ts';
import type { Confirm } from '#core/catalog/wait-for-edges.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { forbidden, invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import { systemTable } from '#core/system/table.ts';
import { countFailure, isClosed, useStep } from './login-attempts.ts';
import { generateSecret, otpauthUrl, stepOf } from './one-time-password.ts';
import { verifyPassword } from './password.ts';
import { type IdentityTables, type Visitor, visitorFacts } from './session.ts';
import { tokenHash } from './token-hash.ts';

export interface TwoFactorParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** Waits until every edge knows of a change. */
  readonly confirm: Confirm;
}

interface User {
  readonly id: string;
  readonly email: string | null;
  readonly password: string | null;
  readonly tfa_secret: string | null;
  /** Too many passwords and codes have failed: none counts for now. */
  readonly closed: boolean;
}

/** A secret that is not in use yet, as text and for authenticator apps. */
export interface GeneratedSecret {
  readonly secret: string;
  readonly otpauth_url: string;
}

/** How long a generated secret may be taken into use. */
const OFFERED_SECONDS = 600;

const IN_USE = 'A second factor is in use already.';
const NOT_GENERATED =
  '"secret" is not the one that was generated for this user within the last ten minutes.';
const WRONG_CODE = '"otp" is not the current code, or it was used before.';

export class TwoFactor {
  readonly #place: IdentityTables;
  readonly #confirm: Confirm;

  constructor({ pool, schema, confirm }: TwoFactorParts) {
    this.#confirm = confirm;
    this.#place = { db: pool, schema };
  }

  /**
   * Makes a secret for the caller, who proves to be the user by the password.
   * @throws ServiceError INVALID_CREDENTIALS for anonymous callers and wrong passwords; INVALID_PAYLOAD when
   *   a second factor is in use already
   */
  async generate(caller: Caller, password: string): Promise<GeneratedSecret> {
    const user = await this.#userOf(caller);
    if (user.tfa_secret !== null) throw invalidPayload(IN_USE);
    if (user.closed) throw new ServiceError('INVALID_CREDENTIALS');
    if (user.password === null || !(await verifyPassword(user.password, password))) {
      await this.#countFailure(user, caller);
      throw new ServiceError('INVALID_CREDENTIALS');
    }
    const secret = generateSecret();
    await this.#offer(user.id, secret);
    const project = await this.#projectName();
    return { secret, otpauth_url: otpauthUrl(secret, project, user.email ?? user.id) };
  }

  /**
   * Takes a secret into use for the caller, who shows that an app has it. Only the one that was
   * generated last for this user, against the password, will do: a token alone sets no factor. The
   * user's other sessions end.
   * @throws ServiceError INVALID_CREDENTIALS for anonymous callers; INVALID_PAYLOAD for a wrong code, for
   *   any other secret, and when a second factor is in use already
   */
  async enable(caller: Caller, secret: string, otp: string, visitor: Visitor): Promise<void> {
    const user = await this.#userOf(caller);
    if (user.tfa_secret !== null) throw invalidPayload(IN_USE);
    if (!(await this.#isOffered(user.id, secret))) throw invalidPayload(NOT_GENERATED);
    const step = stepOf(secret, otp);
    if (step === null) throw invalidPayload(WRONG_CODE);
    if (!(await this.#setSecret(user.id, secret, caller, visitor))) throw invalidPayload(IN_USE);
    await useStep(this.#place, user.id, step);
  }

  /**
   * Gives up the caller's second factor.
   * @throws ServiceError INVALID_CREDENTIALS for anonymous callers; INVALID_PAYLOAD for a wrong or used code
   */
  async disable(caller: Caller, otp: string, visitor: Visitor): Promise<void> {
    const user = await this.#userOf(caller);
    if (user.tfa_secret === null) throw invalidPayload('No second factor is in use.');
    const step = user.closed ? null : stepOf(user.tfa_secret, otp);
    if (step === null || !(await useStep(this.#place, user.id, step))) {
      await this.#countFailure(user, caller);
      throw invalidPayload(WRONG_CODE);
    }
    await this.#setSecret(user.id, null, caller, visitor);
  }

  /**
   * Takes the second factor from a user who lost it.
   * @throws ServiceError FORBIDDEN when the caller is no admin, or there is no such user
   */
  async disableFor(caller: Caller, user: string, visitor: Visitor): Promise<void> {
    const isKey = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(user);
    if (!caller.admin || !isKey || (await this.#find(user, caller.ip)) === null) throw forbidden();
    await this.#setSecret(user, null, caller, visitor);
  }

  async #userOf(caller: Caller): Promise<User> {
    const user = caller.user === null ? null : await this.#find(caller.user, caller.ip);
    if (user === null) throw new ServiceError('INVALID_CREDENTIALS');
    return user;
  }

  async #find(id: string, ip: string | null): Promise<User | null> {
    const { db, schema } = this.#place;
    const { rows } = await db.query<User>(
      render(sql`SELECT id, email, password, tfa_secret, ${isClosed(schema, sql`u.id`, ip)} AS closed
        FROM ${systemTable(schema, 'users')} AS u WHERE id = ${id}`),
    );
    return rows[0] ?? null;
  }

  async #countFailure({ email }: User, { ip }: Caller): Promise<void> {
    if (email !== null) await countFailure(this.#place, email, ip);
  }

  /** Notes what was generated, as a hash that tells a guess nothing. */
  async #offer(user: string, secret: string): Promise<void> {
    const { db, schema } = this.#place;
    await db.query(
      render(sql`
        INSERT INTO ${systemTable(schema, 'logins')} ("user", tfa_generated, tfa_generated_on)
        VALUES (${user}, ${tokenHash(secret)}, now())
        ON CONFLICT ("user") DO UPDATE SET
          tfa_generated = excluded.tfa_generated, tfa_generated_on = excluded.tfa_generated_on`),
    );
  }

  async #isOffered(user: string, secret: string): Promise<boolean> {
    const { db, schema } = this.#place;
    const { rowCount } = await db.query(
      render(sql`SELECT FROM ${systemTable(schema, 'logins')}
        WHERE "user" = ${user} AND tfa_generated = ${tokenHash(secret)}
          AND tfa_generated_on > now() - make_interval(secs => ${OFFERED_SECONDS})`),
    );
    return rowCount === 1;
  }

  /**
   * Puts a secret where none is, or removes the one that is there, and notes who did it. A new factor
   * ends the logins that went without it, but for the one that has just shown it.
   */
  async #setSecret(
    user: string,
    secret: string | null,
    caller: Caller,
    visitor: Visitor,
  ): Promise<boolean> {
    const { db, schema } = this.#place;
    const sessions = systemTable(schema, 'sessions');
    const { rowCount } = await db.query(
      render(sql`
        WITH changed AS (
          UPDATE ${systemTable(schema, 'users')} SET tfa_secret = ${secret}
          WHERE id = ${user} AND (tfa_secret IS NULL) = (${secret}::text IS NOT NULL) RETURNING id
        ), ended AS (
          DELETE FROM ${sessions} WHERE ${secret}::text IS NOT NULL
            AND "user" IN (SELECT id FROM changed) AND family NOT IN (
              SELECT family FROM ${sessions} WHERE id = ${caller.session}::uuid)
        )
        INSERT INTO ${systemTable(schema, 'activity')}
          (action, "user", collection, item, ip, user_agent, origin)
        SELECT 'update', ${caller.user}::uuid, 'system_users', id::text,
          ${visitorFacts(visitor)} FROM changed`),
    );
    if (rowCount !== 1) return false;
    await this.#confirm();
    return true;
  }

  async #projectName(): Promise<string> {
    const { db, schema } = this.#place;
    const { rows } = await db.query<{ name: string }>(
      render(sql`SELECT project_name AS name FROM ${systemTable(schema, 'settings')} LIMIT 1`),
    );
    return rows[0]?.name ?? 'Sluice';
  }
}

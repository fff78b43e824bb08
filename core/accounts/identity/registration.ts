/** Self-registration, where the settings allow it, with confirmation of the address. */
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import { transaction } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { mailSubmission } from '#core/jobs/message/mail.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { requireMail } from '../mail/transport.ts';
import { isAdminRole } from './administrators.ts';
import { passesEmailFilter } from './email-filter.ts';
import { accountOf, hasAddress, type MailFlowParts, pageOf, recordUpdate } from './mail-flow.ts';
import { accountState, isCurrent } from './mail-token.ts';
import { checkPasswordPolicy, hashPassword } from './password.ts';
import { type Visitor, visitorFacts } from './session.ts';
import { withMinimumTime } from './timing.ts';

/** The applicant. */
export interface Applicant {
  readonly email: string;
  readonly password: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** The page of the link in the mail, from the allow list. */
  readonly page: string | null | undefined;
}

interface Terms {
  readonly open: boolean;
  readonly verify: boolean;
  readonly role: string | null;
  readonly filter: unknown;
  readonly policy: string | null;
}

/** A registration that is being confirmed. */
interface Pending {
  readonly id: string;
  readonly password: string;
}

/** The state of a registration: the account waits for it, or is in use. */
interface Entered {
  readonly id: string | null;
  readonly email: string | null;
  readonly known: string | null;
}

/** Maximum open registrations of one address; the oldest ones are deleted. */
const MOST_PENDING = 20;
/** Equal to the lifetime of the token in the mail. */
const PENDING_SECONDS = 7 * 86_400;
/**
 * When two clients register one address concurrently, the second one retries and finds the account
 * of the first.
 */
const TRIES = 3;

export class Registrations {
  readonly #parts: MailFlowParts;

  constructor(parts: MailFlowParts) {
    this.#parts = parts;
  }

  /**
   * Creates an account, usable after its address is confirmed. For an address that already has an
   * account, only a mail that reports this is sent; the response is the same.
   * @throws ServiceError FORBIDDEN when registration is off or the address is not allowed;
   *   FAILED_VALIDATION for the password; INVALID_PAYLOAD for the page; SERVICE_UNAVAILABLE when
   *   the address must be confirmed and mail is off
   */
  async register(
    applicant: Applicant,
    visitor: Visitor,
    requestId: string | null = null,
  ): Promise<void> {
    const { config } = this.#parts;
    const terms = await this.#terms();
    if (!terms.open) throw forbidden();
    const page = pageOf(applicant.page, config.USER_REGISTER_URL_ALLOW_LIST, 'verification_url');
    if (terms.verify) requireMail(config);
    await this.#admit(applicant, terms);
    await withMinimumTime(config.REGISTER_STALL_TIME, async () => {
      const holder = quotaKeyOf({ user: null, ip: visitor.ip });
      const password = await hashPassword(config, applicant.password, holder);
      const entered = await this.#enter(applicant, terms, password, visitor);
      if (terms.verify) await this.#write(entered, password, { page, requestId });
    });
  }

  /**
   * Confirms an address.
   * @returns the key of the user, now active
   * @throws ServiceError TOKEN_EXPIRED; INVALID_TOKEN when it was used or is no longer valid
   */
  async verify(token: string, visitor: Visitor): Promise<string> {
    const { pool, schema, tokens, confirm } = this.#parts;
    const claims = await tokens.read(token, 'pending-registration');
    const account = await accountOf(this.#parts, claims.user);
    if (account?.status !== 'unverified') throw new ServiceError('INVALID_TOKEN');
    const registrations = systemTable(schema, 'registrations');
    const { rows } = await pool.query<Pending>(
      render(sql`SELECT id, password FROM ${registrations} WHERE "user" = ${account.id}`),
    );
    const confirmed = rows.find(({ password }) => isCurrent(claims, { ...account, password }));
    if (confirmed === undefined) throw new ServiceError('INVALID_TOKEN');
    await transaction(pool, async (client) => {
      const { rowCount } = await client.query(
        render(sql`UPDATE ${systemTable(schema, 'users')} AS u SET status = 'active',
            password = r.password, first_name = r.first_name, last_name = r.last_name
          FROM ${registrations} AS r
          WHERE r.id = ${confirmed.id} AND r."user" = u.id AND u.id = ${account.id}
            AND u.email = ${account.email} AND u.status = 'unverified'`),
      );
      if (rowCount !== 1) throw new ServiceError('INVALID_TOKEN');
      await client.query(render(sql`DELETE FROM ${registrations} WHERE "user" = ${account.id}`));
      await recordUpdate(client, schema, account.id, visitor);
    });
    await confirm();
    return account.id;
  }

  async #terms(): Promise<Terms> {
    const { pool, schema } = this.#parts;
    const { rows } = await pool.query<Terms>(
      render(sql`SELECT public_registration AS open, public_registration_verify_email AS verify,
          public_registration_role AS role, public_registration_email_filter AS filter,
          auth_password_policy AS policy
        FROM ${systemTable(schema, 'settings')} LIMIT 1`),
    );
    return rows[0] ?? { open: false, verify: true, role: null, filter: null, policy: null };
  }

  async #admit({ email, password }: Applicant, { role, filter, policy }: Terms): Promise<void> {
    if (!passesEmailFilter(email, filter)) throw forbidden();
    // The settings must be wrong, because anonymous callers would become administrators.
    if (role !== null && (await isAdminRole(this.#parts, role))) throw forbidden();
    checkPasswordPolicy(policy, password);
  }

  /**
   * Creates the account. An account from an unconfirmed registration gets another registration
   * besides the existing ones. The confirmed one determines password and name, so that no client
   * can set a password for another user's address. An account that was prepared, or has
   * permissions, cannot be registered.
   */
  async #enter(
    { email, firstName, lastName }: Applicant,
    { verify, role }: Terms,
    password: string,
    visitor: Visitor,
  ): Promise<Entered> {
    const { pool, schema } = this.#parts;
    const users = systemTable(schema, 'users');
    const registrations = systemTable(schema, 'registrations');
    const status = verify ? 'unverified' : 'active';
    // Without confirmation the account belongs to the latest applicant.
    const stored = verify ? null : password;
    const statement = render(sql`
      WITH known AS (
        SELECT id, status FROM ${users} WHERE ${hasAddress(email)}
      ), renewable AS (
        SELECT u.id, u.email FROM ${users} AS u
        WHERE u.id = (SELECT id FROM known) AND u.status = 'unverified'
          AND u.token IS NULL AND u.role IS NOT DISTINCT FROM ${role}::uuid
          AND NOT EXISTS (SELECT FROM ${systemTable(schema, 'access')} WHERE "user" = u.id)
          AND EXISTS (SELECT FROM ${registrations} WHERE "user" = u.id)
      ), renewed AS (
        UPDATE ${users} SET password = ${password}, first_name = ${firstName},
          last_name = ${lastName}, status = 'active'
        WHERE NOT ${verify} AND id IN (SELECT id FROM renewable)
      ), created AS (
        INSERT INTO ${users} (email, password, first_name, last_name, role, status)
        SELECT ${email}, ${stored}::text, ${firstName}, ${lastName}, ${role}::uuid, ${status}
        WHERE NOT EXISTS (SELECT FROM known) ON CONFLICT DO NOTHING RETURNING id, email
      ), recorded AS (
        INSERT INTO ${systemTable(schema, 'activity')} 
          (action, collection, item, ip, user_agent, origin)
        SELECT 'create', 'system_users', id::text, ${visitorFacts(visitor)} FROM created
      ), entered AS (
        SELECT id, email FROM created UNION ALL SELECT id, email FROM renewable
      ), forgotten AS (
        DELETE FROM ${registrations} WHERE "user" IN (SELECT id FROM entered) AND (NOT ${verify}
          OR created_on < now() - make_interval(secs => ${PENDING_SECONDS}) OR id <= (
            SELECT id FROM ${registrations} WHERE "user" IN (SELECT id FROM entered)
            ORDER BY id DESC OFFSET ${MOST_PENDING - 1} LIMIT 1))
      ), pending AS (
        INSERT INTO ${registrations} ("user", password, first_name, last_name)
        SELECT id, ${password}, ${firstName}, ${lastName} FROM entered WHERE ${verify}
      )
      SELECT entered.id, entered.email, known.id AS known
      FROM (SELECT) AS one LEFT JOIN entered ON true LEFT JOIN known ON true`);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { rows } = await pool.query<Entered>(statement);
      const [entered] = rows;
      if (entered !== undefined && (entered.id ?? entered.known) !== null) return entered;
    }
    return { id: null, email: null, known: null };
  }

  async #write(
    { id, email, known }: Entered,
    password: string,
    { page, requestId }: { readonly page: string | null; readonly requestId: string | null },
  ): Promise<void> {
    const { jobs } = this.#parts;
    if (id !== null && email !== null) {
      const state = accountState({ id, email, password });
      const mail = { letter: 'verification', user: id, page, state } as const;
      await jobs.submit(mailSubmission(mail, null, requestId));
    } else if (known !== null) {
      const mail = { letter: 'known-address', user: known, page: null, state: null } as const;
      await jobs.submit(mailSubmission(mail, null, requestId));
    }
  }
}

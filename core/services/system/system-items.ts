/** The system collections as items, with their special operations. */
import { APP_PERMISSIONS } from '#core/access/app-permission.ts';
import type { Caller } from '#core/access/grants.ts';
import {
  CURRENT_PASSWORD,
  type PasswordConfirmation,
} from '#core/accounts/identity/password-confirmation.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { systemName } from '#core/model/system-collections/name.ts';
import type { Query } from '#core/query/query.ts';
import { passesFilter } from '#core/read/evaluate/validation.ts';
import { parsedQuery, type UnparsedQuery } from '#core/read/statement-cache.ts';
import type { ReadAnswer } from '../item-reader.ts';
import { type ItemChange, ItemService, type ItemServiceOptions } from '../items.ts';
import type { WriteAnswer } from '../read-back.ts';
import type { RequestTarget } from '../request-context.ts';
import { servesSystem } from './served-collections.ts';

export interface SystemServiceOptions extends Omit<ItemServiceOptions, 'serves'> {
  readonly confirmation: Pick<PasswordConfirmation, 'require'>;
}

const PERMISSIONS = systemName('permissions');
const USERS = systemName('users');

/** The members that generated permissions lack compared with stored rows. */
const NO_ROW = { id: null, policy: null } as const;

export class SystemService extends ItemService {
  readonly #system: SystemServiceOptions;

  constructor(options: SystemServiceOptions) {
    super({ ...options, serves: servesSystem });
    this.#system = options;
  }

  /**
   * Reads items; the list of permissions has no limit, and includes the permissions of app access.
   */
  override async list(
    target: RequestTarget,
    question: UnparsedQuery,
    signal?: AbortSignal,
  ): Promise<ReadAnswer> {
    if (target.collection !== PERMISSIONS) return super.list(target, question, signal);
    const query = { ...question.query(), limit: null, offset: 0 };
    return withAppPermissions(
      await super.list(target, parsedQuery(query), signal),
      query,
      target.caller,
    );
  }

  /**
   * Updates one item. A change of the caller's own user may include its password. The password is
   * checked before the write begins, so that a wrong one is counted even if the write fails.
   */
  override async updateOne(
    target: RequestTarget,
    segment: string,
    change: ItemChange,
    question: UnparsedQuery,
  ): Promise<WriteAnswer> {
    const { caller, collection } = target;
    const { body } = change;
    const isOwn = collection === USERS && segment === caller.user;
    if (!isOwn || !isJsonObject(body) || !Object.hasOwn(body, CURRENT_PASSWORD)) {
      return super.updateOne(target, segment, change, question);
    }
    const { [CURRENT_PASSWORD]: password, ...item } = body;
    await this.#system.confirmation.require(caller, password);
    const confirmed = { ...target, confirmed: true };
    return super.updateOne(confirmed, segment, { ...change, body: item }, question);
  }

  /** Stores the page of the Admin App that a user visited last; every user may do so for itself. */
  async trackPage(user: string, page: string): Promise<void> {
    const { pool, schema } = this.#system;
    await pool.query(
      render(sql`UPDATE ${systemTable(schema, 'users')} SET last_page = ${page}
        WHERE id = ${user}`),
    );
  }
}

/**
 * The permissions of app access have no rows. They are listed with the stored permissions for
 * callers with app access, and for administrators, which may see the permissions of other users.
 */
function withAppPermissions(answer: ReadAnswer, query: Query, caller: Caller): ReadAnswer {
  const isPlain = query.aggregate.length === 0 && query.groupBy.length === 0;
  if (!(caller.app || caller.admin) || !isPlain || answer.kind === 'text') return answer;
  const shown = APP_PERMISSIONS.filter(
    (row) => query.filter === null || passesFilter(query.filter, { ...NO_ROW, ...row }, caller),
  );
  const items = (async function* () {
    yield* answer.items;
    yield shown.map((row) => JSON.stringify(row));
  })();
  return { ...answer, items };
}

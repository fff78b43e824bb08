/** Reads and changes the caller's own data: account, roles, policies. */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import { systemName } from '#core/model/system-collections/name.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { Query, QueryBounds } from '#core/query/query.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import { itemData, NO_ENVELOPE } from '../envelope.ts';
import type { TextAnswer } from '../item-reader.ts';
import type { WriteAnswer } from '../read-back.ts';
import type { RequestTarget } from '../request-context.ts';
import type { SystemService } from './system-items.ts';

/** The caller and its request. */
export type AccountRequester = Omit<RequestTarget, 'collection'>;

const plain = v.optional(v.nullable(v.union([v.string(), v.boolean()])));

/** Fields that do not affect login or permissions. */
const profile = v.strictObject({
  ...{ first_name: plain, last_name: plain, location: plain, title: plain, description: plain },
  ...{ language: plain, text_direction: plain, appearance: plain, email_notifications: plain },
});

/** The key of the caller's user. @throws ServiceError INVALID_CREDENTIALS without one */
function self({ caller }: AccountRequester): string {
  if (caller.user === null) throw new ServiceError('INVALID_CREDENTIALS');
  return caller.user;
}

/** If the caller may not read an item, only its key is returned. */
async function orKeys(
  { envelope = NO_ENVELOPE }: AccountRequester,
  read: Promise<TextAnswer>,
  keys: unknown,
): Promise<TextAnswer> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'FORBIDDEN')) throw error;
    return {
      kind: 'text',
      text: String(envelope.around(itemData(JSON.stringify(keys)))),
      hit: false,
    };
  }
}

export class OwnAccountService {
  readonly #system: SystemService;
  readonly #bounds: QueryBounds;

  constructor(system: SystemService, bounds: QueryBounds) {
    this.#system = system;
    this.#bounds = bounds;
  }

  /** The caller's own user. @throws ServiceError INVALID_CREDENTIALS without one */
  async read(
    requester: AccountRequester,
    query: () => Query,
    signal: AbortSignal,
  ): Promise<TextAnswer> {
    const id = self(requester);
    const question = parsedQuery(this.#queryOf(requester, query));
    const target = { ...userTarget(requester), ownKey: true };
    return orKeys(requester, this.#system.one(target, id, question, signal), { id });
  }

  /**
   * Checks, before a body is read, whether the caller may change its own user at all.
   * @throws ServiceError INVALID_CREDENTIALS, FORBIDDEN
   */
  async admit(requester: AccountRequester): Promise<void> {
    self(requester);
    await this.#system.admit(userTarget(requester), 'update');
  }

  /**
   * Changes the caller's own user. A caller that must set up a second factor first may change only
   * the profile.
   * @throws ServiceError FORBIDDEN
   */
  async update(
    requester: AccountRequester,
    body: unknown,
    query: () => Query,
  ): Promise<WriteAnswer> {
    if (requester.caller.lacksSecondFactor && !v.is(profile, body)) throw forbidden();
    const shown = this.#queryOf(requester, query);
    return this.#system.updateOne(
      userTarget(requester),
      self(requester),
      { body },
      parsedQuery(shown),
    );
  }

  /** Stores the page of the Admin App that the caller visited last. */
  async trackPage(requester: AccountRequester, page: string): Promise<void> {
    await this.#system.trackPage(self(requester), page);
  }

  /** All roles of the caller. @throws ServiceError FORBIDDEN for callers without a user */
  async roles(requester: AccountRequester, query: Query): Promise<TextAnswer> {
    const { roles, user } = requester.caller;
    if (user === null) throw forbidden();
    const target = { ...requester, collection: systemName('roles') };
    return orKeys(
      requester,
      this.#system.some(target, roles, { ...query, limit: null }),
      roles.map((id) => ({ id })),
    );
  }

  /** A caller that must set up a second factor first sees only its own row. */
  #queryOf({ caller }: AccountRequester, query: () => Query): Query {
    return caller.lacksSecondFactor ? parseQuery({ fields: '*' }, this.#bounds) : query();
  }
}

/** The combined settings of the caller's policies. */
export function combinedPolicySettings({ user, app, admin, enforceTfa }: Caller) {
  if (user === null) return { app_access: false };
  return { app_access: app, admin_access: admin, enforce_tfa: enforceTfa };
}

function userTarget(requester: AccountRequester): RequestTarget {
  return { ...requester, collection: systemName('users') };
}

/** The system collections as items, with their special operations. */
import { APP_PERMISSIONS } from '#core/access/app-permission.ts';
import type { Caller } from '#core/access/grants.ts';
import { render, sql } from '#core/database/sql.ts';
import type { Query } from '#core/query/query.ts';
import { systemTable } from '#core/system/system-table.ts';
import { systemName } from '#core/system-collections/name.ts';
import { passesFilter } from '#core/validation/validation.ts';
import type { Answer } from '../item-reader.ts';
import { ItemService, type ItemServiceOptions } from '../items.ts';
import type { Target } from '../request-context.ts';
import { parsedQuery, type UnparsedQuery } from '../statement-cache.ts';
import { servesSystem } from './served-collections.ts';

export type SystemServiceOptions = Omit<ItemServiceOptions, 'serves'>;

const PERMISSIONS = systemName('permissions');

/** What is shown besides the rows of the table. */
const NO_ROW = { id: null, policy: null } as const;

export class SystemService extends ItemService {
  readonly #system: SystemServiceOptions;

  constructor(options: SystemServiceOptions) {
    super({ ...options, serves: servesSystem });
    this.#system = options;
  }

  /** Reads items; the list of permissions has no limit, and includes what app access grants. */
  override async list(
    target: Target,
    question: UnparsedQuery,
    signal?: AbortSignal,
  ): Promise<Answer> {
    if (target.collection !== PERMISSIONS) return super.list(target, question, signal);
    const query = { ...question.query(), limit: null, offset: 0 };
    return withAppPermissions(
      await super.list(target, parsedQuery(query), signal),
      query,
      target.caller,
    );
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
 * What app access grants has no rows, and is shown with the stored permissions: to whom it is granted,
 * and to administrators, who see what others may do.
 */
function withAppPermissions(answer: Answer, query: Query, caller: Caller): Answer {
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

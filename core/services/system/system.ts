/** The system collections as items, with what is done to them that is no ordinary write. */
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';
import { ItemService, type ItemServiceOptions } from '../items.ts';
import { servesSystem } from './collection.ts';
import { systemRuleOf } from './rule.ts';

export type SystemServiceOptions = Omit<ItemServiceOptions, 'serves' | 'ruleOf'>;

export class SystemService extends ItemService {
  readonly #system: SystemServiceOptions;

  constructor(options: SystemServiceOptions) {
    super({ ...options, serves: servesSystem, ruleOf: systemRuleOf });
    this.#system = options;
  }

  /** Remembers where in the Admin App a user was last; every user may say so of itself. */
  async trackPage(user: string, page: string): Promise<void> {
    const { pool, schema } = this.#system;
    await pool.query(
      render(sql`UPDATE ${systemTable(schema, 'users')} SET last_page = ${page}
        WHERE id = ${user}`),
    );
  }
}

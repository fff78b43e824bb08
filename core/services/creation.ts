/** Creates items in one round trip, where nothing has to be looked up before they are written. */
import pg from 'pg';
import { type Change, MAX_KEYS } from '#core/changes/change.ts';
import type { AtOnce } from '#core/changes/journal.ts';
import { runTogether } from '#core/database/prepared.ts';
import type { Texts } from '#core/database/script.ts';
import type { Statement } from '#core/database/sql.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import type { KeptKeys } from '#core/mutation/kept-key.ts';
import { type FreshRows, freshItems } from '#core/mutation/relational/fresh.ts';
import type { Input, Surroundings } from '#core/mutation/relational/write.ts';
import type { Write } from '#core/mutation/target.ts';

/** What was created, as it is told to others. */
function createdRows(user: string | null, rows: FreshRows, results: readonly Texts[]): Change {
  const { collection, kept, statement } = rows;
  const text = results[statement]?.[0]?.[0] ?? null;
  const keys = text === null || kept.count > MAX_KEYS ? null : kept.read(text);
  return { collection: collection.name, action: 'create', keys, user };
}

/** What is created need not be readable: then there is nothing to ask. */
function readable(read: () => Statement): readonly Statement[] {
  try {
    return [read()];
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return [];
    throw error;
  }
}

/**
 * Prepares the statements that create items and read them back.
 * @param read the statement that reads items back by their keys
 * @returns null when something must be looked up before; nothing was asked of the database by then
 * @throws ServiceError FORBIDDEN, FAILED_VALIDATION, INVALID_PAYLOAD naming the place
 */
export async function prepareCreation(
  write: Write,
  inputs: readonly Input[],
  surroundings: Surroundings,
  read: (kept: KeptKeys) => Statement,
): Promise<AtOnce<string | null> | null> {
  const fresh = await freshItems(write, inputs, surroundings);
  if (fresh === null) return null;
  const { rows, statements } = fresh;
  const shown = readable(() => read(rows[0].kept));
  return {
    collections: new Set(rows.map(({ collection }) => collection.name)),
    async run() {
      const results = await runTogether(write.client, [...statements, ...shown]);
      const text = shown.length === 0 ? null : (results.at(-1)?.[0]?.[0] ?? null);
      const { user } = write.target.caller;
      return { result: text, changes: rows.map((some) => createdRows(user, some, results)) };
    },
  };
}

/** SQLSTATE of what PostgreSQL does not do, as beside rules that rewrite an INSERT. */
const UNSUPPORTED = '0A000';

/** Nothing was written then, and one statement after the other may do. */
export function passOverRules(error: unknown): null {
  if (error instanceof pg.DatabaseError && error.code === UNSUPPORTED) return null;
  throw error;
}

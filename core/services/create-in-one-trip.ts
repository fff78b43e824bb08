/** Creates items in one round trip, where nothing has to be looked up before they are written. */
import { type Change, MAX_KEYS } from '#core/changes/change.ts';
import type { AtOnce } from '#core/changes/journal.ts';
import type { Client } from '#core/database/pool.ts';
import { runTogether } from '#core/database/prepared.ts';
import { render, type Sql, type Statement } from '#core/database/sql.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { type FlatItems, keptOf } from '#core/mutation/flat.ts';
import type { KeptRows } from '#core/mutation/kept-history.ts';
import type { KeptKeys } from '#core/mutation/kept-key.ts';
import { type FreshGraph, type FreshItems, freshItems } from '#core/mutation/relational/fresh.ts';
import { refusedWrite } from '#core/mutation/relational/refusal.ts';
import type { Input, Surroundings } from '#core/mutation/relational/write.ts';
import type { Write } from '#core/mutation/target.ts';
import type { Readback } from '#core/query/sql/compile.ts';

/** A creation in one round trip. */
export interface Creation extends AtOnce<string | null> {
  /** The failure as the caller is told of it, with the place of the item that is refused. */
  refused(failure: unknown): unknown;
}

/** The statements that reading back takes, which are kept from request to request. */
export interface CreationStatements {
  /** Creates items, and reads them back if it can. */
  flat(items: FlatItems): { readonly readback: Readback; readonly statement: Statement };
  /** Records what was created by statements before it. */
  recorded(rows: KeptRows): Sql;
  /**
   * Reads back what was created by statements before it.
   * @throws ServiceError FORBIDDEN
   */
  kept(kept: KeptKeys): Statement;
}

/** The keys in the text that a statement yielded; null: too many to be told. */
function keysIn(text: string | null, kept: KeptKeys): readonly string[] | null {
  return text === null || kept.count > MAX_KEYS ? null : kept.read(text);
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

function createdGraph(
  { target }: Write,
  { statements, rows }: FreshGraph,
  read: CreationStatements,
): Creation {
  const { caller } = target;
  const shown = readable(() => read.kept(rows[0].kept));
  const recorded = rows.map((one) => render(read.recorded(one))).filter(({ text }) => text !== '');
  return {
    collections: new Set(rows.map(({ collection }) => collection.name)),
    rows: rows.reduce((sum, { kept }) => sum + kept.count, 0),
    refused: (failure) => refusedWrite(failure, target, rows),
    async run(client) {
      const results = await runTogether(client, [...statements, ...recorded, ...shown]);
      const changes = rows.map(({ collection, kept, statement }): Change => {
        const keys = keysIn(results[statement]?.[0]?.[0] ?? null, kept);
        return { collection: collection.name, action: 'create', keys, user: caller.user };
      });
      const result = shown.length === 0 ? null : (results.at(-1)?.[0]?.[0] ?? null);
      return { result, changes };
    },
  };
}

function createdItems(
  { collection, target }: Write,
  { items, nodes, after }: FreshItems,
  read: CreationStatements,
): Creation {
  const { caller } = target;
  const kept = keptOf(items);
  const { readback, statement } = read.flat(items);
  const statements = [statement, ...after, ...(readback === 'after' ? [read.kept(kept)] : [])];
  return {
    collections: new Set([collection.name]),
    rows: kept.count,
    refused: (failure) => refusedWrite(failure, target, [{ collection, nodes }]),
    async run(client) {
      const results = await runTogether(client, statements);
      const [text = null, answer = null] = results[0]?.[0] ?? [];
      const keys = keysIn(text, kept);
      return {
        result: readback === 'after' ? (results.at(-1)?.[0]?.[0] ?? null) : answer,
        changes: [{ collection: collection.name, action: 'create', keys, user: caller.user }],
      };
    },
  };
}

/** In place of a connection while none is taken: what needs one is not to be created at once. */
export const NO_CONNECTION: Client = Object.freeze({
  query: () => {
    throw new TypeError('items that are created at once were to be looked up');
  },
});

/**
 * Prepares the statements that create items and read them back, and asks nothing of the database.
 * @returns null when something must be looked up before
 * @throws ServiceError FORBIDDEN, FAILED_VALIDATION, INVALID_PAYLOAD naming the place
 */
export async function prepareCreation(
  write: Write,
  inputs: readonly Input[],
  surroundings: Omit<Surroundings, 'history'>,
  read: CreationStatements,
): Promise<Creation | null> {
  const fresh = await freshItems(write, inputs, surroundings);
  if (fresh === null) return null;
  return fresh.kind === 'flat'
    ? createdItems(write, fresh, read)
    : createdGraph(write, fresh, read);
}

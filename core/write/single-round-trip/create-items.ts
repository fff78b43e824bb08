/** Creates items in one round trip, where nothing has to be looked up before they are written. */

import { blamesValue, isLargeWrite } from '#core/database/failure.ts';
import { runTogether } from '#core/database/prepared.ts';
import type { Statement } from '#core/database/sql.ts';
import type { Readback } from '#core/read/sql/compile.ts';
import { type Change, MAX_KEYS } from '#core/write/changes/change.ts';
import type { SingleRoundTripWrite } from '#core/write/changes/write-transactions.ts';
import { translateWriteFailure } from '#core/write/relational/translate-failure.ts';
import type { InputItem, RelationalWriteContext } from '#core/write/relational/write-items.ts';
import { type NewItems, transactionKeysOf } from '#core/write/single-round-trip/new-items.ts';
import {
  type PreparedNewItems,
  prepareNewItems,
} from '#core/write/single-round-trip/prepare-new-items.ts';
import { parseKeys, type TransactionKeys } from '#core/write/single-round-trip/transaction-keys.ts';
import type { WriteContext } from '#core/write/write-context.ts';

/** A creation in one round trip. */
export interface SingleRoundTripCreation extends SingleRoundTripWrite<string | null> {
  /** The failure as the caller is told of it; null: the step-by-step writer is to try. */
  refused(failure: unknown): unknown;
}

/** The statements that reading back takes, which are kept from request to request. */
export interface CreationStatements {
  /** Creates items, and reads them back if it can. */
  created(items: NewItems): Promise<{ readonly readback: Readback; readonly statement: Statement }>;
  /** Reads back what was created by a statement before it. */
  kept(kept: TransactionKeys): Statement;
}

async function creationOf(
  { target }: WriteContext,
  { items, after }: PreparedNewItems,
  read: CreationStatements,
): Promise<SingleRoundTripCreation> {
  const { written, recorded } = items;
  const { user } = target.caller;
  const { readback, statement } = await read.created(items);
  const isRead = readback === 'after';
  const statements = [
    statement,
    ...after,
    ...(isRead ? [read.kept(transactionKeysOf(items))] : []),
  ];
  return {
    collections: new Set(written.map(({ collection }) => collection.name)),
    rows: written.reduce((sum, { nodes }) => sum + nodes.length, 0),
    // Where several tables are written, it depends on the order what is refused first.
    refused: (failure) => {
      const isOpen = (written.length > 1 && blamesValue(failure)) || isLargeWrite(failure);
      return isOpen ? null : translateWriteFailure(failure, target, written);
    },
    async run(client) {
      const results = await runTogether(client, statements);
      const row = results[0]?.[0] ?? [];
      const changes = recorded.map(({ rows }): Change => {
        const text = row[written.indexOf(rows)] ?? null;
        const count = rows.nodes.length;
        const keys = text === null || count > MAX_KEYS ? null : parseKeys(text, count);
        return { collection: rows.collection.name, action: 'create', keys, user };
      });
      const answer = isRead ? results.at(-1)?.[0]?.[0] : readback === 'within' ? row.at(-1) : null;
      return { result: answer ?? null, changes };
    },
  };
}

/**
 * Prepares the statements that create items and read them back, and asks nothing of the database.
 * @returns null when something must be looked up before
 * @throws ServiceError FORBIDDEN, FAILED_VALIDATION, INVALID_PAYLOAD naming the place
 */
export async function prepareCreation(
  write: WriteContext,
  inputs: readonly InputItem[],
  surroundings: Omit<RelationalWriteContext, 'history'>,
  read: CreationStatements,
): Promise<SingleRoundTripCreation | null> {
  const fresh = await prepareNewItems(write, inputs, surroundings);
  return fresh && (await creationOf(write, fresh, read));
}

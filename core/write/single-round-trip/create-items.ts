/** Creates items in one round trip, if they need no lookup before the write. */

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
  /** Converts a failure to the error for the caller; null: use the step-by-step writer instead. */
  refused(failure: unknown): unknown;
}

/** The statements for creating and reading back, cached across requests. */
export interface CreationStatements {
  /** Creates items, and reads them back if possible. */
  created(items: NewItems): Promise<{ readonly readback: Readback; readonly statement: Statement }>;
  /** Reads back the items that an earlier statement created. */
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
    // With several tables, the order determines which item is rejected first.
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
 * Prepares the statements that create items and read them back, without database queries.
 * @returns null when something must be looked up first
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

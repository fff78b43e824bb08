/**
 * Creates or updates items by a unique key. When two requests create the same item at once, the
 * later one restarts and updates it. A request whose own items PostgreSQL considers equal also
 * restarts.
 */
import pg from 'pg';
import { constraintColumns } from '#core/database/constraint.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import {
  type Collection,
  type ColumnField,
  isColumn,
  isConcealed,
} from '#core/model/catalog/catalog.ts';
import type { UnparsedQuery } from '#core/read/statement-cache.ts';
import { matchKey } from '#core/transfer/target/match-key.ts';
import { matchExistingItems } from '#core/write/relational/match-existing.ts';
import { writeItems } from '#core/write/relational/write-items.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import type { ItemService } from './items.ts';
import { readBack, readBackOne, type WriteAnswer } from './read-back.ts';
import type { RequestTarget } from './request-context.ts';

/** How often another request may create an item in between. */
const MAX_ATTEMPTS = 4;

/** The items, and the fields of the unique key by which they are found; null: the primary key. */
export interface Upsert {
  readonly body: unknown;
  readonly match: readonly string[] | null;
}

/** The fields that the caller may see and whose stored values a payload can contain. */
function knownFields({ collection, target }: WriteContext): Collection['fields'] {
  const { rights } = target;
  const { name } = collection;
  const permissions = (['read', 'create', 'update'] as const).flatMap((one) =>
    rights.of(name, one),
  );
  const isKnown = (field: string) =>
    permissions.some(({ fields }) => fields === null || fields.has(field));
  return new Map(
    [...collection.fields].filter(
      ([field, facts]) =>
        isKnown(field) &&
        isColumn(facts) &&
        !isConcealed(facts) &&
        facts.column.generatedExpression === null,
    ),
  );
}

function keyFor(write: WriteContext, match: readonly string[] | null): readonly ColumnField[] {
  const { collection } = write;
  if (match === null) return collection.primaryKey;
  return matchKey({ ...collection, fields: knownFields(write) }, match);
}

/** Whether PostgreSQL rejected an item because another item has the same key. */
function isTaken(
  failure: unknown,
  { table }: Pick<Collection, 'table'>,
  key: readonly ColumnField[],
): boolean {
  if (failure instanceof pg.DatabaseError) {
    if (failure.code !== SQLSTATE.uniqueViolation || table === null) return false;
    const columns = constraintColumns(failure, table);
    return (
      columns.length === key.length && key.every(({ column }) => columns.includes(column.name))
    );
  }
  return failure instanceof Error && isTaken(failure.cause, { table }, key);
}

/**
 * Creates or updates one item from an object, or several from a list.
 * @throws ServiceError INVALID_QUERY when there is no such unique key, naming the existing ones;
 * errors of a write
 */
export async function upsertItems(
  items: ItemService,
  target: RequestTarget,
  { body, match }: Upsert,
  question: UnparsedQuery,
): Promise<WriteAnswer> {
  const isList = Array.isArray(body);
  const list: readonly unknown[] = isList ? body : [body];
  items.requireCount(list.length);
  const sent = list.map((value, index) => ({ place: isList ? [index] : [], value }));
  for (let count = 1; ; count += 1) {
    let isRepeated = false;
    try {
      return await items.transact(target, async ({ write, ...surroundings }) => {
        const key = keyFor(write, match);
        const query = question.query();
        const { inputs, isHidden } = await matchExistingItems(write, key, sent, count > 1);
        const keys = await writeItems(write, inputs, surroundings).catch((error: unknown) => {
          const mayBeFound = !isHidden && count < MAX_ATTEMPTS;
          isRepeated = mayBeFound && isTaken(error, write.collection, key);
          throw error;
        });
        return isList ? readBack(write, query, keys) : readBackOne(write, query, keys[0]);
      });
    } catch (error) {
      if (!isRepeated) throw error;
    }
  }
}

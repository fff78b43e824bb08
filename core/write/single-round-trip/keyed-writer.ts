/**
 * Updates and deletes items by their keys in one round trip. Rejected writes, and writes that need
 * more statements, are left to the step-by-step writer, which reports the error.
 */

import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { blamesValue, isLargeWrite } from '#core/database/failure.ts';
import type { Client } from '#core/database/pool.ts';
import { runTogether } from '#core/database/prepared.ts';
import type { Statement } from '#core/database/sql.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { bindParameters } from '#core/read/plan/placeholder.ts';
import type { ReadTarget } from '#core/read/sql/compile.ts';
import {
  type CompiledChange,
  compileChange,
  compileItemByParameter,
} from '#core/read/sql/compile.ts';
import { StatementCache, type UnparsedQuery } from '#core/read/statement-cache.ts';
import type { SingleRoundTripWrite } from '#core/write/changes/write-transactions.ts';
import type { History } from '#core/write/history/history.ts';
import {
  changeOfEach,
  type KeyedChange,
  type KeyedItems,
} from '#core/write/single-round-trip/keyed-change.ts';
import {
  type KeyedWrite,
  keyedRows,
  keyedSql,
  keyedValues,
  lockSql,
  locksBefore,
  planDeletion,
  planUpdate,
  writtenKeys,
} from '#core/write/single-round-trip/keyed-write.ts';
import type { SkipLocked } from '#core/write/single-round-trip/skip-locked.ts';
import { LookupNeededError, type WriteContext } from '#core/write/write-context.ts';

/** The result; null: nothing was written, for any reason. */
export type KeyedWriteOutcome = { readonly answer: string | null } | null;

type Form = Pick<CompiledChange, 'readback' | 'reaches'>;

/** Replaces the query when a statement returns no answer. */
function nothing({ bounds }: ReadTarget): UnparsedQuery {
  return { text: '', query: () => parseQuery({}, bounds) };
}

/** The plan of a write; null also when the write is rejected. */
async function planned(
  plan: () => KeyedWrite | null | Promise<KeyedWrite | null>,
): Promise<KeyedWrite | null> {
  try {
    return await plan();
  } catch (error) {
    if (error instanceof ServiceError || error instanceof ServiceErrors) return null;
    if (error instanceof LookupNeededError) return null;
    throw error;
  }
}

export class KeyedWriter {
  readonly #schema: string;
  readonly #changes = new StatementCache<Form>();
  readonly #locks = new StatementCache<null>();
  readonly #reads = new StatementCache<null>();

  /** @param schema the schema of the system tables */
  constructor(schema: string) {
    this.#schema = schema;
  }

  /** The same for the update of items that each contain their key. */
  async updateEach(
    context: ReadTarget,
    { write, history }: { readonly write: WriteContext; readonly history: History },
    values: readonly unknown[],
    question: UnparsedQuery,
  ): Promise<SingleRoundTripWrite<KeyedWriteOutcome> | null> {
    const plan = await planned(async () => {
      const change = changeOfEach(write, values);
      return change && (await planUpdate(write, change));
    });
    return plan && (await this.#prepared(context, plan, history, question));
  }

  /**
   * Prepares the update of items.
   * @returns null when the step-by-step writer must do it
   */
  async update(
    context: ReadTarget,
    { write, history }: { readonly write: WriteContext; readonly history: History },
    change: KeyedChange,
    question: UnparsedQuery,
  ): Promise<SingleRoundTripWrite<KeyedWriteOutcome> | null> {
    const plan = await planned(() => planUpdate(write, change));
    return plan && (await this.#prepared(context, plan, history, question));
  }

  /** The same for the deletion of items. */
  async deletion(
    context: ReadTarget,
    { write, history }: { readonly write: WriteContext; readonly history: History },
    named: KeyedItems,
  ): Promise<SingleRoundTripWrite<KeyedWriteOutcome> | null> {
    const plan = await planned(() => planDeletion(write, named));
    return plan && (await this.#prepared(context, plan, history, null));
  }

  async #prepared(
    context: ReadTarget,
    plan: KeyedWrite,
    history: History,
    question: UnparsedQuery | null,
  ): Promise<SingleRoundTripWrite<KeyedWriteOutcome> | null> {
    const { collection, keys } = plan;
    const change = this.#change(context, plan, question, null);
    const { readback, reaches } = change.kind;
    const readsAfter = readback === 'after' && question !== null;
    // No statement exists yet that reads several items after their write.
    if (readsAfter && plan.isList) return null;
    const values = await keyedValues(plan, history);
    const before = locksBefore(plan, change.kind)
      ? [bindParameters(this.#lock(context, plan), values)]
      : [];
    const after = readsAfter ? [bindParameters(this.#read(context, question), keys)] : [];
    const run = async (client: Client, statement: Statement) => {
      const results = await runTogether(client, [
        ...before,
        bindParameters(statement, values),
        ...after,
      ]);
      const row = results[before.length]?.[0];
      const text = row?.[0] ?? null;
      if (row === undefined || text === null) return null;
      const answer = (readsAfter ? results.at(-1)?.[0]?.[0] : row[1]) ?? null;
      const { user } = context.caller;
      const told = writtenKeys(plan, text);
      const changed = { collection: collection.name, action: plan.action, keys: told, user };
      return { result: { answer }, changes: [changed] };
    };
    const { skip } = plan;
    return {
      collections: new Set([collection.name]),
      rows: keys.length,
      run: async (client) => (await run(client, change.statement)) ?? { result: null, changes: [] },
      runUnlessLocked:
        skip === null || reaches
          ? undefined
          : (client) => run(client, this.#change(context, plan, question, skip).statement),
    };
  }

  /** The statement of a write, built once for all writes of the same form. */
  #change(
    context: ReadTarget,
    plan: KeyedWrite,
    question: UnparsedQuery | null,
    skip: SkipLocked | null,
  ) {
    const { catalog, grants, caller } = context;
    const { collection, form, rules } = plan;
    const place = `${form} in ${collection.name}${skip === null ? '' : ' unless locked'}`;
    const asked = { place, caller, question: question ?? nothing(context) };
    return this.#changes.get(catalog, grants, asked, (query) => {
      const wanted = { query: question === null ? null : query, rules };
      const { statement, ...kind } = compileChange(context, wanted, keyedRows(plan), (parts) =>
        keyedSql(plan, this.#schema, parts, skip),
      );
      return { kind, statement };
    });
  }

  #lock(context: ReadTarget, plan: KeyedWrite): Statement {
    const { catalog, grants, caller, collection } = context;
    const asked = {
      place: `lock for ${plan.form} in ${collection}`,
      caller,
      question: nothing(context),
    };
    return this.#locks.get(catalog, grants, asked, () => {
      const wanted = { query: null, rules: plan.rules };
      const { statement } = compileChange(context, wanted, keyedRows(plan), ({ condition }) =>
        lockSql(plan, condition),
      );
      return { kind: null, statement };
    }).statement;
  }

  #read(context: ReadTarget, question: UnparsedQuery): Statement {
    const { catalog, grants, caller, collection } = context;
    const asked = { place: `changed item of ${collection}`, caller, question };
    return this.#reads.get(catalog, grants, asked, (query) => ({
      kind: null,
      statement: compileItemByParameter(context, query, false),
    })).statement;
  }
}

/** Whether the step-by-step writer may retry: it reports its own error, or reads a large item. */
export function isRefusal(error: unknown): boolean {
  return blamesValue(error) || isLargeWrite(error);
}

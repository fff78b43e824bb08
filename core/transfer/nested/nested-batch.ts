/**
 * Writes rows with related items in batches. A rejected batch is rolled back and written again in
 * parts, until the faulty rows are isolated.
 */
import { failureView } from '#core/access/error-visibility.ts';
import { reason } from '#core/base/errors/reason.ts';
import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { forbidden, ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import type { JsonObject } from '#core/base/json/json-object.ts';
import { translateFailure } from '#core/database/failure.ts';
import type { Client } from '#core/database/pool.ts';
import { sql } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import { matchExistingItems } from '#core/write/relational/match-existing.ts';
import type { Recorder } from '#core/write/relational/record-history.ts';
import { type InputItem, writeItems } from '#core/write/relational/write-items.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import { displayValue, type RowFault } from '../file/row-fault.ts';
import { ImportRefused, type ImportRun } from '../run/import-run.ts';
import { isRowError } from '../validate/database-error.ts';

/** A row with its payload. */
export interface NestedRow {
  readonly number: number;
  readonly value: JsonObject;
  /** The items that it names, and whether it may change them. */
  readonly named: ReadonlyMap<string, boolean>;
  /** Characters in the file. */
  readonly length: number;
}

interface Counts {
  readonly inserted: number;
  readonly updated: number;
}

/** Some rows of a batch have no item to update. */
class LackingItems extends Error {
  readonly places: readonly number[];

  constructor(places: readonly number[]) {
    super('rows have no item');
    this.places = places;
  }
}

const NO_ITEM = reason('no_item_to_update');

/**
 * Records only the written collections: an import has one history entry, and no entry per row. That
 * is too little for users, permissions and similar data.
 * @throws ServiceError UNPROCESSABLE_ENTITY for items of Sluice's own collections
 */
function recorderOf(written: Set<string>): Recorder {
  return {
    async record({ name, system }, _action, entries) {
      if (entries.length === 0) return [];
      if (system) {
        const why = reason('only_links_to_items');
        throw new ServiceError('UNPROCESSABLE_ENTITY', { collection: name, reason: why });
      }
      written.add(name);
      return [];
    },
  };
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return displayValue(typeof value === 'string' ? value : JSON.stringify(value));
}

function faultOf(row: number, error: ServiceError): RowFault {
  const { reason: _, field, value, collection: __, index: ___, ...details } = error.details;
  return {
    row,
    field: typeof field === 'string' ? field : null,
    value: textOf(value),
    code: error.code,
    reason: reasonOf(error),
    details,
  };
}

/** The position in the batch of the item that an error refers to. */
function placeOf({ details }: ServiceError): number | null {
  return typeof details.index === 'number' ? details.index : null;
}

export class NestedBatches {
  /** The faults that reject the file. */
  readonly faults: RowFault[] = [];
  readonly #run: ImportRun;
  readonly #recorder: Recorder;
  readonly #writes = new Map<string, WriteContext>();
  #inserted = 0;
  #updated = 0;

  constructor(run: ImportRun) {
    this.#run = run;
    this.#recorder = recorderOf(run.written);
  }

  /** Adds the faults of a row. @throws {ImportRefused} when the limit is reached */
  refuse(faults: readonly RowFault[]): void {
    const { rejected, options } = this.#run;
    if (rejected !== null) {
      for (const fault of faults) rejected.add(fault);
      rejected.count(1);
      return;
    }
    this.faults.push(...faults);
    if (this.faults.length >= options.errorLimit) this.#throwRefused();
  }

  #throwRefused(): void {
    const [first, ...rest] = this.faults.slice(0, this.#run.options.errorLimit);
    if (first !== undefined) throw new ImportRefused(first, ...rest);
  }

  /** Writes rows, except the faulty ones. */
  async write(rows: readonly NestedRow[]): Promise<void> {
    const { connection } = this.#run;
    await connection.run(sql`SAVEPOINT batch`);
    try {
      const { inserted, updated } = await connection.work(() => this.#put(rows));
      // Deferred constraints are checked now, and stay deferred.
      await connection.run(
        sql`SAVEPOINT checked; SET CONSTRAINTS ALL IMMEDIATE; ROLLBACK TO checked;
          RELEASE SAVEPOINT batch`,
      );
      this.#inserted += inserted;
      this.#updated += updated;
    } catch (error) {
      const parts = this.#parts(rows, error);
      await connection.run(sql`ROLLBACK TO SAVEPOINT batch; RELEASE SAVEPOINT batch`);
      if ('faults' in parts) this.refuse(parts.faults);
      else for (const part of parts) await this.write(part);
    }
  }

  /** The parts for writing rejected rows again, or the faults of a single row. */
  #parts(
    rows: readonly NestedRow[],
    error: unknown,
  ): readonly NestedRow[][] | { readonly faults: readonly RowFault[] } {
    const places = error instanceof LackingItems ? error.places : null;
    const errors = places === null ? this.#errors(error) : [];
    const [only] = rows;
    if (rows.length === 1 && only !== undefined) {
      if (places === null) return { faults: errors.map((one) => faultOf(only.number, one)) };
      const field = this.#run.target.key.map(({ name }) => name).join(',');
      const lacking = { value: null, code: 'FAILED_VALIDATION', reason: NO_ITEM } as const;
      return { faults: [{ row: only.number, field, ...lacking }] };
    }
    const named = new Set(places ?? errors.map(placeOf).filter((place) => place !== null));
    return divide(rows, named);
  }

  /** The errors of a rejection for the sender. @throws other errors */
  #errors(error: unknown): readonly ServiceError[] {
    const told = isRowError(error)
      ? translateFailure(error, failureView(this.#run.write.target, true))
      : error;
    if (told instanceof ServiceErrors) return told.errors;
    if (told instanceof ServiceError && told.status < 500) return [told];
    throw error;
  }

  async #put(rows: readonly NestedRow[]): Promise<Counts> {
    const { target, options } = this.#run;
    const write = this.#writeOf(target.collection.name);
    // The error of a single row has no index, so that its reason is that of the row itself.
    const isOne = rows.length === 1;
    const sent = rows.map(({ value }, index) => ({ place: isOne ? [] : [index], value }));
    const inputs = await this.#inputs(write, sent);
    const surroundings = {
      writeOf: (name: string) => this.#writeOf(name),
      maxItems: options.sender.maxItems,
      history: this.#recorder,
    };
    await writeItems(write, inputs, surroundings);
    const inserted = inputs.filter(({ intent }) => intent === 'create').length;
    return { inserted, updated: inputs.length - inserted };
  }

  async #inputs(
    write: WriteContext,
    sent: readonly { readonly place: readonly number[]; readonly value: JsonObject }[],
  ): Promise<readonly InputItem[]> {
    const { mode, key, fixed } = this.#run.target;
    if (mode === 'insert') return sent.map((one): InputItem => ({ ...one, intent: 'create' }));
    const { inputs } = await matchExistingItems(write, key, sent);
    const lacking = inputs.flatMap(({ intent }, place) => (intent === 'create' ? [place] : []));
    if (mode === 'update' && lacking.length > 0) throw new LackingItems(lacking);
    if (fixed.size === 0) return inputs;
    // The primary key is only for new items.
    return inputs.map((input, place) => {
      if (input.intent === 'create') return input;
      const members = Object.entries(sent[place]?.value ?? {});
      return { ...input, value: Object.fromEntries(members.filter(([name]) => !fixed.has(name))) };
    });
  }

  #writeOf(name: string): WriteContext {
    const known = this.#writes.get(name);
    if (known !== undefined) return known;
    const { options, write: own, connection } = this.#run;
    const collection = options.catalog.collections.get(name);
    if (collection === undefined) throw forbidden();
    const made = this.#openWrite(own, requireWritable(collection), connection.client);
    this.#writes.set(name, made);
    return made;
  }

  #openWrite(own: WriteContext, collection: Collection, client: Client): WriteContext {
    const { sender, signal } = this.#run.options;
    return {
      target: { ...own.target, collection: collection.name },
      ...{ collection, client, now: own.now, rule: sender.ruleOf(collection), strict: true },
      async hash(secret) {
        signal.throwIfAborted();
        return await sender.hash(secret);
      },
    };
  }

  /** Ends the import. @throws {ImportRefused} when some rows are faulty */
  async end(): Promise<Counts> {
    this.#throwRefused();
    return { inserted: this.#inserted, updated: this.#updated };
  }
}

function requireWritable(collection: Collection): Collection {
  if (collection.table !== null && collection.primaryKey.length > 0) return collection;
  throw forbidden(reason('write_collection_without_key', { name: collection.name }));
}

/** Splits the named rows into separate parts, and halves the rest after the first. */
function divide(rows: readonly NestedRow[], named: ReadonlySet<number>): NestedRow[][] {
  const first = Math.min(...named);
  if (named.size === 0 || first >= rows.length) {
    const middle = Math.ceil(rows.length / 2);
    return [rows.slice(0, middle), rows.slice(middle)];
  }
  const parts: NestedRow[][] = [];
  let part: NestedRow[] = [];
  const cuts = named.size === 1 ? new Set([Math.ceil((first + 1 + rows.length) / 2)]) : new Set();
  for (const [place, row] of rows.entries()) {
    const isAlone = named.has(place);
    if (part.length > 0 && (isAlone || cuts.has(place))) {
      parts.push(part);
      part = [];
    }
    if (isAlone) parts.push([row]);
    else part.push(row);
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/**
 * Writes rows with related items in batches. A rejected batch is rolled back and written again in
 * parts, until the faulty rows are isolated.
 */
import { reason } from '#core/base/errors/reason.ts';
import type { ServiceError } from '#core/base/errors/service-error.ts';
import type { JsonObject } from '#core/base/json/json-object.ts';
import { sql } from '#core/database/sql.ts';
import { matchExistingItems } from '#core/write/relational/match-existing.ts';
import { type InputItem, writeItems } from '#core/write/relational/write-items.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import type { RowFault } from '../file/row-fault.ts';
import { faultOfError, ItemWrites } from '../link/item-writes.ts';
import { ImportRefused, type ImportRun } from '../run/import-run.ts';
import type { ManyItems } from '../target/reference.ts';
import { keepLinks } from './keep-links.ts';
import { linkRows } from './link-rows.ts';
import type { SoughtItems } from './sought-items.ts';

/** A row with its payload. */
export interface NestedRow {
  readonly number: number;
  readonly value: JsonObject;
  /** The references whose items must be found before the row is written. */
  readonly sought: readonly SoughtItems[];
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

/** The position in the batch of the item that an error refers to. */
function placeOf({ details }: ServiceError): number | null {
  return typeof details.index === 'number' ? details.index : null;
}

export class NestedBatches {
  /** The faults that reject the file. */
  readonly faults: RowFault[] = [];
  readonly #run: ImportRun;
  readonly #writes: ItemWrites;
  #inserted = 0;
  #updated = 0;

  constructor(run: ImportRun) {
    this.#run = run;
    this.#writes = new ItemWrites(run);
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

  /** Finds the items that rows refer to, and writes rows, except the faulty ones. */
  async write(rows: readonly NestedRow[]): Promise<void> {
    if (rows.every(({ sought }) => sought.length === 0)) return await this.#write(rows);
    const { rows: linked, refused } = await linkRows(this.#run, this.#writes, rows);
    for (const faults of refused) this.refuse(faults);
    if (linked.length > 0) await this.#write(linked);
  }

  async #write(rows: readonly NestedRow[]): Promise<void> {
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
      else for (const part of parts) await this.#write(part);
    }
  }

  /** The parts for writing rejected rows again, or the faults of a single row. */
  #parts(
    rows: readonly NestedRow[],
    error: unknown,
  ): readonly NestedRow[][] | { readonly faults: readonly RowFault[] } {
    const places = error instanceof LackingItems ? error.places : null;
    const errors = places === null ? this.#writes.errors(error) : [];
    const [only] = rows;
    if (rows.length === 1 && only !== undefined) {
      if (places === null) return { faults: errors.map((one) => faultOfError(only.number, one)) };
      const field = this.#run.target.key.map(({ name }) => name).join(',');
      const lacking = { value: null, code: 'FAILED_VALIDATION', reason: NO_ITEM } as const;
      return { faults: [{ row: only.number, field, ...lacking }] };
    }
    const named = new Set(places ?? errors.map(placeOf).filter((place) => place !== null));
    return divide(rows, named);
  }

  async #put(rows: readonly NestedRow[]): Promise<Counts> {
    const write = this.#writes.of(this.#run.target.collection.name);
    // The error of a single row has no index, so that its reason is that of the row itself.
    const isOne = rows.length === 1;
    const sent = rows.map(({ value }, index) => ({ place: isOne ? [] : [index], value }));
    const matched = await this.#inputs(write, sent);
    const many = new Map<string, ManyItems>();
    for (const { sought } of rows) {
      for (const { reference } of sought) {
        if (reference.many !== null) many.set(reference.field, reference.many);
      }
    }
    const inputs = await keepLinks(this.#run, many, matched);
    await writeItems(write, inputs, this.#writes.surroundings);
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

  /** Ends the import. @throws {ImportRefused} when some rows are faulty */
  async end(): Promise<Counts> {
    this.#throwRefused();
    return { inserted: this.#inserted, updated: this.#updated };
  }
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

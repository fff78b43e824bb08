/** Writes items of any collection during an import, as the API does for its sender. */

import { failureView } from '#core/access/error-visibility.ts';
import { reason } from '#core/base/errors/reason.ts';
import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { forbidden, ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { translateFailure } from '#core/database/failure.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { Recorder } from '#core/write/relational/record-history.ts';
import type { RelationalWriteContext } from '#core/write/relational/write-items.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import { displayValue, type RowFault } from '../file/row-fault.ts';
import type { ImportRun } from '../run/import-run.ts';
import { isRowError } from '../validate/database-error.ts';

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

/** The fault of a row that the API refuses with an error. */
export function faultOfError(row: number, error: ServiceError): RowFault {
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

function requireWritable(collection: Collection): Collection {
  if (collection.table !== null && collection.primaryKey.length > 0) return collection;
  throw forbidden(reason('write_collection_without_key', { name: collection.name }));
}

export class ItemWrites {
  /** The context of payloads with related items. */
  readonly surroundings: RelationalWriteContext;
  readonly #run: ImportRun;
  readonly #writes = new Map<string, WriteContext>();

  constructor(run: ImportRun) {
    this.#run = run;
    this.surroundings = {
      writeOf: (name) => this.of(name),
      maxItems: run.options.sender.maxItems,
      history: recorderOf(run.written),
    };
  }

  /** The write context of a collection. @throws ServiceError FORBIDDEN */
  of(name: string): WriteContext {
    const known = this.#writes.get(name);
    if (known !== undefined) return known;
    const { write: own, options } = this.#run;
    const collection = options.catalog.collections.get(name);
    if (collection === undefined) throw forbidden();
    const made = this.#open(own, requireWritable(collection));
    this.#writes.set(name, made);
    return made;
  }

  #open(own: WriteContext, collection: Collection): WriteContext {
    const { options, connection } = this.#run;
    const { sender, signal } = options;
    const { client } = connection;
    return {
      target: { ...own.target, collection: collection.name },
      ...{ collection, client, now: own.now, rule: sender.ruleOf(collection), strict: true },
      async hash(secret) {
        signal.throwIfAborted();
        return await sender.hash(secret);
      },
    };
  }

  /** The errors of a refused write for the sender. @throws other errors */
  errors(error: unknown): readonly ServiceError[] {
    const told = isRowError(error)
      ? translateFailure(error, failureView(this.#run.write.target, true))
      : error;
    if (told instanceof ServiceErrors) return told.errors;
    if (told instanceof ServiceError && told.status < 500) return [told];
    throw error;
  }
}

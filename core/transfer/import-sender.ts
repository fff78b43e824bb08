/** Who sends a file: his rights, and the write that his rows are judged as. */
import type { Caller } from '#core/access/grants.ts';
import type { Rights } from '#core/access/rights.ts';
import type { Collection } from '#core/catalog/catalog.ts';
import { forbidden } from '#core/errors/service-error.ts';
import { type CollectionRule, NO_RULE, type Write } from '#core/mutation/target.ts';
import type { QueryBounds } from '#core/query/query.ts';
import type { ImportOptions } from './import-run.ts';

/** The sender of a file. */
export interface Sender {
  readonly caller: Caller;
  readonly rights: Rights;
  readonly bounds: QueryBounds;
  /** Hashes a secret in the slow way. */
  readonly hash: (secret: string) => Promise<string>;
  /** What a collection demands of items that are related to those of the file. */
  readonly ruleOf: (collection: Collection) => CollectionRule;
  /** Most items that one row may write; undefined: no bound. */
  readonly maxItems: number | undefined;
}

/** The write that the rows of a file are judged as. Secrets stay as they are while they are judged. */
export function openWrite(options: ImportOptions): Write {
  const { catalog, client, sender } = options;
  const { caller, rights, bounds } = sender;
  const collection = catalog.collections.get(options.collection);
  if (collection === undefined) throw forbidden();
  const target = {
    catalog,
    caller,
    bounds,
    rights,
    grants: rights.reading,
    collection: collection.name,
  };
  const hash = async (secret: string) => secret;
  return { target, collection, client, now: new Date(), rule: NO_RULE, hash };
}

/** The sender of a file: its permissions, and the write context that validates its rows. */
import { forbidden } from '#core/base/errors/service-error.ts';
import { NO_RULE, type WriteContext } from '#core/write/write-context.ts';
import type { ImportOptions } from './import-options.ts';

/** The write context that validates the rows of a file. Secrets stay unhashed during validation. */
export function openImportWrite(options: ImportOptions): WriteContext {
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

/** Decides which names and values a caller may see in an error message. */

import type { FailureView, SeenTable } from '#core/database/failure.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { Grants } from './grants.ts';
import type { Rights } from './rights.ts';

/** The collection of a table. */
function collectionOf(catalog: Catalog, schema: string, name: string): Collection | null {
  const found = catalog.collections.get(name);
  return found?.table?.schema === schema ? found : null;
}

function seenTable(collection: Collection, grants: Grants): SeenTable | null {
  const grant = grants.of(collection.name);
  const { table } = collection;
  if (grant === null || table === null) return null;
  const fields = new Map(
    [...collection.fields.values()].flatMap(({ column, ...field }) =>
      column === null ? [] : [[column.name, { ...field, column }] as const],
    ),
  );
  return {
    collection: collection.name,
    table,
    fieldOf(column) {
      const field = fields.get(column);
      if (field === undefined) return null;
      const { name } = field;
      const cases = grant.filter((one) => one.fields === null || one.fields.has(name));
      if (cases.length === 0) return null;
      // A value may belong to a row that is only partly visible to the caller.
      const always = cases.some(({ rule }) => rule === null);
      return { name, values: always && !isConcealed(field) };
    },
  };
}

interface Viewer {
  readonly catalog: Catalog;
  readonly rights: Pick<Rights, 'admin' | 'reading'>;
}

/** The view of a caller with these rights. */
export function failureView({ catalog, rights }: Viewer, writing: boolean): FailureView {
  return {
    words: rights.admin,
    writing,
    tableOf(schema, name) {
      const collection = collectionOf(catalog, schema, name);
      return collection === null ? null : seenTable(collection, rights.reading);
    },
  };
}

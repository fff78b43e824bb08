/** Where items refer to files, found in the relations that lead to them. */

import { mayField } from '../data/rights.ts';
import type { Filter, Relation, Rights } from '../data/schema-types.ts';
import { FILES } from './library-query.ts';

export interface Usage {
  readonly collection: string;
  /** The field by which its items have files. */
  readonly field: string;
  /** The condition that holds for the items that use a file. */
  readonly filterOf: (file: string) => Filter;
}

/** Relations of Sluice's own tables of files, which say who uploaded what. */
const OWN = new Set([FILES, 'system_file_variants']);

function usageOf(relation: Relation, relations: readonly Relation[], rights: Rights): Usage | null {
  const { collection, field, meta, reverse } = relation;
  if (!mayField(rights, collection, 'read', field)) return null;
  const direct = { collection, field, filterOf: (file: string) => ({ [field]: { _eq: file } }) };
  const junctionField = meta?.junction_field ?? reverse?.junction_field;
  // A row of a junction is no item of its own: the one behind it uses the file.
  const onward = relations.find(
    (known) => known.collection === collection && known.field === junctionField,
  );
  const parent = onward?.related_collection;
  const list = onward?.meta?.one_field ?? onward?.reverse?.field;
  if (!junctionField || !parent || !list) return direct;
  if (!mayField(rights, parent, 'read', list)) return null;
  return {
    collection: parent,
    field: list,
    filterOf: (file) => ({ [list]: { _some: { [field]: { _eq: file } } } }),
  };
}

/** The usages whose items and fields the caller may read. */
export function usagesOf(relations: readonly Relation[], rights: Rights): readonly Usage[] {
  return relations.flatMap((relation) => {
    const { related_collection: related, collection } = relation;
    if (related !== FILES || OWN.has(collection)) return [];
    return usageOf(relation, relations, rights) ?? [];
  });
}

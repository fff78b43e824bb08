/** The archive of a collection: the field that says whether an item is in it, and its values. */
import type { Collection, Filter } from '../data/schema-types.ts';
import type { Archive } from './list-state.ts';

export interface ArchiveValues {
  readonly field: string;
  readonly archived: unknown;
  readonly active: unknown;
}

/** Values are kept as texts, those of booleans, too. */
function readValue(text: string | null): unknown {
  return text === 'true' ? true : text === 'false' ? false : text;
}

/** Null for a collection without an archive. */
export function archiveValues({ meta }: Pick<Collection, 'meta'>): ArchiveValues | null {
  if (!meta?.archive_field) return null;
  return {
    field: meta.archive_field,
    archived: readValue(meta.archive_value),
    active: readValue(meta.unarchive_value),
  };
}

/** The condition of a choice; null where all is shown. */
export function archiveFilter(collection: Collection, archive: Archive): Filter | null {
  const values = archiveValues(collection);
  if (values === null || archive === 'all') return null;
  const { field, archived } = values;
  // Null is equal to nothing, so that it has operators of its own.
  if (archived === null)
    return { [field]: archive === 'archived' ? { _null: true } : { _nnull: true } };
  if (archive === 'archived') return { [field]: { _eq: archived } };
  return { _or: [{ [field]: { _neq: archived } }, { [field]: { _null: true } }] };
}

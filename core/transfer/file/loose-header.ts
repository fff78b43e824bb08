/** Names of fields as people write them in headers: in any case, with spaces, `_` or `-`. */
import type { Collection } from '#core/model/catalog/catalog.ts';
import { fieldOf, type ImportFile } from './import-file.ts';

function plain(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s_-]+/gu, '');
}

/** The fields by their plain names; null for names that several fields share. */
function fieldsByName({ fields }: Pick<Collection, 'fields'>): ReadonlyMap<string, string | null> {
  const found = new Map<string, string | null>();
  for (const name of fields.keys()) found.set(plain(name), found.has(plain(name)) ? null : name);
  return found;
}

/** The file whose names are those of fields, if the options ask for it. */
export function withLooseNames(
  file: ImportFile,
  collection: Pick<Collection, 'fields'>,
): ImportFile {
  const { header, mapping = {} } = file.parameters;
  if (header !== 'loose') return file;
  const fields = fieldsByName(collection);
  const fieldNamed = (name: string) => {
    if (Object.hasOwn(mapping, name) || collection.fields.has(name)) return fieldOf(file, name);
    return fields.get(plain(name)) ?? name;
  };
  return { ...file, fieldNamed };
}

/** The names of collections and fields in the language of the App. */
import type { Collection, Field, Translation } from '../data/schema-types.ts';

function translated(translations: readonly Translation[] | null | undefined, locale: string) {
  const wanted = locale.toLowerCase();
  const [language = wanted] = wanted.split('-');
  const list = Array.isArray(translations) ? translations : [];
  const tags = (tag: string) => list.find((entry) => entry.language?.toLowerCase() === tag);
  return (
    tags(wanted) ?? list.find((entry) => entry.language?.toLowerCase().split('-')[0] === language)
  );
}

/** A name of a column or table as people write it: `date_created` is `Date Created`. */
export function humanize(name: string): string {
  return name
    .replace(/^system_/, '')
    .split(/[_\s]+|(?<=[a-z\d])(?=[A-Z])/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

export function fieldName(field: Pick<Field, 'field' | 'meta'>, locale: string): string {
  return translated(field.meta?.translations, locale)?.translation || humanize(field.field);
}

export function collectionName(
  collection: Pick<Collection, 'collection' | 'meta'>,
  locale: string,
): string {
  return (
    translated(collection.meta?.translations, locale)?.translation ||
    humanize(collection.collection)
  );
}

/**
 * Display templates such as `{{first_name}} {{last_name}}`: what an item is called. Without one a
 * collection is represented by the field that looks most like a name, else by its key.
 */
import type { Collection, Field, Item } from '../data/schema-types.ts';

const SLOT = /\{\{\s*([^{}]+?)\s*\}\}/g;
/** Fields that are names, the best first. */
const NAMES = [
  'title',
  'name',
  'label',
  'subject',
  'headline',
  'email',
  'filename_download',
  'code',
  'slug',
  'key',
];
const TEXTS = new Set(['string', 'text']);

/** The paths of fields that a template shows. */
export function templatePaths(template: string): readonly string[] {
  return [...template.matchAll(SLOT)].map(([, path = '']) => path);
}

/** Templates of the system collections, which have none of their own. */
const OF_SYSTEM: Readonly<Record<string, string>> = {
  system_users: '{{first_name}} {{last_name}}',
  system_files: '{{title}}',
  system_roles: '{{name}}',
  system_folders: '{{name}}',
  system_policies: '{{name}}',
};

/** The template of a collection. */
export function templateOf(collection: Collection | undefined, fields: readonly Field[]): string {
  const own = collection?.meta?.display_template;
  if (own) return own;
  const known = OF_SYSTEM[collection?.collection ?? ''];
  if (known !== undefined) return known;
  const texts = fields.filter(({ type, meta }) => TEXTS.has(type) && !meta?.hidden);
  const named = NAMES.flatMap((name) => texts.filter(({ field }) => field === name));
  const key = fields.find(({ schema }) => schema?.is_primary_key);
  const best = named[0] ?? texts.find(({ schema }) => !schema?.is_primary_key) ?? key;
  return best === undefined ? '' : `{{${best.field}}}`;
}

/** The value at a path of an item. */
function valueAt(item: unknown, path: string): unknown {
  let value = item;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([member]) => member === name)?.[1];
  }
  return value;
}

/** Fills a template; an empty text when the item has none of its values. */
export function fillTemplate(template: string, item: Item): string {
  return template
    .replaceAll(SLOT, (_, path: string) => {
      const value = valueAt(item, path);
      if (value === null || value === undefined) return '';
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    })
    .replace(/\s+/g, ' ')
    .trim();
}

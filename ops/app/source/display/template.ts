/**
 * Display templates such as `{{first_name}} {{last_name}}`: what an item is called. Without one a
 * collection is represented by the fields whose names say so, by the text that tells its items apart, or by its key.
 */
import { keyFields } from '../data/item-key.ts';
import type { Collection, Field, Item } from '../data/schema-types.ts';
import { isOneLine, isState, NO_SHAPES, sampledFields, type TextShapes } from './text-shape.ts';

const SLOT = /\{\{\s*([^{}]+?)\s*\}\}/g;
/** Fields that are names, the best first. */
const NAMES = ['title', 'name', 'label', 'subject', 'headline'];
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

/** Pairs of fields that name a person. */
const PEOPLE = [
  ['first_name', 'last_name'],
  ['firstname', 'lastname'],
  ['given_name', 'family_name'],
  ['forename', 'surname'],
];
/** Names that end like a name: `company_name`, `contactName`. */
const ENDS_AS_NAME = /(^|_)(name|title|label)$|[a-z](Name|Title|Label)$/;
/** Names of what tells items apart where nothing names them, the best first. */
const SIGNS = ['email', 'e_mail', 'filename_download', 'code', 'slug', 'key', 'number'];

/** Whether a field can name an item: the values of an enumeration are shared by many. */
function isText({ type, meta, schema }: Field): boolean {
  return TEXTS.has(type) && !meta?.hidden && !schema?.enum_values?.length;
}

/** The fields whose names say that they name an item; none where no name says so. */
function namingFields(fields: readonly Field[]): readonly string[] {
  const texts = fields.filter(isText).map(({ field }) => field);
  const called = (name: string) => texts.filter((field) => field.toLowerCase() === name);
  const person = PEOPLE.map((pair) => pair.flatMap(called)).find((found) => found.length > 1);
  const [first = null] = [
    ...NAMES.flatMap(called),
    ...(person === undefined ? texts.filter((field) => ENDS_AS_NAME.test(field)) : []),
  ];
  if (first !== null) return [first];
  return person ?? SIGNS.flatMap(called).slice(0, 1);
}

/**
 * The text that differs most between the items of a sample and fits into one line; of a collection
 * without texts the first one.
 */
function mostTelling(fields: readonly Field[], shapes: TextShapes): string | undefined {
  const texts = fields.filter((field) => isText(field) && !field.schema?.is_primary_key);
  const distinct = ({ field }: Field) => shapes.get(field)?.distinct ?? 0;
  if (texts.every((field) => distinct(field) === 0)) return texts[0]?.field;
  return texts
    .filter((field) => {
      const shape = shapes.get(field.field);
      return distinct(field) > 0 && isOneLine(field, shape) && !isState(shape);
    })
    .toSorted((a, b) => distinct(b) - distinct(a))[0]?.field;
}

/**
 * The template of a collection.
 * @param shapes its texts in a sample; null before it was read
 * @returns null where only a sample can tell
 */
export function templateOf(
  collection: Collection | undefined,
  fields: readonly Field[],
  shapes: null,
): string | null;
export function templateOf(
  collection: Collection | undefined,
  fields: readonly Field[],
  shapes: TextShapes,
): string;
export function templateOf(
  collection: Collection | undefined,
  fields: readonly Field[],
  shapes: TextShapes | null,
): string | null {
  const own = collection?.meta?.display_template ?? OF_SYSTEM[collection?.collection ?? ''];
  if (own) return own;
  const named = namingFields(fields);
  if (named.length > 0) return named.map(slot).join(' ');
  if (shapes === null && sampledFields(fields).length > 0) return null;
  const telling = mostTelling(fields, shapes ?? NO_SHAPES);
  return telling === undefined ? keyFields(fields).map(slot).join(' · ') : slot(telling);
}

function slot(field: string): string {
  return `{{${field}}}`;
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

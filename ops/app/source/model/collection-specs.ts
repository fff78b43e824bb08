/** The members of a collection that people change, as controls. */
import type { Collection, Field } from '../data/schema-types.ts';
import { collectionName, fieldName } from '../translation/names.ts';
import { collectionRows, isSystem } from './collection-rows.ts';
import type { ControlChoice, ControlSpec } from './control.tsx';

export type Translate = (key: string, options?: { readonly _?: string }) => string;

export interface Context {
  readonly collections: ReadonlyMap<string, Collection>;
  /** The one that is edited: it stands in no group that stands in it. */
  readonly collection: string;
  readonly locale: string;
  readonly translate: Translate;
  readonly folder: boolean;
}

function isWithin(collections: ReadonlyMap<string, Collection>, name: string, outer: string) {
  const seen = new Set<string>();
  for (let at: string | null | undefined = name; at && !seen.has(at); ) {
    if (at === outer) return true;
    seen.add(at);
    at = collections.get(at)?.meta?.group;
  }
  return false;
}

function groupChoices({ collections, collection, locale, translate }: Context) {
  const possible = [...collections.values()].filter(
    (one) =>
      one.meta !== null && !isSystem(one) && !isWithin(collections, one.collection, collection),
  );
  const rows = collectionRows(possible, locale);
  return [
    { value: '', text: translate('model.noGroup') },
    ...rows.map(({ collection: { collection: value }, name, depth }) => ({
      value,
      text: `${'\u00a0\u00a0'.repeat(depth)}${name}`,
    })),
  ];
}

/** Those that a new collection has, too. */
export function basicSpecs(context: Context): readonly ControlSpec[] {
  return [
    { name: 'icon', kind: 'field', interface: 'select-icon' },
    { name: 'group', kind: 'choice', choices: groupChoices(context) },
    { name: 'note', kind: 'text', help: 'model.help.collectionNote', wide: true },
    { name: 'hidden', kind: 'switch', help: 'model.help.hidden' },
    ...(context.folder
      ? []
      : [{ name: 'singleton', kind: 'switch', help: 'model.help.singleton' } as const]),
  ];
}

export function lookSpecs({ translate }: Context): readonly ControlSpec[] {
  const collapse = ['open', 'closed', 'locked'].map((value) => ({
    value,
    text: translate(`model.collapse_${value}`),
  }));
  return [
    { name: 'color', kind: 'field', interface: 'select-color' },
    { name: 'collapse', kind: 'choice', choices: collapse },
  ];
}

/** A choice among fields; none is the empty value. */
function fieldChoices(
  fields: readonly Field[],
  locale: string,
  none: string,
): readonly ControlChoice[] {
  const choices = fields.map((field) => ({
    value: field.field,
    text: `${fieldName(field, locale)} (${field.field})`,
  }));
  return [{ value: '', text: none }, ...choices];
}

const NUMBERS = new Set(['integer', 'bigInteger', 'float', 'decimal']);

export function itemSpecs(
  { locale, translate }: Context,
  fields: readonly Field[],
): readonly ControlSpec[] {
  const columns = fields.filter(({ schema }) => schema !== null && !schema.is_primary_key);
  const none = translate('model.noField');
  const accountability = [
    { value: 'all', text: translate('model.accountability_all') },
    { value: 'activity', text: translate('model.accountability_activity') },
    { value: '', text: translate('model.accountability_none') },
  ];
  const numbers = columns.filter(({ type }) => NUMBERS.has(type));
  return [
    {
      name: 'sort_field',
      kind: 'choice',
      choices: fieldChoices(numbers, locale, none),
      help: 'model.help.sort_field',
    },
    { name: 'accountability', kind: 'choice', choices: accountability },
  ];
}

export function archiveSpecs(
  { locale, translate }: Context,
  fields: readonly Field[],
): readonly ControlSpec[] {
  const columns = fields.filter(({ schema }) => schema !== null && !schema.is_primary_key);
  return [
    {
      name: 'archive_field',
      kind: 'choice',
      choices: fieldChoices(columns, locale, translate('model.noField')),
      help: 'model.help.archive_field',
    },
    { name: 'archive_app_filter', kind: 'switch', help: 'model.help.archive_app_filter' },
    { name: 'archive_value', kind: 'text' },
    { name: 'unarchive_value', kind: 'text' },
  ];
}

export function nameOf(collections: ReadonlyMap<string, Collection>, name: string, locale: string) {
  const known = collections.get(name);
  return collectionName(known ?? { collection: name, meta: null }, locale);
}

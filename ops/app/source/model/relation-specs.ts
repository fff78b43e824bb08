/** The members of a relation that people choose, as controls; which there are depends on its kind. */
import type { Collection } from '../data/schema-types.ts';
import { collectionRows, isSystem } from './collection-rows.ts';
import type { Translate } from './collection-specs.ts';
import type { ControlChoice, ControlSpec } from './control.tsx';
import { type CompleteRelation, hasJunction, LANGUAGES } from './relation-draft.ts';

/** Collections that can be referred to: tables with a key of one field. */
export function referable(collections: ReadonlyMap<string, Collection>): readonly Collection[] {
  return [...collections.values()].filter(
    ({ schema }) => schema !== null && (schema.primary_key?.length ?? 0) < 2,
  );
}

const SYSTEM_TARGETS = new Set(['system_users', 'system_files', 'system_roles', 'system_folders']);

interface Context {
  readonly collections: ReadonlyMap<string, Collection>;
  readonly locale: string;
  readonly translate: Translate;
}

function relatedChoices(
  { kind }: CompleteRelation,
  { collections, locale, translate }: Context,
): readonly ControlChoice[] {
  const possible = referable(collections).filter((collection) =>
    // Only what is one's own gets fields for the way back.
    isSystem(collection) ? kind !== 'o2m' && SYSTEM_TARGETS.has(collection.collection) : true,
  );
  const known = collectionRows(possible, locale).map(({ collection, name }) => ({
    value: collection.collection,
    text: name === collection.collection ? name : `${name} (${collection.collection})`,
  }));
  const first = { value: '', text: translate('model.chooseCollection') };
  if (kind === 'translations' && !collections.has(LANGUAGES)) {
    return [first, { value: LANGUAGES, text: translate('model.makeLanguages') }, ...known];
  }
  return [first, ...known];
}

export function endSpecs(relation: CompleteRelation, context: Context): readonly ControlSpec[] {
  const { kind, related } = relation;
  const { translate } = context;
  const own = { name: 'field', kind: 'text', required: true, help: 'model.help.ownField' } as const;
  const image: ControlSpec = {
    name: 'image',
    kind: 'choice',
    label: 'model.member.interface',
    choices: [
      { value: '', text: translate('model.interface.file') },
      { value: 'image', text: translate('model.interface.file-image') },
    ],
  };
  const other: ControlSpec = {
    ...({ name: 'related', kind: 'choice', required: true } as const),
    label: kind === 'translations' ? 'model.member.languages' : 'model.member.related',
    choices: relatedChoices(relation, context),
  };
  const isOwn = related !== '' && !related.startsWith('system_');
  const reverse: ControlSpec = {
    ...({ name: 'reverse', kind: 'text', required: kind === 'o2m' } as const),
    label: kind === 'o2m' ? 'model.member.referring' : 'model.member.reverse',
    help: kind === 'o2m' ? 'model.help.referring' : 'model.help.reverse',
  };
  const texts: ControlSpec = {
    ...({ name: 'texts', kind: 'field', type: 'json', interface: 'tags' } as const),
    ...({ wide: true, help: 'model.help.texts' } as const),
  };
  const withReverse = (kind === 'm2o' || kind === 'o2m' || kind === 'm2m') && isOwn;
  return [
    ...(kind === 'file' || kind === 'files' || kind === 'm2a' ? [] : [other]),
    own,
    ...(kind === 'file' ? [image] : []),
    ...(withReverse ? [reverse] : []),
    ...(kind === 'translations' ? [texts] : []),
  ];
}

export function junctionSpecs({ kind }: CompleteRelation): readonly ControlSpec[] {
  const name = { kind: 'text', required: true } as const;
  return [
    { ...name, name: 'junction', wide: true },
    { ...name, name: 'near' },
    { ...name, name: 'far', label: kind === 'm2a' ? 'model.member.farAny' : 'model.member.far' },
  ];
}

export const ON_DELETE = ['SET NULL', 'CASCADE', 'RESTRICT', 'NO ACTION'];

export function deleteSpec(translate: Translate, junction: boolean): ControlSpec {
  const place = junction ? 'onDeleteJunction' : 'onDelete';
  const values = junction ? ['CASCADE', 'SET NULL', 'RESTRICT'] : ON_DELETE.slice(0, 3);
  return {
    ...({ name: 'onDelete', kind: 'choice' } as const),
    choices: values.map((value) => ({
      value,
      text: translate(`model.${place}.${value.replace(' ', '_')}`),
    })),
  };
}

export function deselectSpec(translate: Translate, junction: boolean): ControlSpec {
  const place = junction ? 'onDeselectJunction' : 'onDeselect';
  return {
    ...({ name: 'onDeselect', kind: 'choice' } as const),
    choices: ['nullify', 'delete'].map((value) => ({
      value,
      text: translate(`model.${place}.${value}`),
    })),
  };
}

export function behaviourSpecs(
  relation: CompleteRelation,
  translate: Translate,
): readonly ControlSpec[] {
  const { kind, reverse } = relation;
  const junction = hasJunction(kind);
  const isList = kind !== 'm2o' && kind !== 'file';
  const sorted = { name: 'sorted', kind: 'switch', help: 'model.help.sorted' } as const;
  return [
    deleteSpec(translate, junction),
    ...(isList || reverse !== '' ? [deselectSpec(translate, junction)] : []),
    ...(isList && kind !== 'translations' ? [sorted] : []),
  ];
}

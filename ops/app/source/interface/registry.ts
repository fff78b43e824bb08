/**
 * The interfaces by their names, which are those of `meta.interface` of fields, and which one a field
 * gets that names none, or one that is not known or does not fit its type. What few forms need is a
 * chunk of its own.
 */
import { lazy } from 'react';
import type { RelationKind } from '../data/relation-of.ts';
import type { Field } from '../data/schema-types.ts';
import { specialsOf } from '../data/values.ts';
import { choicesOf } from '../display/choices.ts';
import { boundType, columnType, isList } from '../display/column-type.ts';
import { BooleanInterface } from './boolean.tsx';
import { DropdownInterface, RadioInterface } from './choice.tsx';
import { DateTimeInterface } from './datetime.tsx';
import type { Interface } from './interface.ts';
import { JsonInterface } from './json.tsx';
import { DividerInterface, LinksInterface, NoticeInterface } from './presentation.tsx';
import { TextInterface } from './text.tsx';

const Binary = lazy(() => import('./binary.tsx').then((m) => ({ default: m.BinaryInterface })));
const Checkboxes = lazy(() =>
  import('./checkboxes.tsx').then((m) => ({ default: m.CheckboxesInterface })),
);
const Code = lazy(() => import('./code.tsx').then((m) => ({ default: m.CodeInterface })));
const Color = lazy(() => import('./color.tsx').then((m) => ({ default: m.ColorInterface })));
const Geometry = lazy(() =>
  import('./geometry.tsx').then((m) => ({ default: m.GeometryInterface })),
);
const Interval = lazy(() =>
  import('./interval.tsx').then((m) => ({ default: m.IntervalInterface })),
);
const List = lazy(() => import('./list.tsx').then((m) => ({ default: m.ListInterface })));
const Point = lazy(() => import('./point.tsx').then((m) => ({ default: m.PointInterface })));
const Range = lazy(() => import('./range.tsx').then((m) => ({ default: m.RangeInterface })));
const Hash = lazy(() => import('./hash.tsx').then((m) => ({ default: m.HashInterface })));
const IconChoice = lazy(() =>
  import('./icon-choice.tsx').then((m) => ({ default: m.IconInterface })),
);
const RichText = lazy(() =>
  import('./rich-text.tsx').then((m) => ({ default: m.RichTextInterface })),
);
const Slider = lazy(() => import('./slider.tsx').then((m) => ({ default: m.SliderInterface })));
const Suggestion = lazy(() =>
  import('./suggestion.tsx').then((m) => ({ default: m.SuggestionInterface })),
);
const Tags = lazy(() => import('./tags.tsx').then((m) => ({ default: m.TagsInterface })));
const Uuid = lazy(() => import('./uuid.tsx').then((m) => ({ default: m.UuidInterface })));
const ToOne = lazy(() => import('../relation/to-one.tsx').then((m) => ({ default: m.ToOne })));
const ToMany = lazy(() => import('../relation/to-many.tsx').then((m) => ({ default: m.ToMany })));
const Translations = lazy(() =>
  import('../relation/translations.tsx').then((m) => ({ default: m.Translations })),
);
const FileField = lazy(() =>
  import('../files/file-field.tsx').then((m) => ({ default: m.FileField })),
);

interface Entry {
  readonly control: Interface;
  /** The types that it is for; all that are no relation when it does not say. */
  readonly types?: readonly string[];
}

const TEXTS = ['string', 'text'];
const NUMBERS = ['integer', 'bigInteger', 'float', 'decimal'];
const LISTS = [...TEXTS, 'json', 'csv'];
const SCALARS = [...TEXTS, ...NUMBERS, 'uuid', 'unknown', 'boolean'];
const LINES = [...TEXTS, ...NUMBERS, 'uuid', 'unknown'];

const BY_NAME: Readonly<Record<string, Entry>> = {
  input: { control: TextInterface, types: LINES },
  numeric: { control: TextInterface, types: LINES },
  'input-multiline': { control: TextInterface, types: [...TEXTS, 'unknown'] },
  'input-code': { control: Code, types: [...TEXTS, 'unknown'] },
  'input-rich-text-md': { control: RichText, types: TEXTS },
  'input-rich-text-html': { control: RichText, types: TEXTS },
  'input-hash': { control: Hash, types: ['hash', ...TEXTS] },
  'input-autocomplete': { control: Suggestion, types: TEXTS },
  'input-autocomplete-api': { control: Suggestion, types: TEXTS },
  boolean: { control: BooleanInterface, types: ['boolean'] },
  toggle: { control: BooleanInterface, types: ['boolean'] },
  datetime: { control: DateTimeInterface, types: ['date', 'time', 'dateTime', 'timestamp'] },
  tags: { control: Tags, types: LISTS },
  'select-dropdown': { control: DropdownInterface, types: SCALARS },
  'select-radio': { control: RadioInterface, types: SCALARS },
  'select-multiple-checkbox': { control: Checkboxes, types: LISTS },
  'select-multiple-dropdown': { control: Tags, types: LISTS },
  'select-color': { control: Color, types: TEXTS },
  'select-icon': { control: IconChoice, types: TEXTS },
  slider: { control: Slider, types: NUMBERS },
};

const OF_ALIAS: Readonly<Record<string, Interface>> = {
  'presentation-divider': DividerInterface,
  'presentation-notice': NoticeInterface,
  'presentation-links': LinksInterface,
};

const BY_TYPE: Readonly<Record<string, Interface>> = {
  boolean: BooleanInterface,
  json: JsonInterface,
  csv: Tags,
  uuid: Uuid,
  hash: Hash,
  binary: Binary,
  date: DateTimeInterface,
  time: DateTimeInterface,
  dateTime: DateTimeInterface,
  timestamp: DateTimeInterface,
};

const BY_COLUMN: Readonly<Record<string, Interface>> = { interval: Interval, point: Point };

function relationInterface(field: Field, relation: RelationKind): Interface {
  if (relation.kind === 'm2o') return relation.related === 'system_files' ? FileField : ToOne;
  const translates =
    field.meta?.interface === 'translations' || specialsOf(field).has('translations');
  return translates && relation.kind === 'm2m' ? Translations : ToMany;
}

/** The interface that fits the type, whatever the field says. */
function defaultInterface(field: Field): Interface {
  const { type } = field;
  if (type.startsWith('geometry')) return Geometry;
  if (isList(field)) return List;
  if (boundType(field) !== null) return Range;
  const own = BY_COLUMN[columnType(field)];
  if (own !== undefined) return own;
  const typed = BY_TYPE[type];
  if (typed !== undefined) return typed;
  return choicesOf(field).length > 0 ? DropdownInterface : TextInterface;
}

/**
 * The interface of a field.
 * @param relation what it leads to, where the caller may see that
 * @returns null for what a form has nothing to show of
 */
export function interfaceOf(field: Field, relation: RelationKind | null = null): Interface | null {
  if (relation !== null) return relationInterface(field, relation);
  const name = field.meta?.interface ?? '';
  if (field.type === 'alias') return OF_ALIAS[name] ?? null;
  const entry = BY_NAME[name];
  // The types of these columns say more than those of their fields.
  const isOwn = name === 'tags' && isList(field);
  if (isOwn) return List;
  return entry?.types?.includes(field.type) === true ? entry.control : defaultInterface(field);
}

/** The types of fields with the interfaces that fit each, the first of which a new field gets. */
import type { IconName } from '../theme/icon-paths.ts';

interface TypeFacts {
  readonly icon: IconName;
  readonly group: 'text' | 'number' | 'date' | 'other' | 'geometry' | 'presentation';
  readonly interfaces: readonly string[];
}

const CHOICES = ['select-dropdown', 'select-radio'];
const LISTS = ['tags', 'select-multiple-checkbox', 'select-multiple-dropdown'];
const NUMBERS = ['input', 'slider', ...CHOICES];

function geometry(): TypeFacts {
  return { icon: 'map', group: 'geometry', interfaces: ['map'] };
}

function date(icon: IconName = 'calendar_today'): TypeFacts {
  return { icon, group: 'date', interfaces: ['datetime'] };
}

function number(): TypeFacts {
  return { icon: 'numbers', group: 'number', interfaces: NUMBERS };
}

export const TYPES: Readonly<Record<string, TypeFacts>> = {
  string: {
    icon: 'title',
    group: 'text',
    interfaces: [
      ...['input', ...CHOICES, 'input-autocomplete', 'input-multiline', 'select-color'],
      ...['select-icon', 'input-code', 'input-rich-text-md', 'input-rich-text-html', ...LISTS],
    ],
  },
  text: {
    icon: 'article',
    group: 'text',
    interfaces: [
      ...['input-multiline', 'input-rich-text-md', 'input-rich-text-html', 'input-code', 'input'],
      ...LISTS,
    ],
  },
  hash: { icon: 'lock', group: 'text', interfaces: ['input-hash'] },
  uuid: { icon: 'key', group: 'text', interfaces: ['input', ...CHOICES] },
  csv: { icon: 'tags', group: 'text', interfaces: LISTS },
  integer: number(),
  bigInteger: number(),
  float: number(),
  decimal: number(),
  date: date(),
  time: date('schedule'),
  dateTime: date(),
  timestamp: date(),
  boolean: { icon: 'check_box', group: 'other', interfaces: ['boolean', ...CHOICES] },
  json: { icon: 'data_object', group: 'other', interfaces: ['input-code', ...LISTS] },
  binary: { icon: 'file', group: 'other', interfaces: ['binary'] },
  geometry: geometry(),
  'geometry.Point': geometry(),
  'geometry.LineString': geometry(),
  'geometry.Polygon': geometry(),
  'geometry.MultiPoint': geometry(),
  'geometry.MultiLineString': geometry(),
  'geometry.MultiPolygon': geometry(),
  alias: {
    icon: 'view_column',
    group: 'presentation',
    interfaces: [
      ...['group-detail', 'group-accordion', 'group-raw'],
      ...['presentation-divider', 'presentation-notice', 'presentation-links'],
    ],
  },
};

export function typeIcon(type: string): IconName {
  return TYPES[type]?.icon ?? 'label';
}

/** Keys of texts have no dots in them. */
export function typeKey(type: string): string {
  return `model.type.${type.replace('.', '_')}`;
}

/** The flags of a field without a column, by its interface. */
export function aliasFlags(name: string): readonly string[] {
  return ['alias', 'no-data', ...(name.startsWith('group-') ? ['group'] : [])];
}

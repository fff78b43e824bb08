/**
 * The views of a collection: which are offered follows from its fields. Names of views and of their options
 * are those that `system_presets` stores.
 */

import type { Field } from '../data/schema-types.ts';
import { choicesOf } from '../display/choices.ts';
import type { Column } from '../display/columns.ts';
import { isState, type TextShapes } from '../display/text-shape.ts';
import type { IconName } from '../theme/icon-paths.ts';
import type { Place } from './points.ts';

export const LAYOUTS = ['tabular', 'cards', 'kanban', 'calendar', 'map', 'tree'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** The options of a view by their names: names of fields and of modes. */
export type LayoutOptions = Readonly<Record<string, string>>;

/** The fields that each view can be made by, the best first; a view without any is not offered. */
export type Candidates = Readonly<Record<Layout, readonly Column[]>>;

/** A column, or a field without what a list knows of it. */
interface OfField {
  readonly field: Field;
}

/** A pair of columns with the position of an item in degrees. */
interface Coordinates<C extends OfField> {
  readonly latitude: C;
  readonly longitude: C;
}

export const ICON_OF: Readonly<Record<Layout, IconName>> = {
  tabular: 'table_chart',
  cards: 'image',
  kanban: 'view_kanban',
  calendar: 'calendar_today',
  map: 'map',
  tree: 'account_tree',
};

export const NO_OPTIONS: LayoutOptions = {};

const DAYS: ReadonlySet<string> = new Set(['date', 'dateTime', 'timestamp']);
const NUMBERS: ReadonlySet<string> = new Set(['float', 'decimal', 'integer', 'bigInteger']);
const LATITUDE = /(^|_)lat(itude)?$|[a-z]Lat(itude)?$/;
const LONGITUDE = /(^|_)(lon|lng|long|longitude)$|[a-z](Lon|Lng|Longitude)$/;
/** Points, and geometries that may be points. */
const POINTS: ReadonlySet<string> = new Set(['geometry', 'geometry.Point']);

export function isLayout(text: unknown): text is Layout {
  return LAYOUTS.some((layout) => layout === text);
}

/** Options as they are stored: members that are no texts are left out. */
export function readOptions(value: unknown): LayoutOptions {
  if (typeof value !== 'object' || value === null) return NO_OPTIONS;
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

/** Dates that the server sets by itself tell when a row changed, and move last. */
function isAutomatic({ meta }: Field): boolean {
  return /date-(created|updated)/.test(String(meta?.special ?? ''));
}

/** How well the values of a field divide items into a few columns; null for not at all. */
function rankOfGroup({ field, relation }: Column, shapes: TextShapes): number | null {
  const { type, meta, schema } = field;
  if (relation !== null) {
    return relation.kind === 'm2o' && relation.related !== 'system_files' ? 3 : null;
  }
  if (schema?.is_primary_key || type === 'json' || type === 'csv') return null;
  if (choicesOf(field).length > 0) return 0;
  if (isState(shapes.get(field.field))) return 1;
  return type === 'boolean' && !meta?.special?.includes('conceal') ? 2 : null;
}

function groupFields(visible: readonly Column[], shapes: TextShapes): readonly Column[] {
  return visible
    .flatMap((column) => {
      const rank = rankOfGroup(column, shapes);
      return rank === null ? [] : [{ column, rank }];
    })
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ column }) => column);
}

/** The latitude and the longitude of items where two numbers have the same name but for that. */
export function coordinatesOf<C extends OfField>(possible: readonly C[]): Coordinates<C> | null {
  const numbers = possible.filter(({ field }) => NUMBERS.has(field.type));
  for (const latitude of numbers.filter(({ field }) => LATITUDE.test(field.field))) {
    const stem = latitude.field.field.replace(/_?lat(itude)?$/i, '');
    const longitude = numbers.find(
      ({ field: { field } }) =>
        LONGITUDE.test(field) && field.replace(/_?(lon|lng|long|longitude)$/i, '') === stem,
    );
    if (longitude !== undefined) return { latitude, longitude };
  }
  return null;
}

/** The columns that a map can be made by: points, and the latitude of a pair. */
export function placeCandidates<C extends OfField>(visible: readonly C[]): readonly C[] {
  const points = visible.filter(({ field }) => POINTS.has(field.type));
  const pair = coordinatesOf(visible);
  return pair === null ? points : [...points, pair.latitude];
}

/** The fields with the position of an item, by a candidate for a map; null where there are none. */
export function placeOf(chosen: OfField | undefined, possible: readonly OfField[]): Place | null {
  if (chosen === undefined) return null;
  const { field, type } = chosen.field;
  if (type.startsWith('geometry')) return { kind: 'geometry', field };
  const pair = coordinatesOf(possible);
  if (pair === null) return null;
  return {
    kind: 'pair',
    latitude: pair.latitude.field.field,
    longitude: pair.longitude.field.field,
  };
}

/** Whether a field refers to the key of another item of its own collection. */
function isParent({ field, relation }: Column, possible: readonly Column[]): boolean {
  const keys = possible.filter((column) => column.field.schema?.is_primary_key);
  const key = keys[0]?.field.field;
  const target = field.schema?.foreign_key_column ?? key;
  if (relation?.kind !== 'm2o' || keys.length !== 1) return false;
  return relation.related === field.collection && target === key;
}

/** The fields that the views of a collection can be made by. */
export function candidatesOf(possible: readonly Column[], shapes: TextShapes): Candidates {
  const visible = possible.filter(({ field }) => !field.meta?.hidden && field.type !== 'alias');
  const own = visible.filter(({ relation }) => relation?.kind === 'm2o');
  const days = visible.filter(({ field }) => DAYS.has(field.type));
  return {
    tabular: possible,
    cards: own.filter(
      ({ relation }) => relation?.kind === 'm2o' && relation.related === 'system_files',
    ),
    kanban: groupFields(visible, shapes),
    calendar: [
      ...days.filter(({ field }) => !isAutomatic(field)),
      ...days.filter(({ field }) => isAutomatic(field)),
    ],
    map: placeCandidates(visible),
    tree: own.filter((column) => isParent(column, possible)),
  };
}

/** The views that a collection is offered in; the table always. */
export function offeredLayouts(candidates: Candidates): readonly Layout[] {
  return LAYOUTS.filter((layout) => layout === 'tabular' || candidates[layout].length > 0);
}

/** The field that an option names if it is a candidate, else the best one. */
export function chosenField<C extends OfField>(
  candidates: readonly C[],
  name: string | undefined,
): C | undefined {
  return candidates.find(({ field }) => field.field === name) ?? candidates[0];
}

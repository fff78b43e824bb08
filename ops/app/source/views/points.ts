/** Points of a map: where items are, and the condition of an area. */
import type { Filter, Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';

/** Degrees of longitude and latitude. */
export type Position = readonly [longitude: number, latitude: number];

/** A part of the world in degrees; its west may be east of its east, across the date line. */
export interface Area {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The fields with the positions: a geometry, or a pair of numbers. */
export type Place =
  | { readonly kind: 'geometry'; readonly field: string }
  | { readonly kind: 'pair'; readonly latitude: string; readonly longitude: string };

const ROUND = 360;

/** The names of the fields with the positions. */
export function fieldsOfPlace(place: Place): readonly string[] {
  return place.kind === 'geometry' ? [place.field] : [place.latitude, place.longitude];
}

function degrees(value: unknown, most: number): number | null {
  if (value === null || value === undefined || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) && Math.abs(number) <= most ? number : null;
}

/** Where an item is; null for one without a position on earth, and for shapes that are no points. */
export function positionOf(place: Place, item: Item): Position | null {
  let pair: readonly [unknown, unknown] = [null, null];
  if (place.kind === 'pair') {
    pair = [item[place.longitude], item[place.latitude]];
  } else {
    const shape = item[place.field];
    if (isItem(shape) && shape.type === 'Point' && Array.isArray(shape.coordinates)) {
      pair = [shape.coordinates[0], shape.coordinates[1]];
    }
  }
  const [longitude, latitude] = [degrees(pair[0], ROUND / 2), degrees(pair[1], ROUND / 4)];
  return longitude === null || latitude === null ? null : [longitude, latitude];
}

/** The same longitude between −180 and 180 degrees. */
function normalized(longitude: number): number {
  return ((((longitude + ROUND / 2) % ROUND) + ROUND) % ROUND) - ROUND / 2;
}

/** An area whose edges are degrees on earth, from what a map shows, which may be more than the world. */
export function areaOf({ west, south, east, north }: Area): Area {
  const [bottom, top] = [Math.max(south, -90), Math.min(north, 90)];
  if (east - west >= ROUND) return { west: -180, south: bottom, east: 180, north: top };
  return { west: normalized(west), south: bottom, east: normalized(east), north: top };
}

/** The one or two parts of an area that do not cross the date line. */
function partsOf(area: Area): readonly Area[] {
  if (area.west <= area.east) return [area];
  return [
    { ...area, east: 180 },
    { ...area, west: -180 },
  ];
}

export function isWithin(area: Area, [longitude, latitude]: Position): boolean {
  return partsOf(area).some(
    ({ west, south, east, north }) =>
      longitude >= west && longitude <= east && latitude >= south && latitude <= north,
  );
}

/** The condition that an item is in an area. */
export function filterOfArea(place: Place, area: Area): Filter {
  const conditions = partsOf(area).map(({ west, south, east, north }): Filter => {
    if (place.kind === 'pair') {
      return {
        [place.latitude]: { _between: [south, north] },
        [place.longitude]: { _between: [west, east] },
      };
    }
    const [southWest, northEast] = [
      [west, south],
      [east, north],
    ];
    const ring = [southWest, [east, south], northEast, [west, north], southWest];
    return { [place.field]: { _intersects_bbox: { type: 'Polygon', coordinates: [ring] } } };
  });
  const [only = {}, ...others] = conditions;
  return others.length === 0 ? only : { _or: conditions };
}

/** The condition that an item has a position at all. */
export function filterOfPlace(place: Place): Filter {
  return Object.fromEntries(fieldsOfPlace(place).map((field) => [field, { _nnull: true }]));
}

/** The smallest area with all positions; null for none. */
export function boundsOf(positions: readonly Position[]): Area | null {
  if (positions.length === 0) return null;
  let [west, south, east, north] = [180, 90, -180, -90];
  for (const [longitude, latitude] of positions) {
    west = Math.min(west, longitude);
    east = Math.max(east, longitude);
    south = Math.min(south, latitude);
    north = Math.max(north, latitude);
  }
  return { west, south, east, north };
}

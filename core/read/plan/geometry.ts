/** Parses PostGIS geometries in conditions, written in GeoJSON. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { geoJsonOf, isGeoJson } from '#core/model/values/geo-json.ts';

export function isGeometry({ type }: Pick<ColumnField, 'type'>): boolean {
  return type.startsWith('geometry');
}

/** Converts numbers in a URL's brackets, which arrive as text. */
function unspelled(value: unknown): unknown {
  if (typeof value === 'string')
    return /^-?\d+(\.\d+)?(e-?\d+)?$/i.test(value) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(unspelled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unspelled(one)]));
}

/** The operand of a comparison. */
interface Shape {
  readonly value: unknown;
  readonly place: string;
  readonly spelled: boolean;
}

/**
 * A geometry in GeoJSON, as an object or as text.
 * @throws ServiceError INVALID_QUERY for another value
 */
export function geometryOf({ value, place, spelled }: Shape): object {
  const shape = typeof value === 'string' ? geoJsonOf(value) : spelled ? unspelled(value) : value;
  if (!isGeoJson(shape)) throw invalidQuery(reason('geometry_expected', { place }));
  return shape;
}

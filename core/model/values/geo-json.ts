/** GeoJSON (RFC 7946): whether a value is a geometry that PostGIS can read. */

type Check = (coordinates: unknown) => boolean;

function isPosition(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < 2 || value.length > 4) return false;
  return value.every((part) => typeof part === 'number' && Number.isFinite(part));
}

function listOf(check: Check, least = 0): Check {
  return (value) => Array.isArray(value) && value.length >= least && value.every(check);
}

function isRing(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < 4 || !value.every(isPosition)) return false;
  return JSON.stringify(value[0]) === JSON.stringify(value.at(-1));
}

const CHECKS: Readonly<Record<string, Check>> = {
  Point: isPosition,
  LineString: listOf(isPosition, 2),
  Polygon: listOf(isRing, 1),
  MultiPoint: listOf(isPosition),
  MultiLineString: listOf(listOf(isPosition, 2)),
  MultiPolygon: listOf(listOf(isRing, 1)),
};

/** The maximum nesting of geometry collections. */
const MAX_DEPTH = 8;

/** Whether a value is a geometry in GeoJSON. */
export function isGeoJson(value: unknown, depth = 0): value is object {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const { type } = value;
  if (type === 'GeometryCollection') {
    const members = 'geometries' in value ? value.geometries : null;
    if (!Array.isArray(members) || depth >= MAX_DEPTH) return false;
    return members.every((member) => isGeoJson(member, depth + 1));
  }
  const check = typeof type === 'string' && Object.hasOwn(CHECKS, type) ? CHECKS[type] : undefined;
  return check !== undefined && 'coordinates' in value && check(value.coordinates);
}

/** The geometry of a text; null for another text. */
export function geoJsonOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return isGeoJson(value) ? value : null;
  } catch {
    return null;
  }
}

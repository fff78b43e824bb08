/** The world that ships with the App: countries of Natural Earth, which are in the public domain. */
import { feature } from 'topojson-client';
import detailed from 'world-atlas/countries-50m.json?url';
import coarse from 'world-atlas/countries-110m.json?url';

type Topology = Parameters<typeof feature>[0];
export type Shapes = ReturnType<typeof feature>;

const ADDRESSES = { coarse, detailed } as const;
/** Degrees between two lines of the grid. */
const GRID = 15;

/** The countries, for the whole world or for a map that is close to them. */
export async function readCountries(detail: keyof typeof ADDRESSES): Promise<Shapes> {
  const answer = await fetch(ADDRESSES[detail]);
  const world: Topology = await answer.json();
  const { countries } = world.objects;
  if (countries === undefined) throw new Error('the world has no countries');
  return feature(world, countries);
}

/** Lines of latitude and longitude. */
export function graticule(): Shapes {
  const lines: [number, number][][] = [];
  for (let longitude = -180; longitude <= 180; longitude += GRID) {
    lines.push([
      [longitude, -85],
      [longitude, 85],
    ]);
  }
  for (let latitude = -75; latitude <= 75; latitude += GRID) {
    lines.push([
      [-180, latitude],
      [180, latitude],
    ]);
  }
  return {
    type: 'Feature',
    properties: {},
    geometry: { type: 'MultiLineString', coordinates: lines },
  };
}

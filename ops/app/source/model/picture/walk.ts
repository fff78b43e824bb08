/** Where an arrow key leads from a card: along its edges, else to the next card that way. */
import type { Picture } from './graph.ts';
import type { Point } from './size.ts';

export const ARROWS = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
} as const;
export type Arrow = keyof typeof ARROWS;

export function isArrow(key: string): key is Arrow {
  return key in ARROWS;
}

/** What lies aside counts more than what lies ahead. */
const ASIDE = 2;

/** The nearest of some places in a direction. */
function nearest(
  from: Point,
  arrow: Arrow,
  places: Iterable<readonly [name: string, place: Point]>,
): string | null {
  const { x, y } = ARROWS[arrow];
  let found: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [name, place] of places) {
    const ahead = (place.x - from.x) * x + (place.y - from.y) * y;
    if (ahead <= 0) continue;
    const aside = Math.abs((place.x - from.x) * y) + Math.abs((place.y - from.y) * x);
    const distance = ahead + ASIDE * aside;
    if (distance >= least) continue;
    least = distance;
    found = name;
  }
  return found;
}

/** The card that an arrow key leads to; null when there is none that way. */
export function stepFrom(
  current: string,
  arrow: Arrow,
  edges: Picture['edges'],
  places: ReadonlyMap<string, Point>,
): string | null {
  const from = places.get(current);
  if (from === undefined) return null;
  const related = new Set(
    edges.flatMap(({ from: { collection: one }, to: { collection: other } }) => {
      if (one === current) return [other];
      return other === current ? [one] : [];
    }),
  );
  const others = [...places].filter(([name]) => name !== current);
  return (
    nearest(
      from,
      arrow,
      others.filter(([name]) => related.has(name)),
    ) ?? nearest(from, arrow, others)
  );
}

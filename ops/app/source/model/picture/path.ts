/** The line of an edge: along the corners that the layout found, or straight between moved cards. */
import type { Point } from './size.ts';

const ROUND = 8;
/** How far an edge leaves a card before it turns. */
const STUB = 22;

function towards(from: Point, to: Point, length: number): Point {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  if (distance === 0) return from;
  const part = Math.min(length, distance / 2) / distance;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

/** A path of SVG through points, with round corners. */
export function roundPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const say = ({ x, y }: Point) => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
  return rest.reduce(
    (path, point, index) => {
      const next = rest[index + 1];
      if (next === undefined) return `${path} L ${say(point)}`;
      const before = rest[index - 1] ?? first;
      const start = towards(point, before, ROUND);
      const end = towards(point, next, ROUND);
      return `${path} L ${say(start)} Q ${say(point)} ${say(end)}`;
    },
    `M ${say(first)}`,
  );
}

/** Corners from the right side of a card to the left side of another one. */
export function plainRoute(from: Point, to: Point): readonly Point[] {
  const out = { x: from.x + STUB, y: from.y };
  const into = { x: to.x - STUB, y: to.y };
  if (into.x >= out.x) {
    const x = (out.x + into.x) / 2;
    return [from, { x, y: from.y }, { x, y: to.y }, to];
  }
  const y = from.y === to.y ? from.y - 60 : (from.y + to.y) / 2;
  return [from, out, { x: out.x, y }, { x: into.x, y }, into, to];
}

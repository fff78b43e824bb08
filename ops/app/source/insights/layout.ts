/** The grid of a dashboard: panels have places in twelve columns, and never stand on each other. */
import type { Panel, Place } from './panel-options.ts';

export const COLUMNS = 12;
const LEAST_WIDTH = 2;
const LEAST_HEIGHT = 2;
const MOST_HEIGHT = 12;

type Placed = Place & Pick<Panel, 'id'>;

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(Math.trunc(value), least), Math.max(most, least));
}

/** The place within the grid that is nearest. */
function within(place: Place): Place {
  const width = clamp(place.width, LEAST_WIDTH, COLUMNS);
  return {
    width,
    height: clamp(place.height, LEAST_HEIGHT, MOST_HEIGHT),
    position_x: clamp(place.position_x, 1, COLUMNS - width + 1),
    position_y: Math.max(1, Math.trunc(place.position_y)),
  };
}

function overlap(one: Place, other: Place): boolean {
  return (
    one.position_x < other.position_x + other.width &&
    other.position_x < one.position_x + one.width &&
    one.position_y < other.position_y + other.height &&
    other.position_y < one.position_y + one.height
  );
}

/** In the order in which one reads: by rows, then by columns. */
export function inOrder<P extends Place>(panels: readonly P[]): readonly P[] {
  return panels.toSorted(
    (one, other) => one.position_y - other.position_y || one.position_x - other.position_x,
  );
}

/** The panels with another place for one of them; those in its way move down. */
export function movePanel<P extends Placed>(
  panels: readonly P[],
  id: string,
  change: Partial<Place>,
): readonly P[] {
  const moved = panels.find((panel) => panel.id === id);
  if (moved === undefined) return panels;
  const settled: P[] = [{ ...moved, ...within({ ...moved, ...change }) }];
  for (const panel of inOrder(panels)) {
    if (panel.id === id) continue;
    let place = { ...panel, ...within(panel) };
    for (;;) {
      const inTheWay = settled.find((other) => overlap(place, other));
      if (inTheWay === undefined) break;
      place = { ...place, position_y: inTheWay.position_y + inTheWay.height };
    }
    settled.push(place);
  }
  const byId = new Map(settled.map((panel) => [panel.id, panel]));
  return panels.map((panel) => byId.get(panel.id) ?? panel);
}

/** The first free place for a new panel, from the top. */
export function freePlace(panels: readonly Place[], width: number, height: number): Place {
  for (let row = 1; ; row += 1) {
    for (let column = 1; column <= COLUMNS - width + 1; column += 1) {
      const place = { position_x: column, position_y: row, width, height };
      if (!panels.some((panel) => overlap(panel, place))) return place;
    }
  }
}

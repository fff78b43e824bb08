/** A screen that was opened, and the list of them. */

export interface Visit {
  /** The path in the App. */
  readonly path: string;
  readonly title: string;
}

/** How many are kept. */
const KEPT = 24;

/** The visits with a new one, which stands in the list once. */
export function withVisit(visits: readonly Visit[], visit: Visit): readonly Visit[] {
  return [visit, ...visits.filter(({ path }) => path !== visit.path)].slice(0, KEPT);
}

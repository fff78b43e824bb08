/** Compares names. */

/** Compares texts by code units, which is the same on each machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Which clauses have met which hidden things, so that no pair can be missing unseen. */
const CLAUSES = [
  ...['fields', 'wildcard', 'function', 'filter', 'sort', 'search', 'aggregate', 'groupBy'],
  ...['deep fields', 'deep filter', 'deep sort', 'deep aggregate', 'deep groupBy'],
  ...['alias', 'meta', 'export', 'by key'],
];
const KINDS = ['collection', 'row', 'field', 'cell', 'concealed'];

/** Pairs that cannot be: what has no name in a clause, or is refused before it is reached. */
const IMPOSSIBLE = new Set([
  ...['search collection', 'aggregate collection', 'groupBy collection'],
  ...['deep aggregate collection', 'deep groupBy collection', 'function collection'],
  ...['deep sort concealed', 'deep aggregate concealed', 'deep groupBy concealed'],
]);

export class AccessCoverage {
  readonly #counts = new Map<string, number>();

  readonly add = (cell: string): void => {
    this.#counts.set(cell, (this.#counts.get(cell) ?? 0) + 1);
  };

  /** The pairs that no question has met. */
  missing(): string[] {
    return CLAUSES.flatMap((clause) => KINDS.map((kind) => `${clause} ${kind}`)).filter(
      (cell) => !IMPOSSIBLE.has(cell) && !this.#counts.has(cell),
    );
  }

  /** The table with its counts, for people. */
  report(): string {
    const line = (head: string, cells: readonly string[]) =>
      `${head.padEnd(16)}${cells.map((cell) => cell.padStart(11)).join('')}`;
    const rows = CLAUSES.map((clause) =>
      line(
        clause,
        KINDS.map((kind) => {
          const cell = `${clause} ${kind}`;
          return String(this.#counts.get(cell) ?? (IMPOSSIBLE.has(cell) ? '-' : 0));
        }),
      ),
    );
    return [line('clause', KINDS), ...rows].join('\n');
  }
}

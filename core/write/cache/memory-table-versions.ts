/** Table versions in memory, for a single process that reads and writes them. */
import type { TableVersions } from './table-versions.ts';

export class MemoryTableVersions implements TableVersions {
  readonly ready = true;
  readonly #versions = new Map<string, number>();
  readonly #writers = new Map<string, Set<string>>();

  async stamp(tables: readonly string[]): Promise<string | null> {
    if (tables.some((table) => this.#writers.has(table))) return null;
    return tables.map((table) => this.#versions.get(table) ?? 0).join(' ');
  }

  async mark(writer: string, tables: readonly string[]): Promise<boolean> {
    for (const table of tables) {
      this.#raise(table);
      const writers = this.#writers.get(table) ?? new Set();
      this.#writers.set(table, writers.add(writer));
    }
    return true;
  }

  async settle(writer: string, tables: readonly string[]): Promise<boolean> {
    for (const table of tables) {
      this.#raise(table);
      const writers = this.#writers.get(table);
      writers?.delete(writer);
      if (writers?.size === 0) this.#writers.delete(table);
    }
    return true;
  }

  close(): void {}

  #raise(table: string): void {
    this.#versions.set(table, (this.#versions.get(table) ?? 0) + 1);
  }
}

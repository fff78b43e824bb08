/** Makes payloads of the rows of a file: cells by the paths of their columns, objects as they are. */
import type { JsonObject } from '#core/json/json-object.ts';
import { MisplacedValue } from '../file/cell-text.ts';
import { writeJson } from '../file/exact-json.ts';
import { type FileColumn, fileColumn } from '../file/file-column.ts';
import { type RowFault, shown, shownName } from '../file/row-fault.ts';
import type { Row } from '../file/row-reader.ts';
import type { Run } from '../import-run.ts';
import { MOST_SECRETS } from '../judge/hash-staged.ts';
import type { NestedRow } from './nested-batch.ts';
import { NestedColumns } from './nested-column.ts';
import { type Payload, Payloads } from './nested-payload.ts';
import { keyValue, NestedValues } from './nested-value.ts';

interface Made {
  /** Null when the row has faults. */
  readonly row: NestedRow | null;
  readonly faults: readonly RowFault[];
}

/** Members that are objects themselves until the row is complete. */
type Tree = Map<string, Tree | { readonly value: unknown }>;

function put(tree: Tree, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    tree.set(name, { value });
    return;
  }
  const found = tree.get(name);
  const inner: Tree = found instanceof Map ? found : new Map();
  tree.set(name, inner);
  put(inner, rest, value);
}

/** Members that are all null are no item, but null themselves. */
function itemOf(tree: Tree): JsonObject {
  const members = [...tree].map(([name, member]) => {
    if (!(member instanceof Map)) return [name, member.value] as const;
    const item = itemOf(member);
    const isNull = Object.values(item).every((value) => value === null);
    return [name, isNull ? null : item] as const;
  });
  return Object.fromEntries(members);
}

export class RowPayloads {
  /** The fields of the collection that rows had. */
  readonly names = new Set<string>();
  readonly #run: Run;
  readonly #columns: readonly FileColumn[];
  readonly #fieldNamed: (member: string) => string | null;
  readonly #payloads: Payloads;
  #secrets = 0;

  /** @param columns of a CSV file */
  constructor(
    run: Run,
    columns: readonly FileColumn[],
    fieldNamed: (member: string) => string | null,
  ) {
    this.#run = run;
    this.#columns = columns;
    this.#fieldNamed = fieldNamed;
    const { parameters } = run.options;
    // Cells were converted by the options before, and JSON in them is plain.
    const isCsv = run.file.format === 'csv';
    const values = new NestedValues(isCsv ? {} : parameters);
    this.#payloads = new Payloads(run.write.target, run.write.collection, values);
  }

  of(row: Row): Made {
    const faults: RowFault[] = [];
    const fail = (fault: Omit<RowFault, 'row'>) => faults.push({ row: row.number, ...fault });
    const item =
      row.members === null ? this.#ofCells(row, fail) : this.#ofMembers(row.members, fail);
    const payload = faults.length > 0 ? null : this.#payload(item, fail);
    if (payload === null || faults.length > 0) return { row: null, faults };
    const { value } = payload;
    const named = new Map([...payload.named, ...this.#match(item)]);
    const length = row.source().length;
    return { row: { number: row.number, value, named, length }, faults };
  }

  #payload(item: JsonObject, fail: (fault: Omit<RowFault, 'row'>) => void): Payload | null {
    this.#requireKey(item, fail);
    try {
      const payload = this.#payloads.of(item);
      this.#secrets += payload.secrets;
      if (payload.secrets > 0 && this.#secrets > MOST_SECRETS) {
        const reason = `A file may bring at most ${MOST_SECRETS} values that are to be hashed.`;
        fail({ field: null, value: null, code: 'INVALID_PAYLOAD', reason });
      }
      return payload;
    } catch (error) {
      if (!(error instanceof MisplacedValue)) throw error;
      const value = shown(writeJson(error.value));
      fail({ field: null, value, code: 'FAILED_VALIDATION', reason: error.message });
      return null;
    }
  }

  /** What the row names by another key than the primary one. */
  #match(item: JsonObject): [string, boolean][] {
    const { key, fixed } = this.#run.target;
    if (fixed.size === 0) return [];
    return [[JSON.stringify(key.map(({ name }) => String(keyValue(item[name])))), true]];
  }

  /** Rows that must find an item need the values of its key. */
  #requireKey(item: JsonObject, fail: (fault: Omit<RowFault, 'row'>) => void): void {
    const { target } = this.#run;
    if (target.mode === 'insert' || (target.mode !== 'update' && target.fixed.size === 0)) return;
    for (const { name } of target.key) {
      if (item[name] !== undefined && item[name] !== null) continue;
      const reason = 'The row has no value for a field by which its item is found.';
      fail({ field: name, value: null, code: 'NOT_NULL_VIOLATION', reason });
    }
  }

  #ofCells(row: Row, fail: (fault: Omit<RowFault, 'row'>) => void): JsonObject {
    const tree: Tree = new Map();
    for (const [place, column] of this.#columns.entries()) {
      const { name, path, masked } = column;
      try {
        const text = row.value(place);
        if (text === undefined || path === null) continue;
        this.names.add(path[0] ?? name);
        put(tree, path, text === null ? null : NestedValues.cell(column, text));
      } catch (error) {
        if (!(error instanceof MisplacedValue)) throw error;
        const value = typeof error.value === 'string' ? error.value : writeJson(error.value);
        const code = 'FAILED_VALIDATION';
        fail({ field: name, value: masked ? null : shown(value), code, reason: error.message });
      }
    }
    return itemOf(tree);
  }

  #ofMembers(
    members: Readonly<Record<string, unknown>>,
    fail: (fault: Omit<RowFault, 'row'>) => void,
  ): JsonObject {
    const tree: Tree = new Map();
    const seen = new Set<string>();
    for (const [member, value] of Object.entries(members)) {
      const name = this.#fieldNamed(member);
      if (name === null) continue;
      const found = this.#memberColumn(name);
      const conflict =
        name.includes('.') || seen.size > 0 ? NestedColumns.conflict(name, seen) : null;
      const twice = seen.has(name) ? `Two members fill the field ${JSON.stringify(name)}.` : null;
      const reason = typeof found === 'string' ? found : (twice ?? conflict);
      seen.add(name);
      if (reason !== null || typeof found === 'string') {
        fail({
          field: shownName(name),
          value: null,
          code: 'INVALID_PAYLOAD',
          reason: reason ?? '',
        });
        continue;
      }
      this.names.add(found[0] ?? name);
      put(tree, found, value);
    }
    return itemOf(tree);
  }

  readonly #paths = new Map<string, readonly string[] | string>();

  /** The path of a member; a sentence that says why it has none. */
  #memberColumn(name: string): readonly string[] | string {
    const known = this.#paths.get(name);
    if (known !== undefined) return known;
    const { related, write, target } = this.#run;
    const own = fileColumn(target.collection, name);
    let found: readonly string[] | string;
    if (typeof own === 'object') found = [name];
    else {
      const column = related.column(name);
      if (typeof column === 'object' && column !== null) found = column.path ?? [name];
      else if (typeof column === 'string') found = column;
      else found = related.isNamed(write.collection, name) ? [name] : own;
    }
    this.#paths.set(name, found);
    return found;
  }
}

/**
 * Converts the rows of a file to payloads: cells by the paths of their columns, objects unchanged.
 */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import { writeExactJson } from '#core/base/json/exact-json.ts';
import type { JsonObject } from '#core/base/json/json-object.ts';
import { MisplacedValue } from '../file/cell-text.ts';
import { type FileColumn, fileColumn, isConstant, isReason } from '../file/file-column.ts';
import { hasCells } from '../file/import-file.ts';
import { NestedColumns } from '../file/nested-column.ts';
import { displayName, displayValue, type RowFault } from '../file/row-fault.ts';
import type { Row } from '../file/row-reader.ts';
import type { ImportRun } from '../run/import-run.ts';
import { type Reference, referenceOf } from '../target/reference.ts';
import { SECRETS_MAX } from '../validate/hash-staged.ts';
import type { NestedRow } from './nested-batch.ts';
import { Payloads, type RowPayload } from './nested-payload.ts';
import { keyValue, NestedValues } from './nested-value.ts';
import {
  type ReadReference,
  type SoughtItems,
  soughtInCell,
  soughtInJson,
} from './sought-items.ts';

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

/** An item whose members are all null becomes null itself. */
function itemOf(tree: Tree): JsonObject {
  const members = [...tree].map(([name, member]) => {
    if (!(member instanceof Map)) return [name, member.value] as const;
    const item = itemOf(member);
    const isNull = Object.values(item).every((value) => value === null);
    return [name, isNull ? null : item] as const;
  });
  return Object.fromEntries(members);
}

/** Why an object cannot contain a member in addition to some names; null when it can. */
function memberFault(name: string, others: ReadonlySet<string>): Reason | null {
  if (others.has(name)) return reason('members_fill_field_twice', { name: JSON.stringify(name) });
  return name.includes('.') || others.size > 0 ? NestedColumns.conflict(name, others) : null;
}

export class RowPayloads {
  /** The fields of the collection that occurred in rows. */
  readonly names = new Set<string>();
  readonly #run: ImportRun;
  readonly #columns: readonly FileColumn[];
  readonly #fieldNamed: (member: string) => string | null;
  readonly #payloads: Payloads;
  readonly #references = new Map<string, Reference | null>();
  #sought: SoughtItems[] = [];
  #secrets = 0;

  /** @param columns the columns of a CSV file */
  constructor(
    run: ImportRun,
    columns: readonly FileColumn[],
    fieldNamed: (member: string) => string | null,
  ) {
    this.#run = run;
    this.#columns = columns;
    this.#fieldNamed = fieldNamed;
    const { parameters } = run.options;
    // Cells are already converted by the options, and JSON in them is plain.
    const isCsv = hasCells(run.file.format);
    const values = new NestedValues(isCsv ? {} : parameters);
    this.#payloads = new Payloads(run.write.target, run.write.collection, values);
  }

  of(row: Row): Made {
    const faults: RowFault[] = [];
    this.#sought = [];
    const fail = (fault: Omit<RowFault, 'row'>) => faults.push({ row: row.number, ...fault });
    const item =
      row.members === null ? this.#ofCells(row, fail) : this.#ofMembers(row.members, fail);
    const payload = faults.length > 0 ? null : this.#payload(item, fail);
    if (payload === null || faults.length > 0) return { row: null, faults };
    const { value } = payload;
    const named = new Map([...payload.named, ...this.#match(item)]);
    const length = row.source().length;
    return { row: { number: row.number, value, sought: this.#sought, named, length }, faults };
  }

  #payload(item: JsonObject, fail: (fault: Omit<RowFault, 'row'>) => void): RowPayload | null {
    this.#requireKey(item, fail);
    try {
      const payload = this.#payloads.of(item);
      this.#secrets += payload.secrets;
      if (payload.secrets > 0 && this.#secrets > SECRETS_MAX) {
        const why = reason('too_many_secrets_in_file', { limit: SECRETS_MAX });
        fail({ field: null, value: null, code: 'INVALID_PAYLOAD', reason: why });
      }
      return payload;
    } catch (error) {
      if (!(error instanceof MisplacedValue)) throw error;
      const value = displayValue(writeExactJson(error.value));
      fail({ field: null, value, code: 'FAILED_VALIDATION', reason: error.reason });
      return null;
    }
  }

  /** The items that the row names by a key other than the primary key. */
  #match(item: JsonObject): [string, boolean][] {
    const { key, fixed } = this.#run.target;
    if (fixed.size === 0) return [];
    return [[JSON.stringify(key.map(({ name }) => String(keyValue(item[name])))), true]];
  }

  /** Rows that must match an item need the values of its key. */
  #requireKey(item: JsonObject, fail: (fault: Omit<RowFault, 'row'>) => void): void {
    const { target } = this.#run;
    if (target.mode === 'insert' || (target.mode !== 'update' && target.fixed.size === 0)) return;
    for (const { name } of target.key) {
      if (item[name] !== undefined && item[name] !== null) continue;
      const why = reason('row_without_match_value');
      fail({ field: name, value: null, code: 'NOT_NULL_VIOLATION', reason: why });
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
        const reference = text === null ? null : this.#reference(path);
        const read = reference && text !== null ? soughtInCell(reference, text) : null;
        if (read !== null) this.#seek(tree, read);
        else put(tree, path, text === null ? null : NestedValues.cell(column, text));
      } catch (error) {
        if (!(error instanceof MisplacedValue)) throw error;
        const value = row.written(place);
        const code = 'FAILED_VALIDATION';
        fail({
          field: name,
          value: masked ? null : displayValue(value),
          code,
          reason: error.reason,
        });
      }
    }
    this.#addConstants(tree);
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
      const own = this.#memberColumn(name);
      const found = isReason(own) ? own : (memberFault(name, seen) ?? own);
      seen.add(name);
      if (isReason(found)) {
        const fault = { field: displayName(name), value: null, code: 'INVALID_PAYLOAD' } as const;
        fail({ ...fault, reason: found });
        continue;
      }
      this.names.add(found[0] ?? name);
      try {
        const reference = this.#reference(found);
        const read = reference === null ? null : soughtInJson(reference, value);
        if (read !== null) this.#seek(tree, read);
        else put(tree, found, value);
      } catch (error) {
        if (!(error instanceof MisplacedValue)) throw error;
        const shown = displayValue(writeExactJson(error.value));
        fail({ field: name, value: shown, code: 'FAILED_VALIDATION', reason: error.reason });
      }
    }
    this.#addConstants(tree);
    return itemOf(tree);
  }

  /** Adds the constants, which the members of an object do not contain. */
  #addConstants(tree: Tree): void {
    for (const [name, value] of Object.entries(this.#run.target.collection.constants ?? {})) {
      this.names.add(name);
      put(tree, [name], value);
    }
  }

  /** Remembers the items to find; only entries that are items themselves are values already. */
  #seek(tree: Tree, { sought, items }: ReadReference): void {
    const { reference, entries } = sought;
    this.#sought.push(sought);
    put(tree, [reference.field], reference.many === null ? entries[0] : items);
  }

  /**
   * How the values of a field find items. A list of keys behind a junction has those of the items
   * that it leads to.
   */
  #reference([name = '', ...rest]: readonly string[]): Reference | null {
    if (rest.length > 0) return null;
    const known = this.#references.get(name);
    if (known !== undefined) return known;
    const { target, options } = this.#run;
    const { references, name: collection } = target.collection;
    const view = { catalog: options.catalog, rights: options.sender.rights };
    const chosen = references?.get(name) ?? referenceOf(view, collection, name, {});
    const isUsed = !isReason(chosen) && (references?.has(name) === true || chosen.many !== null);
    const found = isUsed ? chosen : null;
    this.#references.set(name, found);
    return found;
  }

  readonly #paths = new Map<string, readonly string[] | Reason>();

  /** The path of a member, or the reason for its absence. */
  #memberColumn(name: string): readonly string[] | Reason {
    const known = this.#paths.get(name);
    if (known !== undefined) return known;
    const { related, write, target } = this.#run;
    const own = fileColumn(target.collection, name);
    let found: readonly string[] | Reason;
    if (!isReason(own)) found = [name];
    else if (isConstant(target.collection, name)) found = own;
    else {
      const column = related.column(name);
      if (column === null) found = related.isNamed(write.collection, name) ? [name] : own;
      else found = isReason(column) ? column : (column.path ?? [name]);
    }
    this.#paths.set(name, found);
    return found;
  }
}

/**
 * The visible part of the schema: collections, fields and relations that the caller may read, and
 * the metadata columns that its permissions name.
 */
import type { Caller, Grant } from '#core/access/grants.ts';
import type { Rights } from '#core/access/rights.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { SYSTEM_PREFIX } from '#core/model/system-collections/name.ts';
import { passesFilter } from '#core/read/evaluate/validation.ts';
import type { MetaObject } from '#core/schema/schema-object.ts';

/** The tables that hold the metadata. */
export type MetaTable = 'collections' | 'fields' | 'relations';

function groupOf(collection: Collection): string | null {
  const group = collection.meta?.row.group;
  return typeof group === 'string' ? group : null;
}

/**
 * The columns of a row that the caller may read, from all permissions whose rules match the row.
 */
function columnsOf(grant: Grant, row: MetaObject, caller: Caller): MetaObject | null {
  const cases = grant.filter(({ rule }) => rule === null || passesFilter(rule, row, caller));
  if (cases.length === 0) return null;
  if (cases.some(({ fields }) => fields === null)) return row;
  const shown = Object.entries(row).filter(([name]) => {
    return name === 'system' || cases.some(({ fields }) => fields?.has(name));
  });
  return Object.fromEntries(shown);
}

export class VisibleSchema {
  readonly catalog: Catalog;
  readonly #rights: Rights;
  readonly #caller: Caller;
  #groups: ReadonlySet<string> | null = null;

  constructor(catalog: Catalog, rights: Rights, caller: Caller) {
    this.catalog = catalog;
    this.#rights = rights;
    this.#caller = caller;
  }

  /** @throws ServiceError FORBIDDEN when the caller may not read the metadata itself */
  require(table: MetaTable): void {
    if (this.#rights.admin || this.#grantOf(table) !== null) return;
    throw refusal({ collection: SYSTEM_PREFIX + table });
  }

  /** A collection that the caller may read. @throws ServiceError FORBIDDEN */
  collection(name: string): Collection {
    const found = this.catalog.collections.get(name);
    if (found === undefined || !this.sees(name)) throw refusal({ collection: name });
    return found;
  }

  /** Whether the caller may read a collection. */
  sees(name: string): boolean {
    return this.#rights.admin || this.#rights.reading.of(name) !== null;
  }

  /** Whether the caller may read a field of a collection. */
  seesField(name: string, field: string): boolean {
    if (this.#rights.admin) return true;
    const grant = this.#rights.reading.of(name) ?? [];
    return grant.some(({ fields }) => fields === null || fields.has(field));
  }

  /** Whether the caller may read every field of a collection. */
  seesAllFields(name: string): boolean {
    if (this.#rights.admin) return true;
    return this.#rights.reading.of(name)?.some(({ fields }) => fields === null) ?? false;
  }

  /** Whether a collection is shown: it, or a collection in this folder, may be read. */
  shows(name: string): boolean {
    if (this.sees(name)) return true;
    this.#groups ??= this.#findGroups();
    return this.#groups.has(name);
  }

  /** The part of a row of metadata that the caller may read; null when it may read nothing. */
  meta(table: MetaTable, row: MetaObject | null): MetaObject | null {
    if (row === null || this.#rights.admin) return row;
    const grant = this.#grantOf(table);
    return grant === null ? null : columnsOf(grant, row, this.#caller);
  }

  #grantOf(table: MetaTable): Grant | null {
    return this.#rights.reading.of(SYSTEM_PREFIX + table);
  }

  /** The folders, at any depth, that contain collections which the caller may read. */
  #findGroups(): ReadonlySet<string> {
    const { collections } = this.catalog;
    const groups = new Set<string>();
    for (const collection of collections.values()) {
      if (!this.sees(collection.name)) continue;
      let group = groupOf(collection);
      while (group !== null && !groups.has(group)) {
        groups.add(group);
        const outer = collections.get(group);
        group = outer === undefined ? null : groupOf(outer);
      }
    }
    return groups;
  }
}

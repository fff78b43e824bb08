/**
 * Determines which entities MikroORM must add or remove when the catalog changes: the used ones and
 * those that they refer to.
 */
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { EMPTY_CATALOG } from '#core/model/catalog/load-newer-catalog.ts';
import { buildEntity, type Entity, isEntity, references } from './entity.ts';

interface Entry {
  readonly collection: Collection;
  readonly entity: Entity;
  /** The collections that the entity refers to. */
  readonly targets: readonly string[];
}

/** Entities to add to MikroORM, and entities to remove. */
export interface Replacement {
  readonly added: Entity[];
  readonly removed: Entity[];
}

const NOTHING: Replacement = { added: [], removed: [] };

function targetsOf(catalog: Catalog, collection: Collection): string[] {
  return [...references(catalog, collection).values()].map(({ one }) => one.collection);
}

export class Entities {
  readonly #entries = new Map<string, Entry>();
  readonly #wanted = new Set<string>();
  #catalog = EMPTY_CATALOG;

  /** @throws when the collection has no entity, or its entity was not requested */
  get(collection: string): Entity {
    const entry = this.#entries.get(collection);
    if (entry === undefined) throw new Error(`The collection ${collection} has no entity.`);
    return entry.entity;
  }

  /** Requests the entity of a collection; afterwards all requested entities match `catalog`. */
  request(catalog: Catalog, collection: string): Replacement {
    if (catalog === this.#catalog && this.#wanted.has(collection)) return NOTHING;
    this.#wanted.add(collection);
    this.#catalog = catalog;
    return this.#follow(catalog);
  }

  /** The requested collections, and all that they refer to. */
  #reachable(catalog: Catalog): Map<string, Collection> {
    const found = new Map<string, Collection>();
    const visit = (name: string): void => {
      const collection = catalog.collections.get(name);
      if (found.has(name) || collection === undefined || !isEntity(collection)) return;
      found.set(name, collection);
      targetsOf(catalog, collection).forEach(visit);
    };
    this.#wanted.forEach(visit);
    return found;
  }

  /**
   * Replaces the entities of changed collections, and of those that refer to them, because an
   * entity of MikroORM contains the keys of its references.
   */
  #follow(catalog: Catalog): Replacement {
    const current = this.#reachable(catalog);
    const touched = new Set<string>();
    for (const [name, { collection }] of this.#entries) {
      if (current.get(name) !== collection) touched.add(name);
    }
    const isStale = (name: string) => {
      const entry = this.#entries.get(name);
      if (entry === undefined || touched.has(name)) return true;
      return entry.targets.some((target) => touched.has(target));
    };
    const stale = [...current.values()].filter(({ name }) => isStale(name));
    const gone = [...this.#entries.keys()].filter((name) => !current.has(name));
    const removed = [...gone, ...stale.map(({ name }) => name)].flatMap((name) => {
      const entry = this.#entries.get(name);
      this.#entries.delete(name);
      return entry === undefined ? [] : [entry.entity];
    });
    return { added: stale.map((collection) => this.#add(catalog, collection)), removed };
  }

  #add(catalog: Catalog, collection: Collection): Entity {
    const entity = buildEntity(catalog, collection, (name) => this.get(name));
    const targets = targetsOf(catalog, collection);
    this.#entries.set(collection.name, { collection, entity, targets });
    return entity;
  }
}

/** The entities of the current catalog, and which of them a new catalog replaces. */
import type { Catalog, Collection } from '#core/catalog/catalog.ts';
import { buildEntity, type Entity, isEntity, references } from './entity.ts';

interface Entry {
  readonly collection: Collection;
  readonly entity: Entity;
  /** The collections that the entity refers to. */
  readonly targets: readonly string[];
}

/** What a new catalog means to MikroORM. */
export interface Replacement {
  readonly added: Entity[];
  readonly removed: Entity[];
}

export class Entities {
  readonly #entries = new Map<string, Entry>();

  constructor(catalog: Catalog) {
    this.follow(catalog);
  }

  all(): Entity[] {
    return [...this.#entries.values()].map(({ entity }) => entity);
  }

  /** @throws when the collection has no entity */
  get(collection: string): Entity {
    const entry = this.#entries.get(collection);
    if (entry === undefined) throw new Error(`The collection ${collection} has no entity.`);
    return entry.entity;
  }

  /**
   * Replaces the entities of collections that changed, and of those that refer to them, because
   * MikroORM keeps the key of what is referred to with the one that refers.
   */
  follow(catalog: Catalog): Replacement {
    const current = [...catalog.collections.values()].filter(isEntity);
    const stale = new Set<string>();
    for (const collection of current) {
      if (this.#entries.get(collection.name)?.collection !== collection) stale.add(collection.name);
    }
    const names = new Set(current.map(({ name }) => name));
    const gone = [...this.#entries.keys()].filter((name) => !names.has(name));
    const touched = new Set([...stale, ...gone]);
    for (const [name, { targets }] of this.#entries) {
      if (names.has(name) && targets.some((target) => touched.has(target))) stale.add(name);
    }
    const removed: Entity[] = [];
    for (const name of [...gone, ...stale]) {
      const entry = this.#entries.get(name);
      if (entry !== undefined) removed.push(entry.entity);
      this.#entries.delete(name);
    }
    const added = current
      .filter(({ name }) => stale.has(name))
      .map((collection) => this.#add(catalog, collection));
    return { added, removed };
  }

  #add(catalog: Catalog, collection: Collection): Entity {
    const entity = buildEntity(catalog, collection, (name) => this.get(name));
    const targets = [...references(catalog, collection).values()].map(({ one }) => one.collection);
    this.#entries.set(collection.name, { collection, entity, targets });
    return entity;
  }
}

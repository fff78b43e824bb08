/**
 * What a storm does to a schema: random changes, each possible when it is asked for, and what must
 * hold of every edge from the moment it is answered.
 */
import type { Dice } from '#tests/harness/dice.ts';

/** One change as a request, with what has to be true afterwards. */
export interface Step {
  readonly title: string;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Requests whose status tells whether an edge knows of the change. */
  readonly proofs: readonly { readonly path: string; readonly status: number }[];
}

interface FieldPlan {
  readonly type: string;
  /** The collection that it refers to. */
  target: string | null;
}

type Fields = Map<string, FieldPlan>;

const TYPES = [
  ...(['string', 'text', 'boolean', 'integer', 'bigInteger', 'float', 'decimal', 'date'] as const),
  ...(['dateTime', 'timestamp', 'time', 'json', 'csv', 'uuid'] as const),
] as const;

const VALUES: Readonly<Record<string, readonly [unknown, ...unknown[]]>> = {
  string: ['a', 'b', ''],
  text: ['long', 'text'],
  boolean: [true, false],
  integer: [1, 2, 3],
  bigInteger: ['9007199254740993'],
  float: [0.5, 2],
  decimal: ['1.25'],
  date: ['2024-02-29'],
  dateTime: ['2024-02-29T12:00:00'],
  timestamp: ['2024-02-29T12:00:00Z'],
  time: ['12:00:00'],
  json: [{ a: 1 }, []],
  csv: [['a', 'b']],
  uuid: ['6f1f2b84-2c5c-4a39-9d9e-64f1d1a1c001'],
};

/** Collections that a storm leaves, so that there is always something to change. */
const FEWEST = 3;
const MOST = 8;
const MOST_FIELDS = 12;

export class StormPlan {
  readonly #dice: Dice;
  readonly #collections = new Map<string, Fields>();
  /** Names that there were once, which traffic goes on asking for. */
  readonly #gone: string[] = [];
  #count = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** The next change. Its effects count as done from here on. */
  next(): Step {
    if (this.#collections.size < FEWEST) return this.#createCollection();
    for (;;) {
      const step = this.#attempt();
      if (step !== null) return step;
    }
  }

  /** A request of somebody who knows the schema more or less, as traffic beside the changes. */
  traffic(dice: Dice): { method: string; path: string; body?: unknown } {
    const known = [...this.#collections.keys(), ...this.#gone.slice(-2)];
    const name = known[dice.below(known.length)] ?? 'none';
    const fields = this.#collections.get(name);
    switch (dice.below(6)) {
      case 0:
        return { method: 'GET', path: `/items/${name}?fields=*.*&limit=5` };
      case 1:
        return { method: 'GET', path: `/items/${name}?fields=*&sort=-id&meta=filter_count` };
      case 2: {
        const [field = 'id'] = this.#some(dice, fields);
        return { method: 'GET', path: `/items/${name}?filter[${field}][_nnull]=true&limit=3` };
      }
      case 3:
        return { method: 'PATCH', path: `/items/${name}/1`, body: this.#item(dice, fields) };
      case 4:
        return { method: 'DELETE', path: `/items/${name}/${2 + dice.below(5)}` };
      default:
        return { method: 'POST', path: `/items/${name}`, body: this.#item(dice, fields) };
    }
  }

  #attempt(): Step | null {
    switch (this.#dice.below(12)) {
      case 0:
        return this.#collections.size < MOST ? this.#createCollection() : null;
      case 1:
        return this.#collections.size > FEWEST ? this.#deleteCollection() : null;
      case 2:
      case 3:
        return this.#deleteField();
      case 4:
      case 5:
        return this.#relate();
      case 6:
        return this.#unrelate();
      case 7:
      case 8:
        return this.#patchField();
      case 9:
        return this.#patchCollection();
      default:
        return this.#createField();
    }
  }

  #name(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${this.#count}`;
  }

  #collection(): readonly [string, Fields] {
    const entries = [...this.#collections];
    const entry = entries[this.#dice.below(entries.length)];
    if (entry === undefined) throw new Error('a storm has collections');
    return entry;
  }

  #createCollection(): Step {
    const collection = this.#name('storm');
    const fields: Fields = new Map();
    for (let count = this.#dice.below(3); count > 0; count -= 1) {
      fields.set(this.#name('f'), { type: this.#dice.pick(TYPES), target: null });
    }
    this.#collections.set(collection, fields);
    const list = [...fields].map(([field, { type }]) => ({ field, type, schema: {}, meta: {} }));
    return {
      title: `create ${collection}`,
      method: 'POST',
      path: '/collections',
      body: { collection, schema: {}, meta: {}, fields: list },
      proofs: [{ path: `/items/${collection}?fields=*`, status: 200 }],
    };
  }

  #deleteCollection(): Step {
    const [collection] = this.#collection();
    this.#collections.delete(collection);
    this.#gone.push(collection);
    // What refers to it goes with it.
    for (const fields of this.#collections.values()) {
      for (const [field, { target }] of fields) if (target === collection) fields.delete(field);
    }
    return {
      title: `delete ${collection}`,
      method: 'DELETE',
      path: `/collections/${collection}`,
      proofs: [{ path: `/items/${collection}`, status: 403 }],
    };
  }

  #createField(): Step | null {
    const [collection, fields] = this.#collection();
    if (fields.size >= MOST_FIELDS) return null;
    const field = this.#name('f');
    const type = this.#dice.pick(TYPES);
    fields.set(field, { type, target: null });
    const isIndexed = this.#dice.below(4) === 0 && type !== 'json';
    const schema = isIndexed ? { is_indexed: true } : {};
    const concurrently = isIndexed && this.#dice.below(2) === 0 ? '?concurrentIndexCreation' : '';
    return {
      title: `create ${collection}.${field} (${type})`,
      method: 'POST',
      path: `/fields/${collection}${concurrently}`,
      body: { field, type, schema, meta: {} },
      proofs: [{ path: `/items/${collection}?fields=${field}`, status: 200 }],
    };
  }

  #deleteField(): Step | null {
    const [collection, fields] = this.#collection();
    const [field] = this.#some(this.#dice, fields);
    if (field === undefined) return null;
    fields.delete(field);
    return {
      title: `delete ${collection}.${field}`,
      method: 'DELETE',
      path: `/fields/${collection}/${field}`,
      proofs: [{ path: `/items/${collection}?fields=${field}`, status: 403 }],
    };
  }

  #patchField(): Step | null {
    const [collection, fields] = this.#collection();
    const [field] = this.#some(this.#dice, fields);
    const plan = field === undefined ? undefined : fields.get(field);
    if (field === undefined || plan === undefined) return null;
    const widened = plan.type === 'string' ? 'text' : plan.type === 'integer' ? 'bigInteger' : null;
    const widen = widened !== null && plan.target === null && this.#dice.below(2) === 0;
    if (widen) fields.set(field, { type: widened, target: null });
    return {
      title: `change ${collection}.${field}`,
      method: 'PATCH',
      path: `/fields/${collection}/${field}`,
      body: widen ? { type: widened } : { meta: { note: `note ${this.#count}` } },
      proofs: [{ path: `/items/${collection}?fields=${field}`, status: 200 }],
    };
  }

  #patchCollection(): Step {
    const [collection] = this.#collection();
    return {
      title: `note on ${collection}`,
      method: 'PATCH',
      path: `/collections/${collection}`,
      body: { meta: { note: `note ${this.#count}`, hidden: this.#dice.below(2) === 0 } },
      proofs: [{ path: `/items/${collection}`, status: 200 }],
    };
  }

  /** An integer field that refers to nothing yet becomes a reference. */
  #relate(): Step | null {
    const [collection, fields] = this.#collection();
    const free = [...fields].find(([, { type, target }]) => type === 'reference' && !target);
    if (free === undefined) {
      const field = this.#name('r');
      fields.set(field, { type: 'reference', target: null });
      return {
        title: `create ${collection}.${field} (to refer)`,
        method: 'POST',
        path: `/fields/${collection}`,
        body: { field, type: 'integer', schema: {}, meta: { special: ['m2o'] } },
        proofs: [{ path: `/items/${collection}?fields=${field}`, status: 200 }],
      };
    }
    const [field, plan] = free;
    const [target] = this.#collection();
    plan.target = target;
    return {
      title: `${collection}.${field} refers to ${target}`,
      method: 'POST',
      path: '/relations',
      body: {
        collection,
        field,
        related_collection: target,
        schema: { on_delete: 'SET NULL' },
        meta: {},
      },
      proofs: [{ path: `/items/${collection}?fields=${field}.id`, status: 200 }],
    };
  }

  #unrelate(): Step | null {
    const [collection, fields] = this.#collection();
    const bound = [...fields].find(([, { target }]) => target !== null);
    if (bound === undefined) return null;
    const [field, plan] = bound;
    plan.target = null;
    return {
      title: `${collection}.${field} refers to nothing`,
      method: 'DELETE',
      path: `/relations/${collection}/${field}`,
      proofs: [{ path: `/items/${collection}?fields=${field}.id`, status: 403 }],
    };
  }

  #some(dice: Dice, fields: Fields | undefined): string[] {
    const names = [...(fields?.keys() ?? [])];
    const name = names[dice.below(Math.max(names.length, 1))];
    return name === undefined ? [] : [name];
  }

  #item(dice: Dice, fields: Fields | undefined): Record<string, unknown> {
    const item: Record<string, unknown> = {};
    for (const [name, { type }] of fields ?? []) {
      const values = VALUES[type];
      if (values !== undefined && dice.below(2) === 0) item[name] = dice.pick(values);
    }
    return item;
  }
}

/** Plans the levels of a result: the items of the root, and related items of any depth. */
import type { AnyToOne, ManyToOne, ToMany } from '#core/model/catalog/relation.ts';
import { isAggregateFunction } from '#core/query/aggregate.ts';
import { isFunction } from '#core/query/function-call.ts';
import type { Level, Path } from '#core/query/query.ts';
import { isAggregated, planAggregation } from './aggregate.ts';
import { anyEndIndexed } from './any-to-one.ts';
import type { Condition } from './condition.ts';
import { planFilter } from './filter.ts';
import type { AnyToOneBranch, Entry, LevelPlan } from './plan.ts';
import { enterLevel, guardOf, isVisible, type Scope, visibleField } from './scope.ts';
import { planSearch } from './search.ts';
import { type ListSummary, type Nested, type SelectedEntry, selectionOf } from './select.ts';
import { planSort } from './sort.ts';

/** The prefix of internal aliases, which no request contains. */
const OWN_ALIAS = '\u0001key';

/** The levels of a plan with their notes, until the plan is complete. */
export type Levels = { readonly plan: LevelPlan; readonly scope: Scope }[];

/** The level that `deep` requests for a relation, with its selected fields. */
function levelBelow(scope: Scope, level: Level, key: string, fields: readonly Path[]): Level {
  const deep = level.deep.get(key);
  const all = [...fields, ...(deep?.fields ?? [])];
  const { limitDefault } = scope.context.bounds;
  if (deep !== undefined) return { ...deep, fields: all };
  return {
    fields: all,
    filter: null,
    search: null,
    sort: [],
    limit: limitDefault,
    offset: 0,
    alias: new Map(),
    aggregate: [],
    groupBy: [],
    deep: new Map(),
  };
}

/** The level of a single item, without the order and the limits of a list. */
function singly(level: Level): Level {
  return { ...level, sort: [], limit: null, offset: 0 };
}

/** The requested conditions on the rows of a level: filter and search. */
export function levelConditions(scope: Scope, level: Level): Condition[] {
  return [
    ...(level.filter === null ? [] : [planFilter(scope, level.filter)]),
    ...(level.search === null ? [] : [planSearch(scope, level.search)]),
  ];
}

/** Whether a key is a name from the catalog or the grammar, and not chosen by a client. */
function isOurs({ context, collection }: Scope, key: string): boolean {
  const { fields, name } = collection;
  if (fields.has(key) || isAggregateFunction(key)) return true;
  if (context.catalog.relations.get(name)?.has(key)) return true;
  const end = key.lastIndexOf('_');
  const called = key.slice(end + 1);
  return called !== 'json' && isFunction(called) && fields.has(key.slice(0, end));
}

class LevelPlanner {
  readonly #scope: Scope;
  readonly #level: Level;
  readonly #levels: Levels;

  constructor(scope: Scope, level: Level, levels: Levels) {
    this.#scope = scope;
    this.#level = level;
    this.#levels = levels;
  }

  plan(ordered: boolean): LevelPlan {
    const [scope, level] = [this.#scope, this.#level];
    const conditions = levelConditions(scope, level);
    const content = isAggregated(level) ? planAggregation(scope, level) : this.#items(ordered);
    const keys =
      content.kind === 'items' ? [...content.entries.keys()] : content.groups.map(({ key }) => key);
    const { path, table } = scope;
    const { limit, offset } = level;
    const plan = {
      ...{ path, table, conditions, content, limit, offset, atOnce: false },
      ownNames: keys.every((key) => isOurs(scope, key)),
    };
    this.#levels.push({ plan, scope });
    return plan;
  }

  #items(ordered: boolean) {
    const asked = selectionOf(this.#scope, this.#level);
    const entries = new Map([...asked].map(([key, entry]) => [key, this.#entry(key, entry)]));
    const order = ordered ? planSort(this.#scope, this.#level) : null;
    return { kind: 'items', entries, order } as const;
  }

  #entry(key: string, asked: SelectedEntry): Entry {
    switch (asked.kind) {
      case 'nested':
        return this.#nested(key, asked);
      case 'keys':
        return this.#keys(key, asked.list);
      case 'number':
        return this.#number(key, asked);
      case 'values': {
        const entries = [...asked.entries].map(
          ([inner, entry]) => [inner, this.#entry(inner, entry)] as const,
        );
        return { kind: 'object', entries: new Map(entries) };
      }
      default:
        return asked;
    }
  }

  #nested(key: string, nested: Nested): Entry {
    const { relation, paths } = nested;
    if (relation.kind === 'a2o') return this.#any(relation, nested);
    const below = levelBelow(this.#scope, this.#level, key, paths.get('') ?? []);
    return relation.kind === 'm2o'
      ? this.#one(relation, key, below)
      : this.#list(relation, key, (child) => this.#below(child, below, true));
  }

  #below(scope: Scope, level: Level, ordered: boolean): LevelPlan {
    return new LevelPlanner(scope, level, this.#levels).plan(ordered);
  }

  #one(relation: ManyToOne, key: string, below: Level): Entry {
    const target = enterLevel(this.#scope, relation, relation.one.collection, key);
    const single = { ...singly(below), aggregate: [], groupBy: [] };
    const guard = guardOf(this.#scope, relation.field);
    return { kind: 'one', relation, guard, level: this.#below(target, single, false) };
  }

  /** A list of related items; an empty list where it cannot be read. */
  #list(
    relation: ToMany,
    key: string,
    plan: (child: Scope) => LevelPlan | null,
    keys: readonly string[] = [],
  ): Entry {
    const child = enterLevel(this.#scope, relation, relation.many.collection, key);
    const level = plan(child);
    if (!relation.indexed && level !== null) child.level.scans = true;
    return { kind: 'list', relation, guard: guardOf(this.#scope, relation.field), level, keys };
  }

  /** A to-many relation without selected fields: the keys of its items. */
  #keys(key: string, relation: ToMany): Entry {
    const related = this.#scope.context.catalog.collections.get(relation.many.collection);
    // A client's alias may equal the name of a key; the key is meant here.
    const own = (related?.primaryKey ?? []).map(
      (field, index) => [`${OWN_ALIAS}${index}`, field.name] as const,
    );
    const names = own.map(([name]) => name);
    const plan = (child: Scope) => {
      const hidden = own.some(([, name]) => visibleField(child, name) === null);
      if (own.length === 0 || hidden) return null;
      const level = levelBelow(this.#scope, this.#level, key, []);
      const alias = new Map([...level.alias, ...own]);
      return this.#below(child, { ...level, alias, fields: names.map((name) => [name]) }, true);
    };
    return this.#list(relation, key, plan, names);
  }

  /** The number of items of a list without a usable index. */
  #number(key: string, { list: relation, form }: ListSummary): Entry {
    const child = enterLevel(this.#scope, relation, relation.many.collection, key);
    const guard = guardOf(this.#scope, relation.field);
    const count = { kind: 'count', relation, guard, table: child.table } as const;
    return form === undefined ? count : { ...count, form };
  }

  /**
   * An object from the collection that the row refers to; the bare key when no fields were
   * selected.
   */
  #any(relation: AnyToOne, nested: Nested): Entry {
    const scope = this.#scope;
    const branches = relation.allowed.map((end): AnyToOneBranch => {
      if (!isVisible(scope, end.collection)) return { end, told: 'nothing' };
      const paths = [...(nested.paths.get('') ?? []), ...(nested.paths.get(end.collection) ?? [])];
      const name = `${nested.field}:${end.collection}`;
      const below = levelBelow(scope, this.#level, name, paths);
      if (below.fields.length === 0 && below.constants === undefined) return { end, told: 'key' };
      const target = enterLevel(scope, relation, end.collection, name);
      if (!anyEndIndexed(target.collection, end)) target.level.scans = true;
      return { end, told: this.#below(target, singly(below), false) };
    });
    return { kind: 'any', relation, guard: guardOf(scope, relation.field), branches };
  }
}

/**
 * Plans a level with all levels below it.
 * @param levels receives all of them, lower levels first
 * @param ordered false for a single row
 * @throws ServiceError FORBIDDEN, INVALID_QUERY
 */
export function planLevel(scope: Scope, level: Level, levels: Levels, ordered: boolean): LevelPlan {
  return new LevelPlanner(scope, level, levels).plan(ordered);
}

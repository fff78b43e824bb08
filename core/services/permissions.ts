/** Reports the permissions of a caller: on all collections, and on one item. */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { ACTIONS, type Action, type Permission } from '#core/access/rights.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import type { Reader } from '#core/database/reader.ts';
import { keyOfPath } from '#core/query/key.ts';
import type { Filter } from '#core/query/query.ts';
import { NO_VALUE, resolveVariable } from '#core/read/plan/variable.ts';
import { compileRuleResults } from '#core/read/sql/table-rows.ts';
import { type ContextOptions, ContextSource, type ItemContext } from './request-context.ts';

/** Full: every item; partial: some items, by a rule. */
export type AccessLevel = 'none' | 'partial' | 'full';

/** The caller's access for one action. */
export interface ActionAccess {
  readonly access: AccessLevel;
  /** Only for actions that have fields; `['*']` for all. */
  readonly fields?: readonly string[];
  readonly presets?: Readonly<Record<string, unknown>>;
}

export type CollectionAccess = Readonly<Record<Action, ActionAccess>>;

/** The caller's access for one action, on one item or on the items of a collection. */
export type ItemActionAccess =
  | ActionAccess
  | (Omit<ActionAccess, 'access'> & { readonly access: boolean });

/** The caller's access to an item. */
export interface ItemAccess {
  readonly update: ItemActionAccess;
  readonly delete: ItemActionAccess;
  readonly share: ItemActionAccess;
}

const ALL_FIELDS = ['*'];

const verdicts = v.array(v.boolean());

function hasFields(action: Action): boolean {
  return action !== 'delete' && action !== 'share';
}

function fieldsOf(permissions: readonly Permission[]): readonly string[] {
  const names = new Set<string>();
  for (const { fields } of permissions) {
    if (fields === null) return ALL_FIELDS;
    for (const name of fields) names.add(name);
  }
  return [...names];
}

/** Default values of a payload; later permissions override earlier ones. */
function presetsOf(permissions: readonly Permission[], caller: Caller) {
  const binding = { caller, now: new Date() };
  const entries = permissions.flatMap(({ presets }) => Object.entries(presets));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const resolved = typeof value === 'string' ? resolveVariable(binding, value) : value;
      return [name, resolved === NO_VALUE ? null : resolved];
    }),
  );
}

function described<A extends AccessLevel | boolean>(
  action: Action,
  permissions: readonly Permission[],
  access: A,
  caller: Caller,
): Omit<ActionAccess, 'access'> & { readonly access: A } {
  if (access === 'none' || access === false || !hasFields(action)) return { access };
  const presets = presetsOf(permissions, caller);
  const fields = fieldsOf(permissions);
  return { access, fields, ...(Object.keys(presets).length === 0 ? {} : { presets }) };
}

/** Rules apply to existing items, so they do not restrict creating. */
function accessOf(action: Action, permissions: readonly Permission[]): AccessLevel {
  if (permissions.length === 0) return 'none';
  if (action === 'create') return 'full';
  return permissions.some(({ rule }) => rule === null) ? 'full' : 'partial';
}

export interface PermissionServiceOptions extends ContextOptions {
  readonly reader: Reader;
}

export class PermissionService {
  readonly #options: PermissionServiceOptions;
  readonly #contexts: ContextSource;

  constructor(options: PermissionServiceOptions) {
    this.#options = options;
    this.#contexts = new ContextSource(options);
  }

  /**
   * The caller's permissions by collection; collections without permissions are omitted.
   * @throws ServiceError FORBIDDEN for anonymous callers
   */
  async all(caller: Caller): Promise<Readonly<Record<string, CollectionAccess>>> {
    if (caller.user === null) throw forbidden();
    const { access, catalog } = this.#options;
    const rights = await access.rightsOf(caller);
    const names = [...catalog.current().collections.keys()].filter(
      (name) => rights.admin || rights.collections.has(name),
    );
    const of = (name: string, action: Action): ActionAccess => {
      if (rights.admin) return { access: 'full', fields: ALL_FIELDS };
      const permissions = rights.of(name, action);
      return described(action, permissions, accessOf(action, permissions), caller);
    };
    return Object.fromEntries(
      names.map((name) => [
        name,
        {
          create: of(name, 'create'),
          read: of(name, 'read'),
          update: of(name, 'update'),
          delete: of(name, 'delete'),
          share: of(name, 'share'),
        },
      ]),
    );
  }

  /**
   * The caller's permissions on one item or on that of a singleton (`access` is then a boolean), or
   * on any item.
   * @param segment the key as in the path; null without one
   * @throws ServiceError FORBIDDEN for anonymous callers, and for a malformed key
   */
  item(caller: Caller, collection: string, segment: string | null): Promise<ItemAccess> {
    if (caller.user === null) throw forbidden();
    return this.#contexts.with({ caller, collection }, async (context) => {
      const holds = await this.#judge(context, segment);
      const { rights } = context;
      // For callers without permissions on it, a singleton appears missing.
      const isKnown = rights.admin || rights.collections.has(collection);
      const { singleton = false } = context.catalog.collections.get(collection) ?? {};
      const of = (action: Action): ItemActionAccess => {
        const all = rights.of(collection, action);
        const permissions = all.filter(
          ({ rule }) => rule === null || holds === null || holds(rule),
        );
        // For one item, access is either true or false.
        if (segment !== null) return { access: permissions.length > 0 };
        const isAllowed = permissions.length > 0;
        if (singleton && isKnown) return described(action, permissions, isAllowed, caller);
        const judged = isAllowed ? 'full' : 'none';
        return { access: holds === null ? accessOf(action, permissions) : judged };
      };
      return { update: of('update'), delete: of('delete'), share: of('share') };
    });
  }

  /** Whether a rule matches the item; null without an item. */
  async #judge(
    context: ItemContext,
    segment: string | null,
  ): Promise<((rule: Filter) => boolean) | null> {
    const { rights, collection: name } = context;
    const collection = context.catalog.collections.get(name);
    if (rights.admin) {
      if (collection === undefined) throw forbidden();
      return () => true;
    }
    const rules = ACTIONS.filter((action) => action !== 'create' && action !== 'read')
      .flatMap((action) => rights.of(name, action))
      .flatMap(({ rule }) => rule ?? []);
    if (!collection?.table || rules.length === 0) return () => false;
    if (segment === null && !collection.singleton) return null;
    const key = segment === null ? null : keyOfPath(collection, segment);
    const text = await this.#options.reader.text(
      compileRuleResults(context, key, rules),
      undefined,
      quotaKeyOf(context.caller),
    );
    const found = text === null ? [] : v.parse(verdicts, JSON.parse(text));
    const holding = new Set(rules.filter((_, index) => found[index] === true));
    return (rule) => holding.has(rule);
  }
}

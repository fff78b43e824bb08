/**
 * Where the metadata, permissions and presets store names of fields and collections in documents and
 * texts, and how each place is renamed.
 */
import { type Sql, sql } from '#core/database/sql.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import { systemName } from '#core/model/system-collections/name.ts';
import { hasMembers, renameFilter, renamePath, renameTemplate } from './rename-in-query.ts';
import type { RenamedNames } from './renamed-names.ts';

/** The collection of a stored row, and its field where the row describes one. */
export interface Owner {
  readonly collection: string | null;
  readonly field: string | null;
}

/** Replaces the names in one member of a stored row. */
export type Renaming = (names: RenamedNames, owner: Owner, value: unknown) => unknown;

/** Rows with names in their JSON documents or texts. */
export interface StoredNames {
  readonly table: string;
  readonly key: string;
  readonly keyType: 'integer' | 'text' | 'uuid';
  /** The columns with the collection and the field of a row. */
  readonly owner: { readonly collection: Sql; readonly field: Sql };
  readonly documents: Readonly<Record<string, Renaming>>;
  readonly texts: Readonly<Record<string, (...args: Parameters<Renaming>) => string>>;
}

const rule: Renaming = (names, { collection }, value) => renameFilter(names, collection, value);

/** An object whose members have the names of fields. */
const membersByField: Renaming = (names, { collection }, value) => {
  if (!hasMembers(value) || collection === null) return value;
  const former = new Set(
    names.fields.filter((one) => one.collection === collection).map(({ to }) => to),
  );
  // A value for an earlier field of the new name belongs to no field.
  const members = Object.entries(value).filter(([name]) => !former.has(name));
  return Object.fromEntries(
    members.map(([name, member]) => [
      names.field(collection, name),
      renameFilter(names, null, member),
    ]),
  );
};

function renamePaths(names: RenamedNames, collection: string | null, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => renamePaths(names, collection, one));
  if (typeof value !== 'string') return value;
  const paths = value.split(',').map((path) => renamePath(names, collection, path));
  return paths.join(',');
}

/** The query of a list: `fields`, `sort` and `filter` for each layout. */
const listQuery: Renaming = (names, owner, value) => {
  if (!hasMembers(value)) return value;
  const { collection } = owner;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (name === 'fields' || name === 'sort') {
      return [name, renamePaths(names, collection, member)];
    }
    if (name === 'filter') return [name, renameFilter(names, collection, member)];
    return [name, listQuery(names, owner, member)];
  });
  return Object.fromEntries(members);
};

/** Members of the options of a layout whose text is the path of a field. */
const PATH_OPTION = /Field$|^imageSource$/;

/** Members of the options of a layout that have the paths of fields as names. */
const BY_PATH: ReadonlySet<string> = new Set(['widths', 'summaries']);

/** An option of a layout: members by path, templates, or the path of a field. */
function layoutOption(names: RenamedNames, owner: Owner, name: string, member: unknown): unknown {
  const { collection } = owner;
  if (BY_PATH.has(name) && hasMembers(member)) {
    const renamed = Object.entries(member).map(([path, one]): [string, unknown] => [
      renamePath(names, collection, path),
      one,
    ]);
    return Object.fromEntries(renamed);
  }
  if (typeof member !== 'string') return layoutOptions(names, owner, member);
  return PATH_OPTION.test(name)
    ? renamePath(names, collection, member)
    : renameTemplate(names, collection, member);
}

/** The options of a layout: widths by path, templates, and the fields of calendars and cards. */
const layoutOptions: Renaming = (names, owner, value) => {
  if (!hasMembers(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    layoutOption(names, owner, name, member),
  ]);
  return Object.fromEntries(members);
};

/** The options of a panel: its collection, the filter of its items, fields and templates. */
const panelOptions: Renaming = (names, owner, value) => {
  if (!hasMembers(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (name === 'filter') return [name, renameFilter(names, owner.collection, member)];
    return name === 'collection' && typeof member === 'string'
      ? [name, names.collection(member)]
      : [name, layoutOption(names, owner, name, member)];
  });
  return Object.fromEntries(members);
};

/** The collections in which the template and the filter of a field's options are looked up. */
function optionTargets(names: RenamedNames, owner: Owner, relation: Relation | undefined) {
  if (relation === undefined) return { template: owner.collection, filter: owner.collection };
  if (relation.kind === 'a2o') return { template: null, filter: null };
  if (relation.kind === 'm2o') {
    return { template: relation.one.collection, filter: relation.one.collection };
  }
  const { collection } = relation.many;
  const onward =
    relation.junctionField === null
      ? undefined
      : names.catalog.relations.get(collection)?.get(relation.junctionField);
  return {
    template: collection,
    filter: onward?.kind === 'm2o' ? onward.one.collection : collection,
  };
}

const fieldOptions: Renaming = (names, owner, value) => {
  if (!hasMembers(value)) return value;
  const relation = names.catalog.relations.get(owner.collection ?? '')?.get(owner.field ?? '');
  const targets = optionTargets(names, owner, relation);
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (name === 'template' && typeof member === 'string') {
      return [name, renameTemplate(names, targets.template, member)];
    }
    if (name === 'filter') return [name, renameFilter(names, targets.filter, member)];
    return relation !== undefined && (name === 'fields' || name === 'sort')
      ? [name, renamePaths(names, targets.template, member)]
      : [name, member];
  });
  return Object.fromEntries(members);
};

/** The conditions of a field: each has a `rule` on the item. */
const conditions: Renaming = (names, owner, value) => {
  if (!Array.isArray(value)) return value;
  return value.map((condition) =>
    hasMembers(condition) && 'rule' in condition
      ? { ...condition, rule: rule(names, owner, condition.rule) }
      : condition,
  );
};

/** The names of fields in the mapping of a profile: of a field, or of one with a reference. */
const profileMapping: Renaming = (names, { collection }, value) => {
  if (!hasMembers(value) || collection === null) return value;
  const renamed = (target: unknown): unknown => {
    if (typeof target === 'string') return renamePath(names, collection, target);
    if (!hasMembers(target) || typeof target.field !== 'string') return target;
    const relation = names.catalog.relations.get(collection)?.get(target.field);
    const other = relation?.kind === 'm2o' ? relation.one.collection : null;
    const by = typeof target.by === 'string' ? { by: renamePath(names, other, target.by) } : {};
    return { ...target, field: renamePath(names, collection, target.field), ...by };
  };
  const members = Object.entries(value).map(([header, target]) => [header, renamed(target)]);
  return Object.fromEntries(members);
};

/** The options of a profile that name fields. */
const profileOptions: Renaming = (names, owner, value) => {
  if (!hasMembers(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (name === 'match') return [name, renamePaths(names, owner.collection, member)];
    return name === 'constants' || name === 'formats'
      ? [name, membersByField(names, owner, member)]
      : [name, member];
  });
  return Object.fromEntries(members);
};

export const STORED_NAMES: readonly StoredNames[] = [
  {
    table: 'permissions',
    key: 'id',
    keyType: 'integer',
    owner: { collection: sql`collection`, field: sql`NULL` },
    documents: { permissions: rule, validation: rule, presets: membersByField },
    texts: {
      fields: (names, { collection }, list) =>
        String(list)
          .split(',')
          .map((name) => (collection === null ? name : renamedListEntry(names, collection, name)))
          .join(','),
    },
  },
  {
    table: 'presets',
    key: 'id',
    keyType: 'integer',
    owner: { collection: sql`collection`, field: sql`NULL` },
    documents: { filter: rule, layout_query: listQuery, layout_options: layoutOptions },
    texts: {},
  },
  {
    table: 'panels',
    key: 'id',
    keyType: 'uuid',
    owner: { collection: sql`options ->> 'collection'`, field: sql`NULL` },
    documents: { options: panelOptions },
    texts: {},
  },
  {
    table: 'import_profiles',
    key: 'id',
    keyType: 'uuid',
    owner: { collection: sql`collection`, field: sql`NULL` },
    documents: { mapping: profileMapping, options: profileOptions },
    texts: {},
  },
  {
    table: 'fields',
    key: 'id',
    keyType: 'integer',
    owner: { collection: sql`collection`, field: sql`field` },
    documents: {
      options: fieldOptions,
      display_options: fieldOptions,
      conditions,
      validation: rule,
    },
    texts: {},
  },
  {
    table: 'collections',
    key: 'collection',
    keyType: 'text',
    owner: { collection: sql`collection`, field: sql`NULL` },
    documents: {
      item_duplication_fields: (names, { collection }, value) =>
        renamePaths(names, collection, value),
    },
    texts: {
      display_template: (names, { collection }, template) =>
        renameTemplate(names, collection, String(template)),
    },
  },
  {
    table: 'settings',
    key: 'id',
    keyType: 'integer',
    owner: { collection: sql`${systemName('users')}`, field: sql`NULL` },
    documents: { public_registration_email_filter: rule },
    texts: {},
  },
];

/** An entry of a list of fields; spaces around the name stay. */
function renamedListEntry(names: RenamedNames, collection: string, entry: string): string {
  const name = entry.trim();
  return entry.replace(name, () => names.field(collection, name));
}

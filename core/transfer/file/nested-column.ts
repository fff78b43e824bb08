/**
 * The columns of a file that lead to related items: `author.name`, or a list of comments. Names
 * without permission for the sender appear unknown.
 */

import type { Rights } from '#core/access/rights.ts';
import { knownRelation } from '#core/access/schema-visibility.ts';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { type Catalog, type Collection, isColumn } from '#core/model/catalog/catalog.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import { type FileColumn, fileColumn, isReason } from './file-column.ts';
import { displayName } from './row-fault.ts';

/** The field at the end of a path. */
interface Member {
  readonly relation: Relation | undefined;
  readonly collection: Collection;
}

function quoted(name: string): string {
  return JSON.stringify(displayName(name));
}

/** The column of a field that is a relation, whose cells hold keys or JSON. */
function relationColumn(name: string, { primaryKey }: Collection): FileColumn | null {
  const [field] = primaryKey;
  if (field === undefined) return null;
  const plain = { masked: false, check: null, isUsual: null, links: 'one' } as const;
  return { name, field, cell: 0, form: 'json', path: [name], ...plain };
}

function linksOf(relation: Relation | undefined): FileColumn['links'] {
  if (relation === undefined) return null;
  return relation.kind === 'a2o' ? 'any' : 'one';
}

/** The column as one whose values become members of a payload: they keep their own form. */
export function asMember(column: FileColumn, path: readonly string[]): FileColumn {
  const form = column.field.column.elementType === null ? column.form : 'json';
  return { ...column, form, path, check: null };
}

/** A row has related items, so that the file is written with them. */
export class NestedItem extends Error {}

export class NestedColumns {
  readonly #catalog: Catalog;
  readonly #rights: Rights;
  readonly #collection: string;
  readonly #known = new Map<string, FileColumn | Reason | null>();

  constructor(catalog: Catalog, rights: Rights, collection: string) {
    this.#catalog = catalog;
    this.#rights = rights;
    this.#collection = collection;
  }

  /** Why a column cannot exist in addition to other names; null when it can. */
  static conflict(name: string, others: ReadonlySet<string>): Reason | null {
    const other = [...others].find(
      (one) => one.startsWith(`${name}.`) || name.startsWith(`${one}.`),
    );
    if (other === undefined) return null;
    return reason('header_fills_field_twice', { other: quoted(other), name: quoted(name) });
  }

  /** Whether the sender may write a field of a collection at all. */
  mayWrite(collection: Collection, field: string): boolean {
    if (this.#rights.admin) return true;
    const { name } = collection;
    const permissions = [...this.#rights.of(name, 'create'), ...this.#rights.of(name, 'update')];
    if (permissions.length === 0) return false;
    if (collection.primaryKey.some((key) => key.name === field)) return true;
    return permissions.some(({ fields }) => fields === null || fields.has(field));
  }

  /** Whether a name is a field with a column that the sender may write. */
  isNamed(collection: Collection, name: string): boolean {
    return isColumn(collection.fields.get(name)) && this.mayWrite(collection, name);
  }

  /**
   * The column of a name that is a relation, or a path through to-one relations.
   * @returns the reason for its absence; null when the name is not a relation
   */
  column(name: string): FileColumn | Reason | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#find(name);
    this.#known.set(name, found);
    return found;
  }

  #find(name: string): FileColumn | Reason | null {
    const root = this.#catalog.collections.get(this.#collection);
    if (root === undefined) return null;
    const own = this.#member(root, name);
    if (own?.relation !== undefined) return this.#relation(name, root, own.relation);
    const path = name.split('.');
    const [first = '', ...rest] = path;
    if (rest.length === 0) return own === null ? null : this.#plain(name, root);
    const start = this.#member(root, first);
    if (start === null) return null;
    return this.#follow(name, path, start);
  }

  /** A field that the sender may write. */
  #member(collection: Collection, name: string): Member | null {
    const relation = knownRelation(this.#catalog, this.#rights, collection.name, name);
    if (relation === undefined && !collection.fields.has(name)) return null;
    return this.mayWrite(collection, name) ? { relation, collection } : null;
  }

  /**
   * A column that files of plain rows may not have, since they do not check the items that it
   * refers to.
   */
  #plain(name: string, root: Collection): FileColumn | null {
    const column = fileColumn(root, name);
    return isReason(column) ? null : asMember(column, [name]);
  }

  #relation(name: string, root: Collection, relation: Relation): FileColumn | null {
    if (isColumn(root.fields.get(name))) {
      const column = fileColumn(root, name);
      if (isReason(column)) return null;
      return asMember({ ...column, links: linksOf(relation) }, [name]);
    }
    if (relation.kind === 'a2o') return null;
    return relationColumn(name, root);
  }

  /** Resolves a path through to-one relations. */
  #follow(name: string, path: readonly string[], start: Member): FileColumn | Reason {
    let member = start;
    for (const [place, segment] of path.slice(1).entries()) {
      const before = path.slice(0, place + 1).join('.');
      if (segment === '') return reason('path_with_empty_member', { name: quoted(name) });
      const { relation } = member;
      if (relation === undefined) {
        return reason('path_through_no_relation', { name: quoted(name), before: quoted(before) });
      }
      if (relation.kind === 'a2o') {
        return reason('path_through_any_collection', {
          name: quoted(name),
          before: quoted(before),
        });
      }
      if (relation.kind !== 'm2o') {
        return reason('path_through_many_items', { name: quoted(name), before: quoted(before) });
      }
      const next = this.#catalog.collections.get(relation.one.collection);
      const found = next === undefined ? null : this.#member(next, segment);
      if (found === null) {
        return reason('path_field_unknown', { before: quoted(before), segment: quoted(segment) });
      }
      member = found;
    }
    return this.#leaf(name, path, member);
  }

  #leaf(
    name: string,
    path: readonly string[],
    { collection, relation }: Member,
  ): FileColumn | Reason {
    const last = path.at(-1) ?? '';
    const field = collection.fields.get(last);
    if (!isColumn(field)) {
      const column = relation === undefined ? null : relationColumn(name, collection);
      return column === null
        ? reason('import_field_without_column', { field: quoted(name) })
        : { ...column, path };
    }
    const column = fileColumn(collection, last);
    if (isReason(column)) return column;
    return asMember({ ...column, name, links: linksOf(relation) }, path);
  }
}

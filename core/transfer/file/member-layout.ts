/**
 * Where the members of flat objects belong. Most objects of a file have the same names in the same
 * order, so the names are looked up once and compared as bytes afterwards.
 */
import type { FlatObject } from './flat-object.ts';

/** The members of all objects with the same names in the same order. */
export interface MemberLayout {
  readonly names: readonly Buffer[];
  /** The member of each column; -1 for a column without one. */
  readonly members: Int32Array;
  /** Fields that no column is for. */
  readonly unknown: readonly string[];
  /** Names and indexes of the members that are omitted. */
  readonly ignored: readonly (readonly [string, number])[];
  /** Whether two members have one name or one field: then only a parser reads the object. */
  readonly isAmbiguous: boolean;
}

/** The bounds of remembered layouts: their number, and the characters of their names. */
const LAYOUTS_MAX = 64;
const CHARACTERS_MAX = 256 * 1024;

/** Finds the layouts of objects. */
export class MemberLayouts {
  readonly #fieldNamed: (member: string) => string | null;
  readonly #places: ReadonlyMap<string, number>;
  readonly #known = new Map<string, MemberLayout>();
  #characters = 0;
  #last: MemberLayout | null = null;

  /**
   * @param fieldNamed the field of a member; null for a member that is omitted
   * @param places the columns by field
   */
  constructor(fieldNamed: (member: string) => string | null, places: ReadonlyMap<string, number>) {
    this.#fieldNamed = fieldNamed;
    this.#places = places;
  }

  of(object: FlatObject): MemberLayout {
    if (this.#last === null || !hasNames(object, this.#last.names)) this.#last = this.#find(object);
    return this.#last;
  }

  #find(object: FlatObject): MemberLayout {
    const names = Array.from({ length: object.count }, (_, member) => object.name(member));
    const key = JSON.stringify(names);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const layout = this.#layout(names);
    this.#characters += key.length;
    if (this.#known.size >= LAYOUTS_MAX || this.#characters > CHARACTERS_MAX) {
      this.#known.clear();
      this.#characters = key.length;
    }
    this.#known.set(key, layout);
    return layout;
  }

  #layout(names: readonly string[]): MemberLayout {
    const members = new Int32Array(this.#places.size).fill(-1);
    const unknown: string[] = [];
    const ignored: (readonly [string, number])[] = [];
    let isAmbiguous = new Set(names).size < names.length;
    for (const [member, written] of names.entries()) {
      const name = this.#fieldNamed(written);
      const place = name === null ? undefined : this.#places.get(name);
      if (name === null) ignored.push([written, member]);
      else if (place === undefined) unknown.push(name);
      else if ((members[place] ?? -1) >= 0) isAmbiguous = true;
      else members[place] = member;
    }
    const bytes = names.map((name) => Buffer.from(name));
    return { names: bytes, members, unknown, ignored, isAmbiguous };
  }
}

function hasNames(
  { bytes, count, nameStarts, nameEnds }: FlatObject,
  names: readonly Buffer[],
): boolean {
  if (count !== names.length) return false;
  for (let member = 0; member < count; member += 1) {
    const start = nameStarts[member] ?? 0;
    const name = names[member];
    if (name === undefined || (nameEnds[member] ?? 0) - start !== name.length) return false;
    for (let at = 0; at < name.length; at += 1) {
      if (bytes[start + at] !== name[at]) return false;
    }
  }
  return true;
}

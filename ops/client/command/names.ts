/** Names and comments in TypeScript. */

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** A text as a literal. */
export function literal(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

/** The name of a member, in quotes where it must be. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) ? name : literal(name);
}

/** The words of a name, each with a capital: `order_items` is `OrderItems`. */
function pascal(name: string): string {
  const words = name.split(/[^\p{ID_Continue}]+|_+/u).filter((word) => word !== '');
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return IDENTIFIER.test(joined) ? joined : `_${joined}`;
}

/** Names that the file itself uses, and those of every program. */
const RESERVED = [
  ...['Schema', 'SystemSchema', 'Collection', 'Singleton', 'View', 'Column', 'ToOne', 'ToMany'],
  ...['ToAny', 'Json', 'Geometry', 'Point', 'LineString', 'Polygon', 'MultiPoint', 'Bytes'],
  ...['MultiLineString', 'MultiPolygon', 'Concealed', 'String', 'Number', 'Boolean', 'Object'],
  ...['Array', 'Function', 'Symbol', 'Date', 'Error', 'Record', 'Promise', 'Map', 'Set'],
];

/** Gives each type a name of its own. */
export class TypeNames {
  readonly #taken = new Set(RESERVED);

  /** A name after another one; with a number where that is taken. */
  of(name: string): string {
    const wanted = pascal(name);
    let found = wanted;
    for (let number = 2; this.#taken.has(found); number += 1) found = `${wanted}${number}`;
    this.#taken.add(found);
    return found;
  }
}

/** A comment of documentation; nothing when there is nothing to say. */
export function comment(texts: readonly (string | null)[], indent = ''): string[] {
  const lines = [...new Set(texts)]
    .flatMap((text) => text?.split(/\r?\n|\r|\u2028|\u2029/) ?? [])
    .map((line) => line.replaceAll('*/', '*\\/').trim())
    .filter((line) => line !== '');
  const [only] = lines;
  if (only === undefined) return [];
  if (lines.length === 1) return [`${indent}/** ${only} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`];
}

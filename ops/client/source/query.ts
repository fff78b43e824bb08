/** Writes queries as parameters of a URL, or as the body of SEARCH. */

/** A query of which the compiler knows no fields; see the types for those that it knows. */
export interface LooseQuery {
  readonly fields?: readonly LooseField[] | undefined;
  readonly filter?: object | undefined;
  readonly search?: string | undefined;
  readonly sort?: string | readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
  readonly deep?: object | undefined;
  readonly alias?: object | undefined;
  readonly backlink?: boolean | undefined;
  readonly aggregate?: object | undefined;
  readonly groupBy?: readonly string[] | undefined;
  readonly meta?: string | readonly string[] | undefined;
}

/** A path, or relations with what is read of their items; scopes of many-to-any are objects in them. */
export type LooseField = string | { readonly [relation: string]: NestedFields };
type NestedFields =
  | readonly LooseField[]
  | { readonly [collection: string]: readonly LooseField[] };

function isList(value: NestedFields): value is readonly LooseField[] {
  return Array.isArray(value);
}

/** The paths of nested fields: `{ author: ['name'] }` is `author.name`. */
function fieldPaths(fields: readonly LooseField[]): string[] {
  const below = (place: string, inner: readonly LooseField[]) =>
    fieldPaths(inner).map((path) => `${place}.${path}`);
  return fields.flatMap((field) => {
    if (typeof field === 'string') return [field];
    return Object.entries(field).flatMap(([relation, inner]) =>
      isList(inner)
        ? below(relation, inner)
        : Object.entries(inner).flatMap(([scope, list]) => below(`${relation}:${scope}`, list)),
    );
  });
}

/** Texts that mean something else in a URL than in the body of SEARCH. */
const SPELLINGS = /"(?:null|true|false|undefined)"/i;

/** A query as the members that the API knows; what is undefined is left out. */
export function membersOf({ fields, ...others }: LooseQuery): Record<string, unknown> {
  const members: Record<string, unknown> = { ...others };
  if (fields) members.fields = fieldPaths(fields);
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) delete members[name];
  }
  return members;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Parameters of a URL: lists with commas, objects as JSON. */
export function parametersOf(members: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && value !== null) parameters.set(name, textOf(value));
  }
  return parameters.toString();
}

/** Whether a query can stand in a URL without a change of its meaning. */
export function fitsUrl(members: Readonly<Record<string, unknown>>): boolean {
  return !SPELLINGS.test(JSON.stringify([members.filter, members.deep]) ?? '');
}

/** Where the changes of one meet those of somebody else who saved first. */
import type { Item } from '../data/schema-types.ts';
import { sameValue } from '../data/values.ts';

export interface Conflict {
  readonly field: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** The fields that both have changed, to different values. */
export function conflictsOf(base: Item, mine: Item, theirs: Item): readonly Conflict[] {
  return Object.keys(mine)
    .filter((field) => field in theirs)
    .filter((field) => !sameValue(base[field], theirs[field]))
    .filter((field) => !sameValue(mine[field], theirs[field]))
    .map((field) => ({
      field,
      base: base[field],
      mine: mine[field],
      theirs: theirs[field],
    }));
}

/** The fields that only the other has changed. */
export function changedByOther(base: Item, mine: Item, theirs: Item): readonly string[] {
  return Object.keys(theirs).filter(
    (field) => !(field in mine) && !sameValue(base[field], theirs[field]),
  );
}

/** The changes to send: what of mine is kept, against what is stored now. */
export function resolved(mine: Item, theirs: Item, takesTheirs: ReadonlySet<string>): Item {
  return Object.fromEntries(
    Object.entries(mine).filter(
      ([field, value]) =>
        !takesTheirs.has(field) && !(field in theirs && sameValue(value, theirs[field])),
    ),
  );
}

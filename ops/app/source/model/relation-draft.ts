/** A relation while it is made: its kind, its two ends, and what stands between them. */
import { nameFault } from './name.ts';

export const KINDS = ['m2o', 'o2m', 'm2m', 'm2a', 'file', 'files', 'translations'] as const;
export type NewKind = (typeof KINDS)[number];

export interface RelationDraft {
  readonly kind: NewKind;
  /** The field here; null as long as nobody has typed another one than is proposed. */
  readonly field: string | null;
  readonly related: string;
  /** The collections of many-to-any. */
  readonly allowed: readonly string[];
  /** The field at the other end: of one-to-many that which refers, else a list or none. */
  readonly reverse: string | null;
  readonly junction: string | null;
  /** The fields of the junction: to here, and onward. */
  readonly near: string | null;
  readonly far: string | null;
  readonly sorted: boolean;
  readonly onDelete: string | null;
  readonly onDeselect: string | null;
  readonly image: boolean;
  /** The texts that are translated. */
  readonly texts: readonly string[];
}

export const NEW_RELATION: RelationDraft = {
  kind: 'm2o',
  field: null,
  related: '',
  allowed: [],
  reverse: null,
  junction: null,
  near: null,
  far: null,
  sorted: false,
  onDelete: null,
  onDeselect: null,
  image: false,
  texts: [],
};

const FILES = 'system_files';
/** The collection of languages that is made when there is none. */
export const LANGUAGES = 'languages';

/** A draft with everything that nobody has typed proposed. */
export interface CompleteRelation extends RelationDraft {
  readonly collection: string;
  readonly field: string;
  readonly reverse: string;
  readonly junction: string;
  readonly near: string;
  readonly far: string;
  readonly onDelete: string;
  readonly onDeselect: string;
}

export function hasJunction(kind: NewKind): boolean {
  return kind === 'm2m' || kind === 'm2a' || kind === 'files' || kind === 'translations';
}

function bare(collection: string): string {
  return collection.replace(/^system_/, '');
}

function relatedOf({ kind, related }: RelationDraft): string {
  if (kind === 'file' || kind === 'files') return FILES;
  return kind === 'm2a' ? '' : related;
}

function fieldOf(kind: NewKind, related: string): string {
  if (kind === 'file' || kind === 'files' || kind === 'translations') return kind;
  return kind === 'm2a' ? 'items' : bare(related);
}

function farOf(kind: NewKind, collection: string, related: string): string {
  if (kind === 'm2a') return 'item';
  if (related === collection) return `related_${bare(related)}_id`;
  return kind === 'translations' ? `${bare(related)}_code` : `${bare(related)}_id`;
}

export function complete(collection: string, draft: RelationDraft): CompleteRelation {
  const { kind } = draft;
  const related = relatedOf(draft);
  const field = draft.field ?? fieldOf(kind, related);
  const junctionOf = kind === 'm2m' ? bare(related) : field;
  return {
    ...draft,
    collection,
    related,
    field,
    reverse: draft.reverse ?? (kind === 'o2m' ? bare(collection) : ''),
    junction: draft.junction ?? `${bare(collection)}_${junctionOf}`,
    near: draft.near ?? `${bare(collection)}_id`,
    far: draft.far ?? farOf(kind, collection, related),
    onDelete: draft.onDelete ?? (hasJunction(kind) ? 'CASCADE' : 'SET NULL'),
    onDeselect: draft.onDeselect ?? (hasJunction(kind) ? 'delete' : 'nullify'),
  };
}

/** What is known about the names that are taken. */
export interface Taken {
  readonly collections: ReadonlySet<string>;
  readonly own: ReadonlySet<string>;
  readonly related: ReadonlySet<string>;
}

/** Keys of what is wrong, by the member; empty when nothing is. */
export function relationFaults(
  relation: CompleteRelation,
  { collections, own, related }: Taken,
): Readonly<Record<string, string>> {
  const { kind } = relation;
  const nobody = new Set<string>();
  const junction = hasJunction(kind);
  const mayLack = kind !== 'o2m' && relation.reverse === '';
  const other = relation.related === relation.collection ? own : related;
  const found: readonly (readonly [string, string | null])[] = [
    ['field', nameFault(relation.field, own)],
    ['related', kind !== 'm2a' && relation.related === '' ? 'model.fault.noCollection' : null],
    [
      'allowed',
      kind === 'm2a' && relation.allowed.length === 0 ? 'model.fault.noCollection' : null,
    ],
    ['reverse', mayLack ? null : nameFault(relation.reverse, other)],
    ['junction', junction ? nameFault(relation.junction, collections) : null],
    ['near', junction ? nameFault(relation.near, nobody) : null],
    ['far', junction ? nameFault(relation.far, new Set([relation.near])) : null],
  ];
  return Object.fromEntries(
    found.flatMap(([name, fault]) => (fault === null ? [] : [[name, fault]])),
  );
}

/**
 * The form of an entry in the registry of system collections. Names of collections stand without
 * their prefix. The tables themselves are made by the migrations; a test compares both.
 */

/** A column's type as SQL writes it. */
export type ColumnType =
  | 'uuid'
  | 'text'
  | 'json'
  | 'jsonb'
  | 'boolean'
  | 'integer'
  | 'bigint'
  | 'double precision'
  | 'timestamptz'
  | `varchar(${number})`;

/** Where a column leads. */
export interface Reference {
  readonly collection: string;
  /** What happens to the row when the one it refers to goes; null without a foreign key. */
  readonly onDelete: 'NO ACTION' | 'CASCADE' | 'SET NULL' | null;
  /** Fields of the other collection that lead back; none where there is no such field. */
  readonly back?: readonly Back[];
}

/** A field that leads back over a reference: to the rows, or to what a junction leads on to. */
export interface Back {
  readonly field: string;
  /** The field of the junction that leads on. */
  readonly junction?: string;
  /** The field of the junction that orders. */
  readonly sort?: string;
}

/** A field of a system collection. */
export interface SystemField {
  /** Null for a field without a column. */
  readonly type: ColumnType | null;
  /** NOT NULL. */
  readonly required?: true;
  /** As SQL writes it; `identity` and `identity always` number the rows. */
  readonly default?: string;
  /** Special flags, with commas. */
  readonly special?: string;
  /** Reads tell no more than whether there is a value. */
  readonly secret?: true;
  /** Requests may give it a value, where rights allow it; all others are the server's own. */
  readonly writable?: true;
  readonly references?: Reference;
}

/** What a policy with app access may do with a collection beside its permissions. */
export interface AppRight {
  readonly action: 'create' | 'read' | 'update' | 'delete';
  readonly permissions?: object;
  readonly validation?: object;
  /** All when it is left out. */
  readonly fields?: readonly string[];
}

/**
 * How requests reach a collection at the route of its name: `all` ways of reading and writing items,
 * `read` only, or as the `single` item that it is.
 */
export type Service = 'all' | 'read' | 'single';

/** The rules that guard a collection beside permissions, each in `core/services/system`. */
export type RuleName = 'comment' | 'permission' | 'policy' | 'preset' | 'role' | 'setting' | 'user';

export interface SystemCollection {
  /** Null: no request reaches it as items. */
  readonly service: Service | null;
  /** Activities and revisions are kept of its items. */
  readonly audited: boolean;
  /** A write may change who may do what, so that its answer waits until every edge knows. */
  readonly decidesRights?: true;
  /** It says who administers; only administrators change that. */
  readonly decidesAdministrators?: true;
  /** An installation may add fields of its own. */
  readonly extensible?: true;
  readonly rule?: RuleName;
  /** What app access grants; nothing when it is left out. */
  readonly app?: readonly AppRight[];
  readonly fields: Readonly<Record<string, SystemField>>;
}

/** Entries by name, without the prefix. */
export type Entries = Readonly<Record<string, SystemCollection>>;

/** A key that is generated, or chosen in the payload. */
export const UUID_KEY = {
  type: 'uuid',
  required: true,
  default: 'gen_random_uuid()',
  special: 'uuid',
  writable: true,
} as const satisfies SystemField;

/** A condition: the field holds the key of the user who asks. */
export function own(field: string): object {
  return { [field]: { _eq: '$CURRENT_USER' } };
}

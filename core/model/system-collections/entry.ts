/**
 * The form of an entry in the registry of system collections. Names of collections have no prefix.
 * Migrations create the tables; a test compares both.
 */

/** A column's type in SQL. */
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

/** The target of a reference. */
export interface Reference {
  readonly collection: string;
  /** The effect on the row when the referenced one is deleted; null without a foreign key. */
  readonly onDelete: 'NO ACTION' | 'CASCADE' | 'SET NULL' | null;
  /** The reverse fields in the other collection; absent without such a field. */
  readonly back?: readonly Back[];
}

/** A reverse field: to the rows, or through a junction to other items. */
export interface Back {
  readonly field: string;
  /** The field of the junction that leads to the other items. */
  readonly junction?: string;
  /** The field of the junction that sorts. */
  readonly sort?: string;
}

/** A field of a system collection. */
export interface SystemField {
  /** Null for a field without a column. */
  readonly type: ColumnType | null;
  /** NOT NULL. */
  readonly required?: true;
  /** In SQL; `identity` and `identity always` number the rows. */
  readonly default?: string;
  /** Flags, separated by commas. */
  readonly special?: string;
  /** Reads only show whether there is a value. */
  readonly secret?: true;
  /** Requests may write it if permissions allow; only the server writes other fields. */
  readonly writable?: true;
  readonly references?: Reference;
}

/** The permissions that app access adds on a collection. */
export interface AppRight {
  readonly action: 'create' | 'read' | 'update' | 'delete';
  readonly permissions?: object;
  readonly validation?: object;
  /** All by default. */
  readonly fields?: readonly string[];
}

/**
 * How the route of the collection works: `all` ways of reading and writing items, `read` only,
 * `single` for a singleton, or `own` with a separate route file.
 */
export type Service = 'all' | 'read' | 'single' | 'own';

/** The rules of a collection besides permissions, each in `core/services/system`. */
export type RuleName =
  | 'comment'
  | 'file'
  | 'folder'
  | 'import-profile'
  | 'permission'
  | 'policy'
  | 'preset'
  | 'role'
  | 'setting'
  | 'user';

export interface SystemCollection {
  /** Null: it has no route. */
  readonly service: Service | null;
  /** Its items have activities and revisions. */
  readonly audited: boolean;
  /** A write may change permissions, so its answer waits until every edge has applied it. */
  readonly decidesRights?: true;
  /** It determines the administrators; only administrators may write it. */
  readonly decidesAdministrators?: true;
  /** An installation may add its own fields. */
  readonly extensible?: true;
  readonly rule?: RuleName;
  /** The permissions of app access; none by default. */
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

/** A rule: the field contains the key of the caller's user. */
export function own(field: string): object {
  return { [field]: { _eq: '$CURRENT_USER' } };
}

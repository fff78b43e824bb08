/** The shapes in which the API tells collections, fields, relations and rights. */

export interface Translation {
  readonly language: string;
  readonly translation?: string;
  readonly singular?: string;
  readonly plural?: string;
}

export interface CollectionMeta {
  readonly collection: string;
  readonly icon: string | null;
  readonly note: string | null;
  readonly display_template: string | null;
  readonly hidden: boolean;
  readonly singleton: boolean;
  readonly translations: readonly Translation[] | null;
  readonly archive_field: string | null;
  readonly archive_app_filter: boolean;
  readonly archive_value: string | null;
  readonly unarchive_value: string | null;
  readonly sort_field: string | null;
  readonly accountability: string | null;
  readonly color: string | null;
  readonly item_duplication_fields: readonly string[] | null;
  readonly sort: number | null;
  readonly group: string | null;
  readonly collapse: string;
  readonly preview_url: string | null;
  readonly system?: boolean;
}

/** A collection; without `schema` it is a folder, which has no items. */
export interface Collection {
  readonly collection: string;
  readonly meta: CollectionMeta | null;
  readonly schema: {
    readonly name: string;
    readonly comment?: string | null;
    /** Absent for tables. */
    readonly type?: 'view';
    /** Of a key of several fields: their names in its order. */
    readonly primary_key?: readonly string[];
  } | null;
}

export interface Condition {
  readonly name?: string;
  readonly rule?: Filter;
  readonly readonly?: boolean;
  readonly hidden?: boolean;
  readonly required?: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface FieldMeta {
  readonly id: number;
  readonly special: string | null;
  readonly interface: string | null;
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly display: string | null;
  readonly display_options: string | null;
  readonly readonly: boolean;
  readonly hidden: boolean;
  readonly required: boolean | null;
  readonly searchable: boolean;
  readonly sort: number | null;
  readonly width: string | null;
  readonly group: string | null;
  readonly translations: readonly Translation[] | null;
  readonly note: string | null;
  readonly conditions: readonly Condition[] | null;
  readonly validation: Filter | null;
  readonly validation_message: string | null;
  readonly icon?: string | null;
  readonly system?: boolean;
}

export interface FieldSchema {
  readonly name: string;
  readonly table: string;
  readonly data_type: string;
  readonly default_value: unknown;
  readonly max_length: number | null;
  readonly numeric_precision: number | null;
  readonly numeric_scale: number | null;
  readonly is_nullable: boolean;
  readonly is_unique: boolean;
  readonly is_indexed: boolean;
  /** Of an index of the column alone; missing without one. */
  readonly index_state?: 'building' | 'ready' | 'invalid';
  readonly is_primary_key: boolean;
  readonly is_generated?: boolean;
  readonly has_auto_increment: boolean;
  readonly foreign_key_table: string | null;
  readonly foreign_key_column: string | null;
  readonly comment: string | null;
  /** The values of an enumeration. */
  readonly enum_values?: readonly string[] | null;
}

export interface Field {
  readonly collection: string;
  readonly field: string;
  readonly type: string;
  readonly schema: FieldSchema | null;
  readonly meta: FieldMeta | null;
}

export interface RelationMeta {
  readonly many_collection: string;
  readonly many_field: string;
  readonly one_collection: string | null;
  readonly one_field: string | null;
  readonly one_collection_field: string | null;
  readonly one_allowed_collections: readonly string[] | null;
  readonly junction_field: string | null;
  readonly sort_field: string | null;
  readonly one_deselect_action: string;
}

/** A relation, told from its many side. */
export interface Relation {
  readonly collection: string;
  readonly field: string;
  readonly related_collection: string | null;
  readonly schema: { readonly on_delete: string } | null;
  readonly meta: RelationMeta | null;
  /** The list on the other side; null where there is none, or the caller may not read it. */
  readonly reverse?: RelationReverse | null;
}

/** The field that lists the items of a relation on its other side. */
export interface RelationReverse {
  readonly field: string;
  /** The field that leads on, where the items are rows of a junction. */
  readonly junction_field: string | null;
  readonly deselect_action: 'nullify' | 'delete';
}

export type Action = 'create' | 'read' | 'update' | 'delete';

export interface Right {
  readonly access: 'none' | 'partial' | 'full';
  readonly fields?: readonly string[];
  readonly presets?: Readonly<Record<string, unknown>>;
}

/** What the caller may do, by collection and action. */
export type Rights = Readonly<Record<string, Readonly<Partial<Record<Action, Right>>>>>;

/** A filter in the notation of the API. */
export interface Filter {
  readonly [member: string]: unknown;
}

/** An item: its fields by their names. */
export type Item = Readonly<Record<string, unknown>>;

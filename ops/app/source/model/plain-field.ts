/** A field that stands in no table, so that the interfaces of forms can edit something else. */
import type { Field, FieldMeta, FieldSchema, Item } from '../data/schema-types.ts';

const META: FieldMeta = {
  id: 0,
  special: null,
  interface: null,
  options: null,
  display: null,
  display_options: null,
  readonly: false,
  hidden: false,
  required: null,
  searchable: false,
  sort: null,
  width: 'full',
  group: null,
  translations: null,
  note: null,
  conditions: null,
  validation: null,
  validation_message: null,
};

interface Described {
  readonly name: string;
  readonly type?: string;
  readonly interface?: string;
  readonly options?: Item;
  readonly schema?: FieldSchema | null;
}

export function plainField(spec: Described, note: string | null): Field {
  return {
    collection: '',
    field: spec.name,
    type: spec.type ?? 'string',
    schema: spec.schema ?? null,
    meta: { ...META, interface: spec.interface ?? null, options: spec.options ?? null, note },
  };
}

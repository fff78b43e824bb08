/**
 * The metadata of collections, fields and relations in requests: their members, the valid values,
 * and the stored form. Missing members stay unchanged.
 */
import * as v from 'valibot';
import type { Reason } from '#core/base/errors/reason.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import { variableFault } from '#core/read/evaluate/unknown-variable.ts';
import { filterFault } from '#core/read/evaluate/validation-fault.ts';

/** Columns of `varchar(64)`, which contain names. */
const name = v.optional(v.nullable(v.pipe(v.string(), v.maxLength(64))));
const shortText = v.optional(v.nullable(v.pipe(v.string(), v.maxLength(255))));
const text = v.optional(v.nullable(v.string()));
const flag = v.optional(v.boolean());
const position = v.optional(v.nullable(v.pipe(v.number(), v.safeInteger())));
/** Any JSON value; null is SQL NULL. */
const json = v.optional(v.unknown());

function ruleFault(value: unknown, place: string): Reason | null {
  return filterFault(value, place) ?? variableFault(value, place);
}

/** A filter; null without one. */
const rule = v.optional(
  v.pipe(
    v.unknown(),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed || dataset.value === null) return;
      const fault = ruleFault(dataset.value, 'meta.validation');
      if (fault !== null) addIssue({ message: fault.sentence });
    }),
  ),
);

/** Conditions of a field in the Admin App, each with a filter. */
const conditions = v.optional(
  v.pipe(
    v.unknown(),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed || !Array.isArray(dataset.value)) return;
      for (const [index, entry] of dataset.value.entries()) {
        const isRule = v.is(v.object({ rule: v.unknown() }), entry);
        if (!isRule || entry.rule === null) continue;
        const fault = ruleFault(entry.rule, `meta.conditions[${index}].rule`);
        if (fault !== null) addIssue({ message: fault.sentence });
      }
    }),
  ),
);

/**
 * A comma-separated list, given as text or as a list of entries without commas; null when empty.
 */
function commaList(longest: number) {
  const entry = v.pipe(v.string(), v.excludes(','));
  return v.pipe(
    v.nullable(v.union([v.string(), v.array(entry)])),
    v.transform((value) => (typeof value === 'string' ? value.split(',') : (value ?? []))),
    v.transform((entries) => entries.map((one) => one.trim()).filter((one) => one !== '')),
    v.transform((entries) => (entries.length === 0 ? null : entries.join(','))),
    v.nullable(v.pipe(v.string(), v.maxLength(longest))),
  );
}

/**
 * The flags of a field. `encrypt` is not supported: values would be lost with the key, and a flag
 * without effect would be misleading.
 */
const flags = v.pipe(
  commaList(64),
  v.check(
    (list) => list === null || !list.toLowerCase().split(',').includes('encrypt'),
    'The flag encrypt does not exist: with a lost key the data would be lost. ' +
      'Encrypt values before they are sent, or let the database do it.',
  ),
);

/** An object that is not a list, which valibot would accept. */
const members = v.custom<JsonObject>(isJsonObject);

/** Members that a schema accepts but omits from its output. */
const passedOver = new Set<string>();

/**
 * Whether a member of metadata or of a schema is accepted but omitted from the output.
 * @param place its path, such as `fields.schema.table`
 */
export function isIgnoredMember(place: string): boolean {
  const [owner, name = ''] = place.split('.').slice(-2);
  return (owner === 'schema' || owner === 'meta') && passedOver.has(name);
}

/**
 * An object with these members; other members are ignored. Members in `passed` are also valid: they
 * appear in responses, and clients may send them back. Members in `renamed` have another name in
 * existing clients.
 */
export function knownMembers<Entries extends v.ObjectEntries>(
  entries: Entries,
  passed: readonly string[],
  renamed: Readonly<Record<string, string>> = {},
) {
  for (const name of [...passed, ...Object.keys(renamed)]) passedOver.add(name);
  const known = v.object(entries);
  return v.pipe(
    members,
    // Descriptions of the API show these members.
    v.metadata({ members: known }),
    v.transform((given) => {
      const kept = Object.entries(given).filter(([key]) => !passed.includes(key));
      // A member under its own name takes precedence.
      const named = kept.map(([key, value]) => [renamed[key] ?? key, value] as const);
      const own = kept.filter(([key]) => !Object.hasOwn(renamed, key));
      return Object.fromEntries([...named, ...own]);
    }),
    known,
  );
}

/** A row of `system_collections`, without its name. */
export const collectionMetaInput = knownMembers(
  {
    icon: name,
    note: text,
    display_template: shortText,
    hidden: flag,
    singleton: flag,
    translations: json,
    archive_field: name,
    archive_app_filter: flag,
    archive_value: shortText,
    unarchive_value: shortText,
    sort_field: name,
    accountability: v.optional(v.nullable(v.picklist(['all', 'activity']))),
    color: shortText,
    item_duplication_fields: json,
    sort: position,
    group: name,
    collapse: v.optional(v.picklist(['open', 'closed', 'locked'])),
    preview_url: shortText,
    versioning: flag,
    status: v.optional(v.pipe(v.string(), v.maxLength(255))),
    autosave_revision_interval: v.optional(v.nullable(v.number())),
  },
  ['collection', 'system'],
);
export type CollectionMetaInput = v.InferOutput<typeof collectionMetaInput>;

const WIDTHS = ['half', 'half-left', 'half-right', 'half-space', 'full', 'fill'] as const;

/** A row of `system_fields`, without its key. */
export const fieldMetaInput = knownMembers(
  {
    special: v.optional(flags),
    interface: name,
    options: json,
    display: name,
    display_options: json,
    icon: name,
    readonly: flag,
    hidden: flag,
    required: v.optional(v.nullable(v.boolean())),
    searchable: flag,
    sort: position,
    width: v.optional(v.nullable(v.picklist(WIDTHS))),
    group: name,
    translations: json,
    note: text,
    conditions,
    validation: rule,
    validation_message: text,
  },
  ['id', 'collection', 'field', 'system'],
);
export type FieldMetaInput = v.InferOutput<typeof fieldMetaInput>;

/** A row of `system_relations`, without the properties of the relation itself. */
export const relationMetaInput = knownMembers(
  {
    one_field: name,
    one_collection_field: name,
    one_allowed_collections: v.optional(commaList(1_000_000)),
    junction_field: name,
    sort_field: name,
    one_deselect_action: v.optional(v.picklist(['nullify', 'delete'])),
  },
  ['id', 'many_collection', 'many_field', 'one_collection', 'system'],
);
export type RelationMetaInput = v.InferOutput<typeof relationMetaInput>;

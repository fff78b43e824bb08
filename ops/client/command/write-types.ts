/** Writes the types of a schema, in an order that depends on nothing but the schema. */
import {
  type Description,
  type Members,
  type ShownCollection,
  type ShownField,
  textOf,
  textsOf,
} from './description.ts';
import { comment, literal, memberName, TypeNames } from './names.ts';
import { findRelations, type Relation, type Relations } from './relations.ts';
import { flagsOf, isConcealed, valueType } from './value-type.ts';

export interface WriteOptions {
  /** The module that the types are written with. */
  readonly module: string;
  /** The name of the type of the whole schema. */
  readonly name: string;
}

const GENERATED = ['uuid', 'date-created', 'user-created', 'role-created'];

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What stands for one collection in the file. */
interface Table extends ShownCollection {
  /** The name of its type. */
  readonly type: string;
  readonly fields: readonly ShownField[];
}

class Writer {
  readonly #description: Description;
  readonly #relations: Relations;
  readonly #names = new TypeNames();
  readonly #tables: ReadonlyMap<string, Table>;
  /** The names of enumerations, by their types in the database and their values. */
  readonly #enumerations = new Map<string, { readonly name: string; readonly union: string }>();

  /** The values of enumerations, by their types in the database. */
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(description: Description) {
    this.#description = description;
    this.#values = new Map(
      description.fields.flatMap(({ schema }) => {
        const values = textsOf(schema?.enum_values);
        const dataType = textOf(schema?.data_type);
        return dataType === null || values.length === 0 ? [] : [[dataType, values] as const];
      }),
    );
    this.#relations = findRelations(description);
    const byCollection = new Map<string, ShownField[]>();
    for (const field of description.fields) {
      const list = byCollection.get(field.collection) ?? [];
      byCollection.set(field.collection, [...list, field]);
    }
    const shown = [...description.collections]
      .filter(({ collection, schema }) => schema !== null && byCollection.has(collection))
      .sort((a, b) => compare(a.collection, b.collection));
    this.#tables = new Map(
      shown.map((one) => {
        const fields = byCollection.get(one.collection) ?? [];
        return [one.collection, { ...one, type: this.#names.of(one.collection), fields }];
      }),
    );
  }

  text({ module, name }: WriteOptions): string {
    const tables = [...this.#tables.values()].map((table) => this.#table(table));
    const enumerations = [...this.#enumerations.values()]
      .sort((a, b) => compare(a.name, b.name))
      .map((one) => `export type ${one.name} = ${one.union};`);
    const schema = this.#schema(name);
    const body = [...enumerations, ...tables, schema].join('\n\n');
    return `${this.#head(module, name, body)}\n\n${body}\n`;
  }

  /** Imports of the names that the text contains. */
  #head(module: string, name: string, body: string): string {
    const used = [
      ...['Bytes', 'Collection', 'Column', 'Concealed', 'Geometry', 'Json', 'LineString'],
      ...['MultiLineString', 'MultiPoint', 'MultiPolygon', 'Point', 'Polygon', 'Singleton'],
      ...['SystemSchema', 'ToAny', 'ToMany', 'ToOne', 'View'],
    ].filter(
      (one) => one !== name && new RegExp(`(?<![\\w$.'])${one}(?![\\w$'])`).test(stripped(body)),
    );
    const list = used.map((one) => `  ${one},\n`).join('');
    return [
      '/** Types of the schema of Sluice. Made by a command; changes are lost. */',
      `import type {\n${list}} from ${literal(module)};`,
    ].join('\n');
  }

  #table({ collection, meta, schema, fields, type }: Table): string {
    const notes = comment([textOf(meta?.note), textOf(schema?.comment)]);
    const related = this.#relations.get(collection) ?? new Map<string, Relation>();
    const own = new Set(fields.map(({ field }) => field));
    const further = [...related].filter(([field]) => {
      return !own.has(field) && this.#mayRead(collection, field);
    });
    const lines = [
      ...fields.flatMap((field) => this.#field(field, related.get(field.field))),
      ...further
        .sort(([a], [b]) => compare(a, b))
        .flatMap(([field, relation]) => this.#unlisted(collection, field, relation)),
    ];
    return [...notes, `export interface ${type} {`, ...lines, '}'].join('\n');
  }

  /** A field that the collection shows; none for what stands only on screens. */
  #field(field: ShownField, relation: Relation | undefined): string[] {
    const { meta, schema } = field;
    const written = schema === null ? aliasType(relation) : this.#column(field, schema, relation);
    if (written === null) return [];
    const notes = comment([textOf(meta?.note), textOf(schema?.comment)], '  ');
    return [...notes, `  ${memberName(field.field)}: ${written};`];
  }

  #column(field: ShownField, schema: Members, relation: Relation | undefined): string {
    const { field: type, value, isNullable } = valueType(field, this.#enumeration(field));
    const by = this.#discriminated(field);
    const isOpen = schema.is_nullable !== false || isNullable;
    const read = `${by ?? value}${isOpen && value !== 'Json' ? ' | null' : ''}`;
    const concealed = isConcealed(field) ? ['concealed'] : [];
    const readsNull = isNullable || value === 'Json';
    const flags = [...this.#writing(field, schema, readsNull), ...concealed];
    // What is concealed leads nowhere.
    if (concealed.length === 0 && relation?.kind === 'one') {
      const missing = this.#mayMiss(relation) ? ['partial'] : [];
      const parts = [literal(relation.to), literal(type), read];
      return marker('ToOne', parts, [...flags, ...missing]);
    }
    if (concealed.length === 0 && relation?.kind === 'any') {
      const to = relation.to.map(literal).join(' | ');
      return marker('ToAny', [to, literal(relation.by), read], flags);
    }
    return marker('Column', [literal(type), read], flags);
  }

  /** What is said of writing a column: who gives it, and whether it must be given. */
  #writing({ collection, field, meta }: ShownField, schema: Members, readsNull: boolean): string[] {
    const isKept = meta?.system === true && meta.readonly === true;
    if (schema.is_generated === true || isKept) return ['readonly'];
    const isGiven =
      schema.has_auto_increment === true ||
      (schema.default_value ?? null) !== null ||
      flagsOf(meta).some((flag) => GENERATED.includes(flag)) ||
      this.#description.rights?.get(collection)?.presets.includes(field) === true;
    if (isGiven) return ['default'];
    const isRequired = schema.is_nullable === false && readsNull;
    return isRequired ? ['required'] : [];
  }

  /** The collections that a column names for a many-to-any beside it; null for other columns. */
  #discriminated({ collection, field }: ShownField): string | null {
    for (const relation of this.#relations.get(collection)?.values() ?? []) {
      if (relation.kind === 'any' && relation.by === field) {
        return relation.to.map(literal).join(' | ');
      }
    }
    return null;
  }

  /** The name of the enumeration of a column, or of the entries of its array. */
  #enumeration({ schema }: ShownField): string | null {
    const dataType = textOf(schema?.data_type)?.replace(/\[\]$/, '') ?? null;
    const values = dataType === null ? [] : (this.#values.get(dataType) ?? []);
    if (values.length === 0 || dataType === null) return null;
    const union = values.map(literal).join(' | ');
    const key = `${dataType}\n${union}`;
    const found = this.#enumerations.get(key) ?? { name: this.#names.of(bare(dataType)), union };
    this.#enumerations.set(key, found);
    return found.name;
  }

  /** Whether a relation that is no field may be followed; names of hidden fields are not known here. */
  #mayRead(collection: string, field: string): boolean {
    const { rights } = this.#description;
    const fields = rights?.get(collection)?.fields ?? [];
    return rights === null || fields.includes('*') || fields.includes(field);
  }

  /** Whether the item that a key names may not be there for the token. */
  #mayMiss({ to, isLoose }: Extract<Relation, { kind: 'one' }>): boolean {
    const { rights } = this.#description;
    return isLoose || (rights !== null && rights.get(to)?.readsAll !== true);
  }

  /** Relations that are no field of their collection: they are read when they are asked for. */
  #unlisted(collection: string, field: string, relation: Relation): string[] {
    if (relation.kind === 'any') return [];
    const name = memberName(field);
    if (relation.kind === 'many') {
      const parts = [literal(relation.to), literal(relation.by)];
      return [`  ${name}: ${marker('ToMany', parts, ['unlisted'])};`];
    }
    const fields = this.#tables.get(collection)?.fields ?? [];
    const columns = relation.columns.flatMap((column) => {
      return fields.find((own) => own.field === column) ?? [];
    });
    const isOpen = columns.some(({ schema }) => schema?.is_nullable !== false);
    const values = columns.map((column) => {
      const { value } = valueType(column, this.#enumeration(column));
      return column.schema?.is_nullable === false || value === 'Json' ? value : `${value} | null`;
    });
    const read = `readonly [${values.join(', ')}]${isOpen ? ' | null' : ''}`;
    const missing = this.#mayMiss(relation) ? ['partial'] : [];
    const parts = [literal(relation.to), literal('unknown'), read];
    return [`  ${name}: ${marker('ToOne', parts, ['readonly', 'unlisted', ...missing])};`];
  }

  #schema(name: string): string {
    const { hasSystem } = this.#description;
    const lines = [...this.#tables.values()].map((table) => {
      return `  ${memberName(table.collection)}: ${collectionType(table)};`;
    });
    const base = hasSystem ? '' : ' extends SystemSchema';
    return [`export interface ${name}${base} {`, ...lines, '}'].join('\n');
  }
}

/** A text without comments, so that only names in the code count. */
function stripped(text: string): string {
  return text.replace(/\/\*\*[\s\S]*?\*\//g, '');
}

/** The name of a type without its schema and its quotes. */
function bare(dataType: string): string {
  return dataType.replace(/^(?:"(?:[^"]|"")*"|[^."]*)\./, '').replaceAll('"', '');
}

function marker(name: string, parts: readonly string[], flags: readonly string[]): string {
  const all = flags.length === 0 ? parts : [...parts, flags.map(literal).join(' | ')];
  return `${name}<${all.join(', ')}>`;
}

function aliasType(relation: Relation | undefined): string | null {
  if (relation?.kind !== 'many') return null;
  return marker('ToMany', [literal(relation.to), literal(relation.by)], []);
}

/** The fields of a key, in its order. */
function keyOf({ schema, fields }: Table): readonly string[] {
  // Of several fields; empty when the token does not see all of them.
  if (Array.isArray(schema?.primary_key)) return textsOf(schema.primary_key);
  return fields.flatMap((field) => (field.schema?.is_primary_key === true ? [field.field] : []));
}

function collectionType(table: Table): string {
  const key = keyOf(table);
  const [only] = key;
  const isSingleton = table.meta?.singleton === true;
  const own =
    key.length === 1 && only !== undefined
      ? literal(only)
      : `readonly [${key.map(literal).join(', ')}]`;
  if (isSingleton)
    return key.length === 0 ? `Singleton<${table.type}>` : `Singleton<${table.type}, ${own}>`;
  return key.length === 0 ? `View<${table.type}>` : `Collection<${table.type}, ${own}>`;
}

/** The file with the types of a schema. */
export function writeTypes(description: Description, options: WriteOptions): string {
  return new Writer(description).text(options);
}

/**
 * The columns of a Parquet file. The library would turn numbers and moments into lossy values, so
 * it reads a schema without logical types, and the values are converted here.
 */

import type { FileMetaData, SchemaElement, SchemaTree } from 'hyparquet';
import { parquetSchema } from 'hyparquet';
import { isListLike, isMapLike } from 'hyparquet/src/schema.js';
import type { CellKind } from '../table/cell-frames.ts';
import { JSON_TEXT } from '../table/cell-frames.ts';
import type { DeclaredType } from '../table/table-file.ts';
import { type CellContent, leafJson, parquetType } from './parquet-value.ts';

/** A column at the top of the schema. */
export interface ParquetColumn {
  readonly name: string;
  readonly declared: DeclaredType;
  readonly kind: CellKind;
  readonly content: (value: unknown) => CellContent;
  /** Without logical types, for the library. */
  readonly plain: SchemaTree;
  /** The root of that schema. */
  readonly root: SchemaTree;
  /** The paths of its leaves in the schema; more than one, or a nested one, in a document. */
  readonly leaves: readonly (readonly string[])[];
  readonly isFlat: boolean;
}

function isText({ converted_type: old, logical_type: logical }: SchemaElement): boolean {
  const type = logical?.type ?? old;
  return type === 'STRING' || type === 'UTF8' || type === 'ENUM' || type === 'JSON';
}

/** Leaves without logical types; texts inside of documents are decoded, since keys may be texts. */
function plainElement(element: SchemaElement, isNested: boolean): SchemaElement {
  if (element.type === undefined) return element;
  const { converted_type: _, logical_type: __, ...plain } = element;
  return isNested && isText(element) ? { ...plain, converted_type: 'UTF8' } : plain;
}

type Json = (value: unknown) => string;

function orNull(json: Json): Json {
  return (value) => (value === null || value === undefined ? 'null' : json(value));
}

function listJson(json: Json): Json {
  return (value) => `[${(Array.isArray(value) ? value : []).map(orNull(json)).join(',')}]`;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function objectJson(members: (name: string) => Json): Json {
  return (value) => {
    const pairs = entriesOf(value).map(
      ([name, member]) => `${JSON.stringify(name)}:${orNull(members(name))(member)}`,
    );
    return `{${pairs.join(',')}}`;
  };
}

/** A value of a type that the library decodes. */
function decodedJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'bigint' ? String(member) : member,
    ) ?? 'null'
  );
}

/** The JSON text of the values of a node, as the library assembles them. */
function jsonOf(node: SchemaTree): Json {
  const { element, children } = node;
  const [first] = children;
  if (element.logical_type?.type === 'VARIANT') return decodedJson;
  if (isListLike(node) && first !== undefined) {
    const inner = first.children.length === 1 ? first.children[0] : first;
    return listJson(inner === undefined ? decodedJson : jsonOf(inner));
  }
  if (isMapLike(node)) {
    const values = first?.children[1];
    const json = values === undefined ? decodedJson : jsonOf(values);
    return objectJson(() => json);
  }
  if (children.length > 0) {
    const members = new Map(children.map((child) => [child.element.name, jsonOf(child)]));
    const object = objectJson((name) => members.get(name) ?? decodedJson);
    return element.repetition_type === 'REPEATED' ? listJson(object) : object;
  }
  const type = parquetType(element);
  const leaf: Json = (value) => leafJson(type, value);
  return element.repetition_type === 'REPEATED' ? listJson(leaf) : leaf;
}

function leavesOf(node: SchemaTree): (readonly string[])[] {
  return node.children.length === 0 ? [node.path] : node.children.flatMap(leavesOf);
}

/** The columns of the file, in their order. */
export function parquetColumns(metadata: FileMetaData): readonly ParquetColumn[] {
  const tree = parquetSchema(metadata);
  const flat = new Set(
    tree.children.filter(
      ({ children, element }) => children.length === 0 && element.repetition_type !== 'REPEATED',
    ),
  );
  const top = new Set(tree.children.map(({ element }) => element));
  const flatElements = new Set([...flat].map(({ element }) => element));
  const schema = metadata.schema.map((element) =>
    top.has(element) || element.type !== undefined
      ? plainElement(element, !flatElements.has(element))
      : element,
  );
  const plain = parquetSchema({ ...metadata, schema });
  return tree.children.flatMap((node, place): ParquetColumn[] => {
    const own = plain.children[place];
    if (own === undefined) return [];
    const { name } = node.element;
    const leaves = leavesOf(node);
    const isFlat = flat.has(node);
    if (isFlat)
      return [{ name, ...parquetType(node.element), plain: own, root: plain, leaves, isFlat }];
    const content = jsonOf(node);
    return [
      { name, declared: 'json', kind: JSON_TEXT, content, plain: own, root: plain, leaves, isFlat },
    ];
  });
}

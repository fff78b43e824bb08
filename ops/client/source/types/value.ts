/** Values as the API reads and writes them, and the types of fields. */

/** Anything that JSON can say. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json };

/** A position in GeoJSON: longitude, latitude, and what else the column has. */
export type Position = readonly number[];

interface Shape<Type extends string, Coordinates> {
  readonly type: Type;
  readonly coordinates: Coordinates;
}

export type Point = Shape<'Point', Position>;
export type LineString = Shape<'LineString', readonly Position[]>;
export type Polygon = Shape<'Polygon', readonly (readonly Position[])[]>;
export type MultiPoint = Shape<'MultiPoint', readonly Position[]>;
export type MultiLineString = Shape<'MultiLineString', readonly (readonly Position[])[]>;
export type MultiPolygon = Shape<'MultiPolygon', readonly (readonly (readonly Position[])[])[]>;

export interface GeometryCollection {
  readonly type: 'GeometryCollection';
  readonly geometries: readonly Geometry[];
}

/** A geometry in GeoJSON. */
export type Geometry =
  | Point
  | LineString
  | Polygon
  | MultiPoint
  | MultiLineString
  | MultiPolygon
  | GeometryCollection;

/** Bytes, as a `bytea` is read; they are written as text. */
export interface Bytes {
  readonly type: 'Buffer';
  readonly data: readonly number[];
}

/** What stands for a value that is set and never shown. */
export type Concealed = '**********';

/** The types of fields. `list` is an array of PostgreSQL, `plain` a field of a hand-written type. */
export type FieldType =
  | 'string'
  | 'text'
  | 'boolean'
  | 'integer'
  | 'bigInteger'
  | 'float'
  | 'decimal'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'timestamp'
  | 'json'
  | 'csv'
  | 'uuid'
  | 'hash'
  | 'binary'
  | 'geometry'
  | 'list'
  | 'unknown'
  | 'plain';

/** Variables that stand for a time. */
export type TimeVariable = '$NOW' | `$NOW(${string})`;

/** Variables that stand for who asks, or for what is known of them. */
export type CallerVariable =
  | '$CURRENT_USER'
  | '$CURRENT_ROLE'
  | '$CURRENT_ROLES'
  | '$CURRENT_POLICIES'
  | `$CURRENT_${'USER' | 'ROLE' | 'ROLES' | 'POLICIES'}.${string}`;

export type Variable = TimeVariable | CallerVariable;

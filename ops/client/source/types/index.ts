/** What the compiler knows of a schema, and of queries and payloads by it. */
export type { AggregateRow } from './aggregate.ts';
export type { Checked } from './check.ts';
export type { Filter } from './filter.ts';
export type { ItemChanges, KeyedChanges, NewItem } from './payload.ts';
export type { AggregateQuery, Choice, ItemQuery, ListQuery } from './query.ts';
export type { ReasonCode } from './reason-code.ts';
export type { ItemOf } from './result.ts';
export type {
  AnySchema,
  Collection,
  Column,
  IsLoose,
  IsSingleton,
  KeyOf,
  Names,
  Singleton,
  ToAny,
  ToMany,
  ToOne,
  View,
} from './schema.ts';
export type { SystemSchema } from './system-schema.ts';
export type {
  Bytes,
  Concealed,
  Geometry,
  Json,
  LineString,
  MultiLineString,
  MultiPoint,
  MultiPolygon,
  Point,
  Polygon,
} from './value.ts';

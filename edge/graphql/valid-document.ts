/** A document that passed validation. */
import type { DocumentNode, FragmentDefinitionNode } from 'graphql';
import type { EndpointSchema } from './schema.ts';
import type { SchemaShapes } from './schema-shapes.ts';

/** A document that may be executed. */
export interface ValidDocument {
  readonly document: DocumentNode;
  readonly endpoint: EndpointSchema;
  readonly shapes: SchemaShapes;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** It queries the schema itself. */
  readonly introspects: boolean;
  /** It contains names of members that JavaScript objects inherit. */
  readonly inherits: boolean;
  /** Identifies it among the documents of this process. */
  readonly number: number;
}

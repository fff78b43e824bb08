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
  /** It asks for the schema itself. */
  readonly introspects: boolean;
  /** It names members that objects of JavaScript inherit. */
  readonly inherits: boolean;
  /** Tells it from others in this process. */
  readonly number: number;
}

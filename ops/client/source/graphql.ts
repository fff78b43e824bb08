/** Documents of GraphQL. */
import { entriesOf, errorOf } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';

/** A document as text, or one of a generator that knows the types of its result and variables. */
export type GraphqlDocument<Result, Variables> =
  | string
  | { toString(): string; readonly __apiType?: (variables: Variables) => Result };

export interface GraphqlOptions extends CallOptions {
  /** `system` for the system collections. */
  readonly scope?: 'items' | 'system' | undefined;
  readonly operationName?: string | undefined;
}

/** Executes a document; the error has the partial result in `data`. */
export type Graphql = <
  Result = Record<string, unknown>,
  Variables extends object = Record<string, unknown>,
>(
  document: GraphqlDocument<Result, Variables>,
  variables?: Variables,
  options?: GraphqlOptions,
) => Promise<Result>;

export function createGraphql(transport: Transport): Graphql {
  return async <Result, Variables extends object>(
    document: GraphqlDocument<Result, Variables>,
    variables?: Variables,
    { scope, operationName, ...options }: GraphqlOptions = {},
  ) => {
    const query = String(document);
    const path = scope === 'system' ? '/graphql/system' : '/graphql';
    const { body, status, headers } = await transport.answer<{ readonly data: Result }>(
      'POST',
      path,
      {
        ...options,
        body: { query, variables, operationName },
        // What could be a mutation is sent once.
        repeat: !/\bmutation\b/.test(query),
      },
    );
    const errors = entriesOf(body);
    if (errors.length === 0) return body.data;
    throw errorOf({ status, errors, requestId: headers.get('x-request-id'), data: body.data });
  };
}

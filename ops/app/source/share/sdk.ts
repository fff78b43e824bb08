/** Writes a request as a program: with the client of Sluice, and with the SDK of Directus. */
import { keyFromText } from '../data/item-key.ts';
import { writeLiteral } from './literal.ts';
import { isSystem, queryOf, type ReadRequest, routePath } from './request.ts';

/** What the result is called. */
function resultName({ kind }: ReadRequest): string {
  return kind === 'list' ? 'items' : 'item';
}

function clientCall(request: ReadRequest): string {
  const query = writeLiteral(queryOf(request));
  if (request.kind === 'list') return `list(${query})`;
  if (request.kind === 'singleton') return `readSingleton(${query})`;
  return `get(${writeLiteral(keyFromText(request.key))}, ${query})`;
}

/** A program with the client of Sluice; the token is in the variable `TOKEN`. */
export function clientText(request: ReadRequest, origin: string): string {
  const collection = JSON.stringify(request.collection);
  return `import { createClient } from '@sluice/client';

const client = createClient(${JSON.stringify(origin)}, { token: process.env.TOKEN ?? '' });
const ${resultName(request)} = await client.items(${collection}).${clientCall(request)};
`;
}

/** The command of the SDK, with its call. System collections have none that fits all of them. */
function directusCommand(request: ReadRequest): readonly [name: string, call: string] {
  const query = writeLiteral(queryOf(request));
  const collection = JSON.stringify(request.collection);
  if (isSystem(request.collection)) {
    const options = { path: routePath(request), method: 'GET', params: queryOf(request) };
    return ['customEndpoint', `customEndpoint(${writeLiteral(options)})`];
  }
  if (request.kind === 'list') return ['readItems', `readItems(${collection}, ${query})`];
  if (request.kind === 'singleton') {
    return ['readSingleton', `readSingleton(${collection}, ${query})`];
  }
  return ['readItem', `readItem(${collection}, ${JSON.stringify(request.key)}, ${query})`];
}

/** A program with `@directus/sdk`, which works with Sluice; the token is in the variable `TOKEN`. */
export function directusText(request: ReadRequest, origin: string): string {
  const [name, call] = directusCommand(request);
  const names = ['createDirectus', name, 'rest', 'staticToken'].toSorted();
  return `import { ${names.join(', ')} } from '@directus/sdk';

const client = createDirectus(${JSON.stringify(origin)})
  .with(staticToken(process.env.TOKEN ?? ''))
  .with(rest());
const ${resultName(request)} = await client.request(${call});
`;
}

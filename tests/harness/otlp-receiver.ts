/** A trace collector: OTLP over HTTP with JSON, limited to the parts that tests inspect. */
import { createServer } from 'node:http';
import * as v from 'valibot';
import type { Teardown } from './database.ts';

const value = v.union([
  v.pipe(
    v.object({ stringValue: v.string() }),
    v.transform((given) => given.stringValue),
  ),
  v.pipe(
    v.object({ intValue: v.union([v.number(), v.string()]) }),
    v.transform((given) => Number(given.intValue)),
  ),
  v.pipe(
    v.looseObject({}),
    v.transform(() => null),
  ),
]);
const attributes = v.pipe(
  v.optional(v.array(v.object({ key: v.string(), value })), []),
  v.transform((list) => Object.fromEntries(list.map((entry) => [entry.key, entry.value]))),
);
const span = v.object({
  traceId: v.string(),
  spanId: v.string(),
  parentSpanId: v.optional(v.string(), ''),
  name: v.string(),
  kind: v.number(),
  status: v.optional(v.object({ code: v.optional(v.number(), 0) }), { code: 0 }),
  attributes,
});
const request = v.object({
  resourceSpans: v.array(
    v.object({
      resource: v.object({ attributes }),
      scopeSpans: v.array(v.object({ spans: v.array(span) })),
    }),
  ),
});

/** A span as it arrived, with the `service.name` of its process. */
export type ReceivedSpan = v.InferOutput<typeof span> & { readonly service: unknown };

/** Listens on loopback until the test ends. */
export async function startOtlpReceiver(t: Teardown) {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { resourceSpans } = v.parse(request, JSON.parse(Buffer.concat(chunks).toString()));
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = resource.attributes['service.name'];
      for (const scope of scopeSpans) {
        spans.push(...scope.spans.map((received) => ({ ...received, service })));
      }
    }
    answer.setHeader('content-type', 'application/json').end('{}');
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, spans };
}

/** The envelope of answers in REST: `{"data":…}`, with `meta` when it is requested. */
import { type Data, type Envelope, surrounded } from '#core/services/envelope.ts';

export const REST: Envelope = Object.freeze({
  name: 'rest',
  around: ({ data, meta }: Data) =>
    surrounded('{"data":', data, meta === null ? '}' : `,"meta":${meta}}`),
});

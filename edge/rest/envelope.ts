/** The envelope of answers in REST: `{"data":…}`, with `meta` when it is requested. */
import { type Envelope, type ReadData, wrapText } from '#core/services/envelope.ts';

export const REST_ENVELOPE: Envelope = Object.freeze({
  name: 'rest',
  around: ({ data, meta }: ReadData) =>
    wrapText('{"data":', data, meta === null ? '}' : `,"meta":${meta}}`),
});

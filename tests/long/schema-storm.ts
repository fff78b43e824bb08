/** Three hundred random changes of the schema while two edges are read from and written to. */
import { randomInt } from 'node:crypto';
import t from 'tap';
import { weather } from '../chaos/schema-storm/weather.ts';

t.test('a storm of schema changes leaves every answer right', (t) =>
  weather(t, 300, randomInt(2 ** 31)),
);

// @newest @slow
/** A short storm of schema changes on two edges; the long one has three hundred. */
import t from 'tap';
import { weather } from './schema-storm/weather.ts';

t.test('a storm of schema changes leaves every answer right', (t) => weather(t, 20, 1));

/** The environment variables by topic, for `npm run config` and the documentation. */
import { locationVariables, prefixOf } from '#core/base/config/storage-location.ts';
import type { Variable } from '#core/base/config/variable.ts';
import { VARIABLES_BY_TOPIC } from '#core/base/config/variables.ts';

export type Entry = Variable<unknown, string | undefined>;

/** Related variables, in their order. */
export interface Topic {
  readonly title: string;
  readonly entries: readonly (readonly [string, Entry])[];
}

/** All variables by topics, those of the named storage locations at the end. */
export function configTopics(locations: readonly string[]): readonly Topic[] {
  const topics = VARIABLES_BY_TOPIC.map(({ title, variables }) => ({
    title,
    entries: Object.entries<Entry>(variables),
  }));
  const places = locations.map((location) => ({
    title: `The storage location ${location}`,
    entries: Object.entries<Entry>(locationVariables).map(
      ([name, entry]) => [prefixOf(location) + name, entry] as const,
    ),
  }));
  return [...topics, ...places];
}

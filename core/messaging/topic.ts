/**
 * The topics of the message bus and the format of their messages. Processes of two releases share a
 * channel, so unknown members are dropped.
 */
import * as v from 'valibot';

const id = v.pipe(v.string(), v.uuid());
const count = v.pipe(v.number(), v.minValue(0));
const version = v.object({ version: v.number() });
/**
 * Sessions are missing when other data changed, or in messages of a release that does not send
 * them.
 */
const accessVersions = v.object({ version: v.number(), sessions: v.optional(v.number()) });

/**
 * Progress of a job in rows and bytes; percent is 0 to 100, null when the total is unknown. The
 * rates are missing before they can be computed, and from workers of an earlier release.
 */
const jobProgress = v.object({
  rows: count,
  bytes: count,
  percent: v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(100))),
  rows_per_second: v.optional(count),
  bytes_per_second: v.optional(count),
  seconds_left: v.optional(v.nullable(count)),
  /** What it does now, and when it began each phase so far, ISO-8601 in UTC. */
  phase: v.optional(v.string()),
  phases: v.optional(v.array(v.object({ name: v.string(), on: v.string() }))),
  /** The job that must end before this one continues, and its queue. */
  waits_for: v.optional(
    v.object({ job: id, state: v.string(), queue: v.string(), queue_state: v.string() }),
  ),
});
export type JobProgress = Readonly<v.InferOutput<typeof jobProgress>>;

/** The writes to one collection; keys are null when there are too many. */
const change = v.object({
  collection: v.string(),
  action: v.picklist(['create', 'update', 'delete', 'import']),
  keys: v.nullable(v.pipe(v.array(v.string()), v.readonly())),
  user: v.nullable(id),
});

/** The sender of a message: it counts its messages, so that receivers detect a missing one. */
const sender = v.object({
  id,
  /** The number of messages with changes that it has sent, including this one. */
  sent: count,
  /** It sends no more messages. */
  ended: v.optional(v.boolean()),
});
export type Sender = Readonly<v.InferOutput<typeof sender>>;

const schemas = {
  'job.finished': v.object({ id }),
  // The attempt is missing in messages of an earlier release.
  'job.progress': v.object({ id, attempt: v.optional(count), progress: jobProgress }),
  'job.cancel': v.object({ id }),
  'catalog.changed': version,
  'access.changed': accessVersions,
  'schema.altered': v.object({}),
  'items.changed': v.object({
    changes: v.array(change),
    // Missing in messages of an earlier release, whose lost messages cannot be detected.
    sender: v.optional(sender),
  }),
} as const;

export type Topic = keyof typeof schemas;

/** All topics and their messages. */
export type Messages = { readonly [T in Topic]: v.InferOutput<(typeof schemas)[T]> };

const TOPICS = v.picklist([
  'job.finished',
  'job.progress',
  'job.cancel',
  'catalog.changed',
  'access.changed',
  'schema.altered',
  'items.changed',
] as const satisfies readonly Topic[]);

const envelope = v.object({ topic: TOPICS, message: v.unknown() });

/** NOTIFY accepts payloads of less than 8000 bytes (PostgreSQL, NOTIFY). */
const PAYLOAD_LIMIT = 7_999;

/** Serializes a message. Throws a RangeError when it is too long. */
export function encode<T extends Topic>(topic: T, message: Messages[T]): string {
  const text = JSON.stringify({ topic, message });
  const bytes = Buffer.byteLength(text);
  if (bytes > PAYLOAD_LIMIT) {
    throw new RangeError(`a message on ${topic} has ${bytes} bytes, more than ${PAYLOAD_LIMIT}`);
  }
  return text;
}

const BEGINNINGS = TOPICS.options.map((topic) => [`{"topic":"${topic}"`, topic] as const);

/**
 * The topic of a text in this release's notation, so that messages without subscribers are not
 * parsed.
 */
function topicOf(text: string): Topic | undefined {
  return BEGINNINGS.find(([beginning]) => text.startsWith(beginning))?.[1];
}

/**
 * Parses a text from the channel when its topic has subscribers. Throws when it is not a message of
 * this release.
 */
export function decode(
  text: string,
  isHeard: (topic: Topic) => boolean,
  deliver: <T extends Topic>(topic: T, message: Messages[T]) => void,
): void {
  const wanted = topicOf(text);
  if (wanted !== undefined && !isHeard(wanted)) return;
  const { topic, message } = v.parse(envelope, JSON.parse(text));
  if (isHeard(topic)) deliver(topic, v.parse(schemas[topic], message));
}

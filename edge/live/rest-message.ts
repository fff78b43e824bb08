/** The messages of the REST WebSocket: requests of clients, and their responses. */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { LIVE_ACTIONS } from '#core/live/subscriber.ts';
import { errorEntriesOf } from '#edge/http/failure-response.ts';

const uid = v.optional(v.union([v.string(), v.number()]));
/** The client's id of a message, which the response repeats. */
export type MessageId = v.InferOutput<typeof uid>;

const key = v.union([v.string(), v.number()]);
const anyObject = v.record(v.string(), v.unknown());

const auth = v.object({
  type: v.literal('auth'),
  uid,
  access_token: v.optional(v.string()),
  refresh_token: v.optional(v.string()),
  email: v.optional(v.string()),
  password: v.optional(v.string()),
  otp: v.optional(v.string()),
});

const subscribe = v.object({
  type: v.literal('subscribe'),
  uid,
  collection: v.string(),
  event: v.nullish(v.picklist(LIVE_ACTIONS)),
  item: v.nullish(key),
  query: v.nullish(anyObject),
});

const items = v.object({
  type: v.literal('items'),
  uid,
  action: v.picklist(['create', 'read', 'update', 'delete']),
  collection: v.string(),
  id: v.nullish(key),
  ids: v.nullish(v.array(key)),
  query: v.nullish(anyObject),
  data: v.optional(v.union([v.array(v.unknown()), anyObject])),
});

const message = v.variant('type', [
  auth,
  v.object({ type: v.literal('ping'), uid }),
  v.object({ type: v.literal('pong') }),
  subscribe,
  v.object({ type: v.literal('unsubscribe'), uid }),
  items,
]);

export type RestMessage = v.InferOutput<typeof message>;
export type AuthMessage = v.InferOutput<typeof auth>;
export type SubscribeMessage = v.InferOutput<typeof subscribe>;
export type ItemsMessage = v.InferOutput<typeof items>;

const labels = v.object({
  type: v.optional(v.fallback(v.optional(v.string()), undefined)),
  uid: v.optional(v.fallback(uid, undefined)),
});

/** A message, or the error of an invalid one. */
export type ParsedMessage =
  | { readonly message: RestMessage; readonly error?: never }
  | {
      readonly error: Error;
      readonly type: string;
      readonly uid: MessageId;
      readonly message?: never;
    };

/** Parses a text that a client sent. */
export function parseMessage(text: string): ParsedMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const error = invalidPayload(reason('message_object_expected'));
    return { error, type: 'error', uid: undefined };
  }
  const { issues, output } = v.safeParse(message, value);
  if (issues === undefined) return { message: output };
  const known = v.safeParse(labels, value);
  const { type = 'error', uid: name } = known.success ? known.output : {};
  const place = v.getDotPath(issues[0]) ?? 'message';
  const error = invalidPayload(
    reason('message_member_invalid', { place, message: issues[0].message }),
  );
  return { error, type, uid: name };
}

/** Codes that only WebSockets have, and their messages, which no REST error provides. */
const OWN_MESSAGES: Readonly<Record<string, string>> = {
  AUTH_TIMEOUT: 'No login came in time.',
};

/** The text of an error message. */
export function errorText(type: string, thrown: unknown, name: MessageId, code?: string): string {
  const [entry] = errorEntriesOf(thrown, null).entries;
  const { code: own, ...details } = entry?.extensions ?? { code: 'INTERNAL_SERVER_ERROR' };
  const message = OWN_MESSAGES[code ?? ''] ?? entry?.message ?? '';
  const error = { ...details, code: code ?? own, message };
  return JSON.stringify({ type, status: 'error', error, uid: name });
}

/** The text of a message with members that are already JSON. */
export function messageText(
  facts: Readonly<Record<string, unknown>>,
  parts: string,
  name: MessageId,
): string {
  const ending = name === undefined ? '}' : `,"uid":${JSON.stringify(name)}}`;
  return `${JSON.stringify(facts).slice(0, -1)}${parts === '' ? '' : `,${parts}`}${ending}`;
}

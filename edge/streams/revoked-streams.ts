/**
 * Ends streams whose callers have lost permission for them, as soon as this process is notified.
 * Streams continue when their callers gained permissions, or lost unrelated ones.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '#core/access/grants.ts';
import type { Rights } from '#core/access/rights.ts';
import type { AccessChanges } from '#core/model/catalog/access-changes.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import type { RightsSource } from '#core/services/request-context.ts';
import type { OpenStream, OpenStreams } from './open-streams.ts';

export interface RightWatchParts {
  readonly streams: OpenStreams;
  readonly access: RightsSource;
  readonly catalog: Pick<CatalogSource, 'onAccess'>;
}

/** How long (ms) changes are stored for streams that were requested before them and begin later. */
const KEPT_MS = 60_000;
const MOST_KEPT = 1_000;
const REASON = 'The right to it was lost.';
const CHANGED = 'Rights changed while it was being read. Send the request again.';

/** A change, and its time by `performance.now()`. */
interface Heard {
  readonly at: number;
  readonly changes: AccessChanges | null;
}

export class RightWatch {
  readonly #parts: RightWatchParts;
  readonly #rights = new WeakMap<OpenStream, Promise<Rights>>();
  readonly #ends: (() => void)[];
  #heard: Heard[] = [];

  constructor(parts: RightWatchParts) {
    this.#parts = parts;
    const { catalog, streams } = parts;
    this.#ends = [
      catalog.onAccess((changes) => this.#hear(changes)),
      streams.onOpen((stream) => this.#begin(stream)),
    ];
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  #hear(changes: AccessChanges | null): void {
    const at = performance.now();
    this.#heard = this.#heard.filter((heard) => at - heard.at < KEPT_MS).slice(-MOST_KEPT);
    this.#heard.push({ at, changes });
    for (const stream of this.#parts.streams) {
      if (concerns(changes, stream.caller)) void this.#judge(stream);
    }
  }

  #begin(stream: OpenStream): void {
    const { caller, since } = stream;
    const [oldest] = this.#heard;
    const forgotten = this.#heard.length > MOST_KEPT && oldest !== undefined && oldest.at > since;
    const changed = this.#heard.some(({ at, changes }) => at >= since && concerns(changes, caller));
    // The permissions at the time of the read are unknown.
    if (forgotten || changed || performance.now() - since > KEPT_MS) stream.cut(CHANGED);
    else {
      const rights = this.#parts.access.rightsOf(caller);
      // The reader of the promise receives the failure.
      rights.catch(() => undefined);
      this.#rights.set(stream, rights);
    }
  }

  async #judge(stream: OpenStream): Promise<void> {
    try {
      const before = await this.#rights.get(stream);
      const caller = await stream.again();
      const now = await this.#parts.access.rightsOf(caller);
      if (before !== undefined && isKept(stream, before, caller, now)) return;
    } catch {
      // The credentials are no longer valid, or the permissions cannot be loaded.
    }
    stream.cut(REASON);
  }
}

/** Whether changes may affect the identity or the permissions of a caller. */
export function concerns(changes: AccessChanges | null, caller: Caller): boolean {
  if (changes === null) return true;
  const { user, session, role, roles, policies } = caller;
  if (user !== null && changes.users.has(user)) return true;
  if (session !== null && changes.sessions.has(session)) return true;
  if (changes.public && role === null) return true;
  return (
    roles.some((one) => changes.roles.has(one)) ||
    policies.some((one) => changes.policies.has(one) || changes.permissions.has(one))
  );
}

/** Whether a stream that began with earlier permissions may continue with the current ones. */
function isKept({ kind, caller: was }: OpenStream, before: Rights, is: Caller, now: Rights) {
  if (is.user !== was.user || (is.lacksSecondFactor && !was.lacksSecondFactor)) return false;
  if (now.admin) return true;
  if (before.admin) return false;
  if (kind === 'events') return true;
  return isAlike(was, is) && [...before.collections].every((name) => isRead(name));

  function isRead(collection: string): boolean {
    const left = now.of(collection, 'read');
    return before
      .of(collection, 'read')
      .every(({ fields, rule }) =>
        left.some((one) => isDeepStrictEqual([one.fields, one.rule], [fields, rule])),
      );
  }
}

/** Whether the caller's values for rules are unchanged. */
function isAlike(was: Caller, is: Caller): boolean {
  return was.role === is.role && isDeepStrictEqual(was.roles, is.roles);
}

/** Names of attempts, by which the server knows one that is sent again. */

/** A name that nobody else has; `randomUUID` is missing on pages without TLS. */
export function newKey(): string {
  const random = crypto.getRandomValues(new Uint32Array(4));
  return `app-${[...random].map((part) => part.toString(36)).join('-')}`;
}

/** What the tabs of an origin tell each other of the session that they share by cookies. */
import { openChannel } from './environment.ts';
import type { Tokens } from './options.ts';

/** How long the other tabs may take to answer. */
const PATIENCE = 300;

type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'tokens'; readonly tokens: Tokens | null };

export interface Tabs {
  /** Tells the others the tokens, or that the session has ended. */
  tell(tokens: Tokens | null): void;
  /** Asks the others for tokens that last; null when nobody has any. */
  ask(): Promise<Tokens | null>;
  close(): void;
}

function isMessage(data: unknown): data is Message {
  return typeof data === 'object' && data !== null && 'kind' in data;
}

/**
 * Opens the channel of that name. `hear` gets what others tell, `own` yields the tokens that are
 * worth to be told.
 */
export function openTabs(
  name: string,
  hear: (tokens: Tokens | null) => void,
  own: () => Tokens | null,
): Tabs {
  const channel = openChannel(name);
  let answered: ((tokens: Tokens | null) => void) | null = null;
  const tell = (tokens: Tokens | null) => channel?.postMessage({ kind: 'tokens', tokens });
  if (channel) {
    channel.onmessage = ({ data }: { readonly data: unknown }) => {
      if (!isMessage(data)) return;
      if (data.kind === 'ask') {
        const tokens = own();
        if (tokens) tell(tokens);
        return;
      }
      hear(data.tokens);
      answered?.(data.tokens);
    };
  }
  return {
    tell,
    ask() {
      if (!channel) return Promise.resolve(null);
      return new Promise((resolve) => {
        const timer = setTimeout(() => answered?.(null), PATIENCE);
        answered = (tokens) => {
          clearTimeout(timer);
          answered = null;
          resolve(tokens);
        };
        channel.postMessage({ kind: 'ask' });
      });
    },
    close: () => channel?.close(),
  };
}

/** Reads server-sent events of an answer. */

export interface ServerEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: string;
}

function parse(block: string): ServerEvent | null {
  let [event, id, data]: [string, string | null, string | null] = ['message', null, null];
  for (const line of block.split('\n')) {
    const [name = '', ...rest] = line.split(':');
    const value = rest.join(':').replace(/^ /, '');
    if (name === 'event') event = value;
    if (name === 'id') id = value;
    if (name === 'data') data = data === null ? value : `${data}\n${value}`;
  }
  return data === null ? null : { event, id, data };
}

/** The pieces of a body that end with a mark; what follows the last mark is left out. */
export async function* pieces(response: Response, mark: string): AsyncGenerator<string, string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) return rest;
      const found = (rest + decoder.decode(part.value, { stream: true })).split(mark);
      rest = found.pop() ?? '';
      yield* found;
    }
  } finally {
    // Who stops early needs no more of it.
    await reader?.cancel().catch(() => undefined);
  }
}

export async function* readEvents(response: Response): AsyncGenerator<ServerEvent, void> {
  for await (const block of pieces(response, '\n\n')) {
    const event = parse(block);
    if (event) yield event;
  }
}

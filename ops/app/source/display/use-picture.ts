/** Pictures that the server could not make at once, because it makes many others, are asked for again. */
import { useEffect, useState } from 'react';

/** Milliseconds before each further attempt. */
const PAUSES = [2_000, 8_000, 20_000] as const;

export interface PictureLoad {
  /** Another for each attempt, as the `key` of the element. */
  readonly attempt: number;
  /** There is no picture, whatever is tried. */
  readonly failed: boolean;
  readonly onError: () => void;
}

/** How the picture of an address is loaded; it begins anew with another address. */
export function usePicture(source: string): PictureLoad {
  const [state, setState] = useState({ source, attempt: 0, waits: false });
  const current = state.source === source ? state : { source, attempt: 0, waits: false };
  const { attempt, waits } = current;
  useEffect(() => {
    const pause = PAUSES[attempt];
    if (!waits || pause === undefined) return;
    const timer = setTimeout(() => setState({ source, attempt: attempt + 1, waits: false }), pause);
    return () => clearTimeout(timer);
  }, [source, attempt, waits]);
  return {
    attempt,
    failed: waits && attempt >= PAUSES.length,
    onError: () => setState({ ...current, waits: true }),
  };
}

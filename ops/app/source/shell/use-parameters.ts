/** What a list of the App shows, kept in the address of the page. */
import { useSearchParams } from 'react-router-dom';

/**
 * How parameters of the address are changed: without a step to go back to, and drawn at once. Otherwise
 * the next key or click would meet what was there before.
 */
export const AT_ONCE = { replace: true, flushSync: true } as const;

/** The parameters of the address, and how they are changed. A change leads to the first page. */
export function useParameters() {
  const [parameters, setParameters] = useSearchParams();
  /** Those that become empty are left out. */
  const change = (changes: Readonly<Record<string, string>>) =>
    setParameters((old) => {
      const next = new URLSearchParams({ ...Object.fromEntries(old), page: '', ...changes });
      for (const [name, value] of [...next]) if (value === '') next.delete(name);
      return next;
    }, AT_ONCE);
  return { parameters, change };
}

/** Values that are made anew each time a screen is drawn, for controls that take a new one for a change. */
import { useRef } from 'react';
import { sameValue } from './values.ts';

/** The value of before while it says the same: MUI's Autocomplete forgets what is typed at a new one. */
export function useSame<Value>(value: Value): Value {
  const known = useRef(value);
  if (!sameValue(known.current, value)) known.current = value;
  return known.current;
}

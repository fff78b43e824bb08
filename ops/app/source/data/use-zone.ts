/** The time zone in which the user reads and enters moments: the chosen one, else that of the device. */
import { useStore } from './store.ts';
import { deviceZone, isZone } from './zone.ts';

/** The zone that the user has chosen; null for that of the device. */
export function useChosenZone() {
  return useStore<string | null>('timeZone', null);
}

export function useZone(): string {
  const [chosen] = useChosenZone();
  return chosen !== null && isZone(chosen) ? chosen : deviceZone();
}

/** The way back on the home: what the caller has pinned, and the screens of before. */
import Typography from '@mui/material/Typography';
import { usePins } from '../data/pins.ts';
import { useVisits } from '../data/recent.ts';
import { itemPath } from '../data/route-of.ts';
import { useVisitPlace } from '../navigation/use-visit-place.tsx';
import { Part } from '../shell/part.tsx';
import { PinButton } from '../shell/pin-button.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { type Entry, EntryList } from './entry-list.tsx';

const SHOWN = 8;

export function PinnedPart() {
  const translate = useTranslate();
  const { pins } = usePins();
  const placeOf = useVisitPlace();
  const entries = pins.flatMap((pin): readonly Entry[] => {
    if (pin.item === undefined) return [];
    const to = itemPath(pin.collection, pin.item.key);
    const icon = placeOf(to);
    const { title } = pin.item;
    if (icon === null) return [];
    return [{ to, title, icon, beside: <PinButton pin={pin} name={title} size="small" /> }];
  });
  if (entries.length === 0) return null;
  return (
    <Part title={translate('home.pinned')}>
      <EntryList entries={entries} />
    </Part>
  );
}

export function RecentPart() {
  const translate = useTranslate();
  const visits = useVisits();
  const placeOf = useVisitPlace();
  const entries = visits.flatMap(({ path: to, title }): readonly Entry[] => {
    const icon = placeOf(to);
    return icon === null ? [] : [{ to, title, icon }];
  });
  return (
    <Part title={translate('home.recent')}>
      {entries.length > 0 ? (
        <EntryList entries={entries.slice(0, SHOWN)} />
      ) : (
        <Typography color="textSecondary">{translate('home.noRecent')}</Typography>
      )}
    </Part>
  );
}

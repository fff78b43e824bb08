/** The choice of the time zone, among all that the browser knows. */
import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useId, useMemo } from 'react';
import { useZone } from '../data/use-zone.ts';
import { allZones, deviceZone } from '../data/zone.ts';
import { useZonePreference } from '../shell/use-preferences.ts';
import { useTranslate } from '../translation/use-translate.ts';

/** The option for the zone of the device. */
const DEVICE = '';

export function ZoneChoice() {
  const translate = useTranslate();
  const id = useId();
  const { chosen, choose } = useZonePreference();
  const zone = useZone();
  const zones = useMemo(() => [DEVICE, ...allZones()], []);
  const labels = (name: string) =>
    name === DEVICE
      ? translate('profile.deviceZone', { zone: deviceZone() })
      : name.replaceAll('_', ' ');
  return (
    <Autocomplete
      id={id}
      options={zones}
      // A zone that this browser does not know is that of the device.
      value={chosen === zone ? zone : DEVICE}
      onChange={(_, name) => choose(name === DEVICE ? null : name)}
      getOptionLabel={labels}
      disableClearable
      renderInput={(parameters) => (
        <TextField
          {...parameters}
          label={translate('profile.timeZone')}
          helperText={translate('profile.timeZoneHelp')}
        />
      )}
    />
  );
}

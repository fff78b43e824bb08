/** The choice of the time that curves show; it stands in the address of the page. */
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { useParameters } from '../shell/use-parameters.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { PERIODS, type Period } from './curves.ts';

/** The chosen period; the last hour by default. */
export function usePeriod(): Period {
  const { parameters } = useParameters();
  return PERIODS.find((known) => known === parameters.get('period')) ?? 'hour';
}

export function PeriodChoice() {
  const translate = useTranslate();
  const period = usePeriod();
  const { change } = useParameters();
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      aria-label={translate('operations.period')}
      value={period}
      onChange={(_, chosen) => {
        if (chosen !== null) change({ period: chosen === 'hour' ? '' : chosen });
      }}
    >
      {PERIODS.map((one) => (
        <ToggleButton key={one} value={one} sx={{ textTransform: 'none', py: 0.5, px: 1.5 }}>
          {translate(`operations.periodName.${one}`)}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

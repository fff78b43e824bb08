/** Chooses how the items of a collection are shown, among the views that its fields make possible. */
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Tooltip from '@mui/material/Tooltip';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { ICON_OF, isLayout, type Layout } from '../views/layout.ts';

export interface ViewSwitchProps {
  readonly offered: readonly Layout[];
  readonly layout: Layout;
  readonly onChange: (layout: Layout) => void;
}

export function ViewSwitch({ offered, layout, onChange }: ViewSwitchProps) {
  const translate = useTranslate();
  if (offered.length < 2) return null;
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      value={layout}
      aria-label={translate('views.view')}
      onChange={(_, next: unknown) => isLayout(next) && onChange(next)}
      sx={{ bgcolor: 'background.paper' }}
    >
      {offered.map((one) => (
        <ToggleButton key={one} value={one} aria-label={translate(`views.${one}`)} sx={{ px: 1 }}>
          <Tooltip title={translate(`views.${one}`)}>
            <Icon name={ICON_OF[one]} fontSize="small" />
          </Tooltip>
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

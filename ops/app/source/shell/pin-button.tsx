/** Pins something to the home of the caller, or takes it away from there. */
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { type Pin, usePins } from '../data/pins.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface PinButtonProps {
  readonly pin: Pin;
  /** What is pinned, in words, where it is not the item of the screen. */
  readonly name?: string;
  readonly size?: 'small' | 'medium';
}

export function PinButton({ pin, name, size = 'medium' }: PinButtonProps) {
  const translate = useTranslate();
  const { isPinned, toggle } = usePins();
  if (toggle === null) return null;
  const pinned = isPinned(pin);
  const words = (key: 'pin' | 'unpin') =>
    name === undefined ? translate(`shell.${key}This`) : translate(`shell.${key}`, { name });
  const label = words('pin');
  return (
    <Tooltip title={pinned ? words('unpin') : label}>
      <IconButton
        size={size}
        aria-label={label}
        aria-pressed={pinned}
        onClick={() => toggle(pin)}
        sx={{ color: pinned ? 'primary.main' : 'text.secondary' }}
      >
        <Icon name={pinned ? 'push_pin' : 'keep'} fontSize="small" />
      </IconButton>
    </Tooltip>
  );
}

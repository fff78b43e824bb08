/** A button that adds to a list; with several things to choose from, a menu of them. */
import Button from '@mui/material/Button';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useId } from 'react';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { useMenu } from './use-menu.ts';

interface AddMenuProps {
  /** Key of what the button says. */
  readonly text: string;
  /** Name of its icon. */
  readonly icon: IconName;
  readonly targets: readonly { readonly name: string; readonly label: string }[];
  /** The menu opens for a single one, too, as the button does not tell which it is. */
  readonly asks?: boolean;
  readonly onChoose: (target: string) => void;
}

export function AddMenu({ text, icon: name, targets, asks = false, onChoose }: AddMenuProps) {
  const translate = useTranslate();
  const id = useId();
  const { anchor, open, close, choose } = useMenu();
  const [only, ...others] = targets;
  if (only === undefined) return null;
  const icon = <Icon name={name} />;
  if (others.length === 0 && !asks) {
    return (
      <Button size="small" startIcon={icon} onClick={() => onChoose(only.name)}>
        {translate(text)}
      </Button>
    );
  }
  return (
    <>
      <Button
        id={`${id}-opener`}
        size="small"
        sx={{ justifySelf: 'start' }}
        startIcon={icon}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        onClick={open}
      >
        {translate(text)}
      </Button>
      <Menu
        id={id}
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
        slotProps={{
          list: { 'aria-labelledby': `${id}-opener` },
          paper: { sx: { maxWidth: 'min(32rem, 90vw)' } },
        }}
      >
        {targets.map(({ name, label }) => (
          <MenuItem
            key={name}
            sx={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}
            onClick={() => choose(() => onChoose(name))}
          >
            {label}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

/** A button that adds to a list; with several collections to choose from, a menu of them. */
import Button from '@mui/material/Button';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useTranslate } from 'ra-core';
import { useId, useState } from 'react';
import { Icon } from '../theme/icon.tsx';

interface AddMenuProps {
  /** Key of what the button says. */
  readonly text: string;
  readonly targets: readonly { readonly name: string; readonly label: string }[];
  readonly onChoose: (target: string) => void;
}

export function AddMenu({ text, targets, onChoose }: AddMenuProps) {
  const translate = useTranslate();
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [only, ...others] = targets;
  if (only === undefined) return null;
  const icon = <Icon name={text === 'relation.create' ? 'add' : 'link'} />;
  if (others.length === 0) {
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
        startIcon={icon}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
      >
        {translate(text)}
      </Button>
      <Menu
        id={id}
        anchorEl={anchor}
        open={anchor !== null}
        onClose={() => setAnchor(null)}
        slotProps={{ list: { 'aria-labelledby': `${id}-opener` } }}
      >
        {targets.map(({ name, label }) => (
          <MenuItem
            key={name}
            onClick={() => {
              setAnchor(null);
              onChoose(name);
            }}
          >
            {label}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

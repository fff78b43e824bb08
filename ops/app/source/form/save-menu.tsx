/** The button that saves, with what else saving can lead to. */
import Button from '@mui/material/Button';
import ButtonGroup from '@mui/material/ButtonGroup';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useId } from 'react';
import { useMenu } from '../shell/use-menu.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

/** What comes after saving. */
export type After = 'stay' | 'new' | 'list' | 'copy';

interface SaveMenuProps {
  /** The form that the button sends. */
  readonly form: string;
  readonly busy: boolean;
  readonly disabled: boolean;
  readonly offers: readonly After[];
  readonly onChoose: (after: After) => void;
}

export function SaveMenu({ form, busy, disabled, offers, onChoose }: SaveMenuProps) {
  const translate = useTranslate();
  const id = useId();
  const { anchor, open, close, choose } = useMenu();
  return (
    <>
      <ButtonGroup variant="contained">
        <Button type="submit" form={form} loading={busy} disabled={disabled}>
          {translate('shell.save')}
        </Button>
        {offers.length > 0 && (
          <Button
            aria-label={translate('form.saveMore')}
            aria-haspopup="menu"
            aria-expanded={anchor !== null}
            aria-controls={anchor === null ? undefined : id}
            sx={{ px: 0.5, minWidth: '32px !important' }}
            onClick={open}
          >
            <Icon name="expand_more" fontSize="small" />
          </Button>
        )}
      </ButtonGroup>
      <Menu
        id={id}
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
        slotProps={{ list: { 'aria-label': translate('form.saveMore') } }}
      >
        {offers.map((after) => (
          <MenuItem
            key={after}
            disabled={disabled && after !== 'copy'}
            onClick={() => choose(() => onChoose(after))}
          >
            {translate(`form.save_${after}`)}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

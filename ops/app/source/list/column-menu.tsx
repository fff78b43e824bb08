/** Chooses the columns of a list and their order. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Divider from '@mui/material/Divider';
import FormControlLabel from '@mui/material/FormControlLabel';
import IconButton from '@mui/material/IconButton';
import Popover from '@mui/material/Popover';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import type { Column } from '../display/columns.ts';
import { Icon } from '../theme/icon.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

export interface ColumnMenuProps {
  readonly possible: readonly Column[];
  readonly columns: readonly Column[];
  /** Names of fields; null for those that the collection begins with. */
  readonly onChange: (names: readonly string[] | null) => void;
}

function moved(names: readonly string[], from: number, to: number): readonly string[] {
  const name = names[from];
  if (name === undefined || to < 0 || to >= names.length) return names;
  return names.toSpliced(from, 1).toSpliced(to, 0, name);
}

export function ColumnMenu({ possible, columns, onChange }: ColumnMenuProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const title = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const chosen = columns.map(({ field }) => field.field);
  const others = possible.filter(({ field }) => !chosen.includes(field.field));
  const toggle = (name: string, on: boolean) => {
    const next = on ? [...chosen, name] : chosen.filter((other) => other !== name);
    if (next.length > 0) onChange(next);
  };
  return (
    <>
      <Button
        color="inherit"
        startIcon={<Icon name="view_column" />}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
      >
        {translate('list.columns')}
      </Button>
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
        slotProps={{
          paper: { role: 'dialog', 'aria-labelledby': title, sx: { width: 320, maxHeight: 480 } },
        }}
      >
        <Box sx={{ display: 'flex', alignItems: 'center', px: 2, pt: 1.5 }}>
          <Typography id={title} variant="h3" component="h2" sx={{ flex: 1 }}>
            {translate('list.columns')}
          </Typography>
          <Button size="small" onClick={() => onChange(null)}>
            {translate('list.resetColumns')}
          </Button>
        </Box>
        <Box component="ul" sx={{ listStyle: 'none', m: 0, px: 2, py: 1 }}>
          {columns.map(({ field }, index) => {
            const name = fieldName(field, locale);
            return (
              <Box component="li" key={field.field} sx={{ display: 'flex', alignItems: 'center' }}>
                <FormControlLabel
                  sx={{ flex: 1, minWidth: 0 }}
                  control={
                    <Checkbox size="small" checked onChange={() => toggle(field.field, false)} />
                  }
                  label={name}
                />
                <IconButton
                  size="small"
                  disabled={index === 0}
                  aria-label={translate('list.columnUp', { name })}
                  onClick={() => onChange(moved(chosen, index, index - 1))}
                >
                  <Icon name="arrow_upward" fontSize="small" />
                </IconButton>
                <IconButton
                  size="small"
                  disabled={index === columns.length - 1}
                  aria-label={translate('list.columnDown', { name })}
                  onClick={() => onChange(moved(chosen, index, index + 1))}
                >
                  <Icon name="arrow_downward" fontSize="small" />
                </IconButton>
              </Box>
            );
          })}
        </Box>
        {others.length > 0 && <Divider />}
        <Box component="ul" sx={{ listStyle: 'none', m: 0, px: 2, py: 1 }}>
          {others.map(({ field }) => (
            <li key={field.field}>
              <FormControlLabel
                control={
                  <Checkbox
                    size="small"
                    checked={false}
                    onChange={() => toggle(field.field, true)}
                  />
                }
                label={fieldName(field, locale)}
              />
            </li>
          ))}
        </Box>
      </Popover>
    </>
  );
}

/** Chooses the columns of a list, their order, and those that stay in sight. */
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
import { type Arrangement, type Grid, hideColumn, moveColumn, NO_GRID } from './grid.ts';

export interface ColumnMenuProps {
  readonly possible: readonly Column[];
  readonly columns: readonly Column[];
  readonly grid: Grid;
  /** Names of fields; null for those that the collection begins with. */
  readonly onChange: (names: readonly string[] | null, grid: Grid) => void;
}

export function ColumnMenu({ possible, columns, grid, onChange }: ColumnMenuProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const title = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const names = columns.map(({ field }) => field.field);
  const others = possible.filter(({ field }) => !names.includes(field.field));
  const now: Arrangement = { names, grid };
  const arrange = (next: Arrangement) => {
    if (next.names.length > 0) onChange(next.names, next.grid);
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
          <Button size="small" onClick={() => onChange(null, NO_GRID)}>
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
                    <Checkbox
                      size="small"
                      checked
                      onChange={() => arrange(hideColumn(now, index))}
                    />
                  }
                  label={name}
                />
                <IconButton
                  size="small"
                  disabled={index === 0}
                  aria-label={translate('list.columnUp', { name })}
                  onClick={() => arrange(moveColumn(now, index, index - 1))}
                >
                  <Icon name="arrow_upward" fontSize="small" />
                </IconButton>
                <IconButton
                  size="small"
                  disabled={index === columns.length - 1}
                  aria-label={translate('list.columnDown', { name })}
                  onClick={() => arrange(moveColumn(now, index, index + 1))}
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
                    onChange={() => onChange([...names, field.field], grid)}
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

/** A list of rows of texts, such as choices or translations: added, changed, moved, removed. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useId, useRef, useState } from 'react';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface RowColumn {
  readonly name: string;
  /** Key of its name. */
  readonly label: string;
}

export interface RowsEditorProps {
  readonly title: string;
  readonly help?: string;
  readonly columns: readonly RowColumn[];
  /** A list of objects; anything else is none. */
  readonly value: unknown;
  readonly onChange: (rows: readonly Item[] | null) => void;
  readonly add: string;
}

interface Row {
  readonly id: number;
  readonly item: Item;
}

export function RowsEditor({ title, help, columns, value, onChange, add }: RowsEditorProps) {
  const translate = useTranslate();
  const heading = useId();
  const ids = useRef(0);
  const withId = (item: Item): Row => {
    ids.current += 1;
    return { id: ids.current, item };
  };
  const [rows, setRows] = useState<readonly Row[]>(() =>
    (Array.isArray(value) ? value : []).filter(isItem).map(withId),
  );
  const take = (next: readonly Row[]) => {
    setRows(next);
    const said = next
      .map(({ item }) => item)
      .filter((item) => Object.values(item).some((text) => text !== '' && text !== null));
    onChange(said.length === 0 ? null : said);
  };
  const set = (id: number, name: string, text: string) =>
    take(rows.map((row) => (row.id === id ? { id, item: { ...row.item, [name]: text } } : row)));
  const raise = (place: number) => {
    const [above, row] = [rows[place - 1], rows[place]];
    if (above === undefined || row === undefined) return;
    take(rows.with(place - 1, row).with(place, above));
  };
  return (
    <Box role="group" aria-labelledby={heading} sx={{ display: 'grid', gap: 1.5 }}>
      <Box>
        <Typography id={heading} variant="h3" component="div">
          {title}
        </Typography>
        {help !== undefined && (
          <Typography variant="body2" color="textSecondary">
            {help}
          </Typography>
        )}
      </Box>
      {rows.map(({ id, item }, place) => (
        <Box key={id} sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
          <Box
            sx={{
              flex: 1,
              display: 'grid',
              gap: 1,
              gridTemplateColumns: { xs: '1fr', sm: `repeat(${columns.length}, minmax(0, 1fr))` },
            }}
          >
            {columns.map(({ name, label }) => (
              <TextField
                key={name}
                label={translate(label)}
                value={item[name] ?? ''}
                onChange={({ target }) => set(id, name, target.value)}
                slotProps={{ htmlInput: { dir: 'auto' } }}
              />
            ))}
          </Box>
          <Tooltip title={translate('model.moveUp')}>
            <span>
              <IconButton
                size="small"
                disabled={place === 0}
                aria-label={translate('model.moveUpRow', { place: place + 1 })}
                onClick={() => raise(place)}
              >
                <Icon name="arrow_upward" fontSize="small" />
              </IconButton>
            </span>
          </Tooltip>
          <Tooltip title={translate('model.removeRow')}>
            <IconButton
              size="small"
              aria-label={translate('model.removeRowAt', { place: place + 1 })}
              onClick={() => take(rows.filter((row) => row.id !== id))}
            >
              <Icon name="close" fontSize="small" />
            </IconButton>
          </Tooltip>
        </Box>
      ))}
      <Box>
        <Button
          size="small"
          startIcon={<Icon name="add" />}
          onClick={() => setRows([...rows, withId({})])}
        >
          {add}
        </Button>
      </Box>
    </Box>
  );
}

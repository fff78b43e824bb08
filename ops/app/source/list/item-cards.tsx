/** The items of a list below each other, as a phone has room for them. */
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { Link } from 'react-router-dom';
import { keyOf } from '../data/item-key.ts';
import { itemPath } from '../data/route-of.ts';
import { Cell } from '../display/cell.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import type { ItemsProps } from './item-table.tsx';
import { useToggle } from './use-toggle.ts';

export function ItemCards(props: ItemsProps) {
  const { title, collection, fields, columns, templates, items, selected, onSelect } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const toggle = useToggle(selected, onSelect);
  const id = useId();
  const [first, ...others] = columns;
  if (first === undefined) return null;
  return (
    <Box
      component="ul"
      aria-label={title}
      sx={{
        listStyle: 'none',
        m: 0,
        p: 0,
        display: 'grid',
        gap: 1,
        gridTemplateColumns: 'minmax(0, 1fr)',
      }}
    >
      {items.map((item, index) => {
        const key = keyOf(fields, item);
        const head = (
          <Cell column={first} item={item} templates={templates} isLinked={key !== null} />
        );
        return (
          <Paper
            component="li"
            variant="outlined"
            key={key ?? index}
            sx={{ position: 'relative', p: 1.5, display: 'flex', gap: 1 }}
          >
            {key !== null && (
              <Checkbox
                size="small"
                checked={selected.has(key)}
                onChange={() => toggle(key)}
                slotProps={{
                  input: {
                    'aria-label': translate('list.select', { key }),
                    'aria-describedby': `${id}${index}`,
                  },
                }}
                sx={{ p: 0.5, alignSelf: 'flex-start', zIndex: 1 }}
              />
            )}
            <Box sx={{ minWidth: 0, flex: 1 }}>
              <Typography
                component="div"
                id={`${id}${index}`}
                noWrap
                sx={{ fontWeight: 600, pt: 0.25 }}
              >
                {key === null ? (
                  head
                ) : (
                  <Box
                    component={Link}
                    to={itemPath(collection, key)}
                    sx={{
                      color: 'text.primary',
                      textDecoration: 'none',
                      // The whole card leads there.
                      '&::after': { content: '""', position: 'absolute', inset: 0 },
                    }}
                  >
                    {head}
                  </Box>
                )}
              </Typography>
              <Box
                component="dl"
                sx={{
                  ...{ m: 0, mt: 0.5, display: 'grid', gap: 0.25 },
                  gridTemplateColumns: 'minmax(0, 1fr)',
                }}
              >
                {others.map((column) => (
                  <Box key={column.field.field} sx={{ display: 'flex', gap: 1, fontSize: 13 }}>
                    <Box component="dt" sx={{ color: 'text.secondary', width: 96, flexShrink: 0 }}>
                      {fieldName(column.field, locale)}
                    </Box>
                    <Box
                      component="dd"
                      sx={{
                        m: 0,
                        minWidth: 0,
                        overflow: 'hidden',
                        textOverflow: 'ellipsis',
                        whiteSpace: 'nowrap',
                      }}
                    >
                      <Cell column={column} item={item} templates={templates} />
                    </Box>
                  </Box>
                ))}
              </Box>
            </Box>
          </Paper>
        );
      })}
    </Box>
  );
}

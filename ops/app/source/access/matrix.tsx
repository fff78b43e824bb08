/**
 * What is allowed, as a table of collections and actions. Each cell says none, custom or full; with
 * `onOpen` of an editor it opens a menu, else it tells more.
 */
import Box from '@mui/material/Box';
import FormControlLabel from '@mui/material/FormControlLabel';
import Paper from '@mui/material/Paper';
import Switch from '@mui/material/Switch';
import type { Theme } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { visuallyHidden } from '@mui/utils';
import { useDeferredValue, useRef, useState } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { ACTIONS } from './access-types.ts';
import { useMatrixKeys } from './matrix-keys.ts';
import { CollectionRow, type OpenCell, writeLevels } from './matrix-row.tsx';
import { useMatrixRows } from './matrix-rows.ts';
import { type Cells, cellKey, levelOf, NO_RULES } from './permission-rules.ts';

export interface MatrixProps {
  readonly cells: Cells;
  /** Keys of cells that are not saved yet. */
  readonly changed?: ReadonlySet<string>;
  readonly editable: boolean;
  readonly onOpen: OpenCell;
}

const UNCHANGED: ReadonlySet<string> = new Set();

/** A screen without room for all columns scrolls them aside. */
const NARROW = '@media (max-width: 389.95px)';

function style(theme: Theme) {
  const { palette } = theme;
  return {
    width: '100%',
    borderCollapse: 'separate',
    borderSpacing: 0,
    '& th, & td': { p: 0, textAlign: 'start', borderBottom: `1px solid ${palette.divider}` },
    '& tbody tr:last-child > *': { borderBottom: 0 },
    '& tbody tr:hover > *': { bgcolor: 'action.hover' },
    '& thead th': {
      position: 'sticky',
      top: { xs: 56, md: 64 },
      zIndex: 2,
      bgcolor: 'background.paper',
      py: 1.25,
      px: 0.5,
      fontSize: 13,
      fontWeight: 600,
      color: 'text.secondary',
      textAlign: 'center',
      [NARROW]: { position: 'static' },
    },
    '& thead th:first-of-type': { textAlign: 'start', ps: 2, paddingInlineStart: 2 },
    '& tbody th': {
      fontWeight: 500,
      maxWidth: 0,
      width: '100%',
      [NARROW]: { minWidth: 96 },
    },
    '& .collection': {
      display: 'flex',
      alignItems: 'center',
      gap: 1.25,
      py: 0.75,
      px: { xs: 1.25, sm: 2 },
      '& > svg': { color: palette.text.secondary, display: { xs: 'none', sm: 'block' } },
    },
    '& .names': { minWidth: 0, display: 'grid' },
    '& .label, & code': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
    '& code': { fontSize: 11.5, color: palette.text.secondary, fontWeight: 400 },
    '& .cell': {
      display: 'flex',
      alignItems: 'center',
      justifyContent: 'center',
      gap: 0.75,
      width: { xs: 44, sm: 104 },
      height: 36,
      mx: 'auto',
      border: 0,
      borderRadius: 1,
      bgcolor: 'transparent',
      font: 'inherit',
      fontSize: 13,
      cursor: 'pointer',
      color: palette.text.secondary,
      '&:hover': { bgcolor: 'action.selected' },
    },
    '& .cell svg': { width: 18, height: 18, fill: 'currentColor', flexShrink: 0 },
    '& .cell.full': { color: palette.success.main },
    '& .cell.custom': { color: palette.primary.main },
    '& .cell.changed': { outline: `1px dashed ${palette.text.secondary}`, outlineOffset: -3 },
    '& .cell:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: -2 },
    '& .cell.more': { width: 36 },
    '& .word': { display: { xs: 'none', sm: 'inline' } },
  };
}

export function Matrix({ cells, changed = UNCHANGED, editable, onOpen }: MatrixProps) {
  const translate = useTranslate();
  const [search, setSearch] = useState('');
  const [system, setSystem] = useState(false);
  const table = useRef<HTMLTableElement>(null);
  const keys = useMatrixKeys(table);
  const { rows, total } = useMatrixRows(cells, useDeferredValue(search), system);
  return (
    <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Box
        sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 2, rowGap: 1 }}
      >
        <TextField
          type="search"
          label={translate('access.searchCollections')}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          sx={{ maxWidth: 320 }}
        />
        <FormControlLabel
          control={<Switch checked={system} onChange={(_, next) => setSystem(next)} size="small" />}
          label={translate('access.systemCollections')}
          sx={{ ml: 0, gap: 0.5 }}
        />
        <Typography variant="body2" color="text.secondary" role="status">
          {translate('access.shownOf', { shown: rows.length, smart_count: total })}
        </Typography>
      </Box>
      {rows.length === 0 ? (
        <Paper variant="outlined" sx={{ p: 3, color: 'text.secondary' }}>
          {translate(total === 0 ? 'access.noCollections' : 'access.noCollectionFits')}
        </Paper>
      ) : (
        <Paper variant="outlined" sx={{ [NARROW]: { overflowX: 'auto', position: 'relative' } }}>
          <Box
            component="table"
            role="grid"
            ref={table}
            aria-label={translate('access.matrix')}
            sx={style}
            {...keys}
          >
            <thead>
              <tr>
                <th scope="col">{translate('access.collection')}</th>
                {ACTIONS.map((action) => (
                  <th scope="col" key={action}>
                    {translate(`access.action.${action}`)}
                  </th>
                ))}
                {editable && (
                  <th scope="col">
                    <span style={visuallyHidden}>{translate('access.everything')}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <CollectionRow
                  key={row.collection}
                  row={row}
                  levels={writeLevels(
                    ACTIONS.map((action) => {
                      const key = cellKey(row.collection, action);
                      const level = levelOf(cells.get(key) ?? NO_RULES, action);
                      return { level, changed: changed.has(key) };
                    }),
                  )}
                  editable={editable}
                  onOpen={onOpen}
                />
              ))}
            </tbody>
          </Box>
        </Paper>
      )}
    </Box>
  );
}

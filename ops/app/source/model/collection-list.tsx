/** The collections of the project in a list in which they are ordered and put into groups. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import { useState } from 'react';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ChangeState } from './change-state.tsx';
import { CollectionOrder } from './collection-order.tsx';
import { CollectionRow, MovableRow } from './collection-row.tsx';
import type { CollectionRow as Row } from './collection-rows.ts';
import { type Place, placed, placePatches, siblings } from './collection-sequence.ts';
import { useChange } from './use-change.ts';

const LIST = { listStyle: 'none', m: 0, p: 0 } as const;

export interface CollectionListProps {
  readonly rows: readonly Row[];
  readonly label: string;
}

/** Collections that stay where they are. */
export function CollectionList({ rows, label }: CollectionListProps) {
  return (
    <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
      <Box component="ul" aria-label={label} sx={LIST}>
        {rows.map((row) => (
          <CollectionRow key={row.collection.collection} row={row} />
        ))}
      </Box>
    </Paper>
  );
}

export function MovableCollections({ rows, label }: CollectionListProps) {
  const translate = useTranslate();
  // As they will stand while that is being saved.
  const [wanted, setWanted] = useState<readonly Row[] | null>(null);
  const work = useChange(() => notify('model.orderSaved', { type: 'success' }));
  const shown = work.isPending && wanted !== null ? wanted : rows;
  const move = (name: string, place: Place) => {
    const next = placed(shown, name, place);
    const body = placePatches(shown, next, name);
    if (body.length === 0) return;
    setWanted(next);
    work.run([{ method: 'PATCH', path: '/collections', body }]);
  };
  return (
    <Box sx={{ display: 'grid', gap: 2 }}>
      {work.error !== null && <ChangeState work={work} />}
      <Box component="p" sx={{ m: 0, color: 'text.secondary', typography: 'body2' }}>
        {translate('model.orderHelp')}
      </Box>
      <CollectionOrder rows={shown} onMove={move}>
        {(visible) => (
          <Paper variant="outlined" sx={{ overflow: 'hidden' }}>
            <Box component="ul" aria-label={label} sx={LIST}>
              {visible.map((row) => {
                const { collection, group } = row;
                const members = siblings(shown, group);
                const place = members.findIndex((one) => one.collection === collection);
                return (
                  <MovableRow
                    key={collection.collection}
                    row={row}
                    isFirst={place === 0}
                    isLast={place === members.length - 1}
                    movable={!work.isPending}
                    onMove={(steps) => move(collection.collection, { group, place: place + steps })}
                  />
                );
              })}
            </Box>
          </Paper>
        )}
      </CollectionOrder>
    </Box>
  );
}

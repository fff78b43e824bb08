/** The processes that are alive on all hosts: edges answer requests, workers do jobs. */
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { DataTable } from '../shell/data-table.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { formatDuration } from './duration.ts';
import { StateChip } from './state-chip.tsx';

export interface ProcessListProps {
  /** What the check `processes:live` has seen. */
  readonly processes: readonly Readonly<Record<string, unknown>>[];
}

const HEADS = ['process', 'place', 'stateHead', 'uptime', 'reason'] as const;

const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));

export function ProcessList({ processes }: ProcessListProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Typography id={id} variant="h2" sx={{ mb: 1 }}>
        {translate('operations.processes')}
      </Typography>
      <DataTable labelledBy={id} heads={HEADS.map((head) => translate(`operations.${head}`))}>
        {processes.map(({ componentId, status, observedValue, output }) => {
          // Such as `edge host:123`.
          const [kind = '', ...place] = text(componentId).split(' ');
          return (
            <TableRow key={text(componentId)}>
              <TableCell>{translate(`operations.processKind.${kind}`, { _: kind })}</TableCell>
              <TableCell dir="ltr">{place.join(' ')}</TableCell>
              <TableCell>
                <StateChip state={text(status)} />
              </TableCell>
              <TableCell sx={{ whiteSpace: 'nowrap' }}>
                {observedValue === undefined
                  ? ''
                  : formatDuration(Math.max(0, Number(observedValue)) * 1_000, locale)}
              </TableCell>
              <TableCell>{text(output)}</TableCell>
            </TableRow>
          );
        })}
      </DataTable>
    </section>
  );
}

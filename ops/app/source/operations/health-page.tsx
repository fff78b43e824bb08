/** The health of the installation: each check with what it saw, and the reason of those that are not well. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { DataTable } from '../shell/data-table.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { checkTitle, observedText } from './check-words.ts';
import { healthQuery } from './health-query.ts';
import { ProcessList } from './process-list.tsx';
import { StateChip } from './state-chip.tsx';

const RANK: Readonly<Record<string, number>> = { error: 0, warn: 1, ok: 2 };
const SEVERITY = { ok: 'success', warn: 'warning', error: 'error' } as const;
/** The check that has a table of its own. */
const PROCESSES = 'processes:live';
const HEADS = ['check', 'stateHead', 'observed', 'reason'] as const;

const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));

export function Component() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const health = useQuery(healthQuery);
  if (health.isPending) return <Loading />;
  const { [PROCESSES]: processes = [], ...others } = health.data?.checks ?? {};
  const checks = Object.entries(others)
    .flatMap(([name, list]) =>
      list.map(({ componentId, observedValue: value, observedUnit, status, output }) => ({
        check: { name, component: text(componentId), value, unit: text(observedUnit) },
        ...{ status: text(status), reason: text(output) },
      })),
    )
    .sort((one, other) => (RANK[one.status] ?? 3) - (RANK[other.status] ?? 3));
  return (
    <>
      <PageHeader
        title={translate('operations.health')}
        note={health.data && <StateChip state={health.data.status} />}
      />
      <Box
        sx={{
          p: { xs: 1.5, md: 3 },
          display: 'grid',
          gap: 2,
          gridTemplateColumns: 'minmax(0, 1fr)',
        }}
      >
        {health.isError ? (
          <Failure error={health.error} retry={() => health.refetch()} />
        ) : (
          <>
            <Alert severity={SEVERITY[health.data.status]} role="status">
              {translate(`operations.healthText.${health.data.status}`)}
            </Alert>
            <DataTable
              caption={translate('operations.health')}
              heads={HEADS.map((head) => translate(`operations.${head}`))}
            >
              {checks.map(({ check, status, reason }) => (
                <TableRow key={`${check.name} ${check.component} ${check.unit}`}>
                  <TableCell>
                    {checkTitle(check, translate)}
                    <Typography variant="caption" color="textSecondary" dir="ltr" component="div">
                      {check.name}
                    </Typography>
                  </TableCell>
                  <TableCell>
                    <StateChip state={status} />
                  </TableCell>
                  <TableCell sx={{ whiteSpace: 'nowrap' }}>
                    {observedText(check, translate, locale)}
                  </TableCell>
                  <TableCell>{reason}</TableCell>
                </TableRow>
              ))}
            </DataTable>
            {processes.length > 0 && <ProcessList processes={processes} />}
          </>
        )}
      </Box>
    </>
  );
}

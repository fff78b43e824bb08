/** The rows that were left out: what is wrong with their cells is corrected here, and they are sent again. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { visuallyHidden } from '@mui/utils';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { Job } from '../../../client/source/index.ts';
import { breaksRule, refusalText } from '../data/fault-text.ts';
import { fieldsQuery } from '../data/queries.ts';
import { Failure } from '../shell/failure.tsx';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { Part } from '../shell/part.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { BadRowLine, type Edits } from './bad-row-line.tsx';
import { type BadRow, badRowsQuery, type RowFault, SHOWN } from './bad-rows.ts';
import { columnOf } from './column-of.ts';
import { type RememberedImport, rememberImport } from './memory.ts';
import { rowDialect } from './plan.ts';
import { cellsOf, withCells, writeRows } from './preview.ts';
import { useStart } from './use-start.ts';

export interface BadRowsPanelProps {
  readonly job: Job;
  readonly remembered: RememberedImport;
}

type EditsByRow = Readonly<Record<number, Edits>>;

function faultsByColumn(
  { faults }: BadRow,
  { columns, plan }: RememberedImport,
  say: (fault: RowFault) => string,
) {
  const told = faults.flatMap((fault) => {
    const { field } = fault;
    const text = say(fault);
    // Several fields together, such as those of a key, are joined by commas.
    return field.split(',').map((name) => {
      const column = columnOf(name.trim(), columns, plan.mapping);
      return column === null && field !== ''
        ? { column: '', text: `${field}: ${text}` }
        : { column: column ?? '', text };
    });
  });
  const texts = Map.groupBy(told, ({ column }) => column);
  return new Map([...texts].map(([name, list]) => [name, list.map(({ text }) => text).join(' ')]));
}

/** The corrected rows are a file of their own, one object or line each. */
function correctedName(file: string): string {
  const name = file.replace(/\.gz$/i, '').replace(/\.(xlsx|parquet)$/i, '.csv');
  return name.replace(/(\.[a-z]+)?$/i, '-corrected$1');
}

export function BadRowsPanel({ job, remembered }: BadRowsPanelProps) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const { columns, plan, dryRun, sent } = remembered;
  const dialect = rowDialect(plan);
  const without = useMemo(() => new Set(Object.keys(sent).map(Number)), [sent]);
  const rows = useQuery(badRowsQuery(job.id, without));
  const [edits, setEdits] = useState<EditsByRow>({});
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const isDirty = useRef(false);
  isDirty.current = Object.keys(edits).length > 0;
  const fields = useQuery({ ...fieldsQuery(job.collection ?? ''), enabled: !!job.collection });
  const say = (fault: RowFault) => {
    const meta = fields.data?.find(({ field }) => field === fault.field)?.meta;
    return (breaksRule(fault) && meta?.validation_message) || refusalText(fault, translate);
  };
  const shown = columns.filter((column) => plan.mapping[column] !== null);
  const choose = (row: number, now: boolean) =>
    setChosen((before) => {
      const next = new Set(before);
      if (now) next.add(row);
      else next.delete(row);
      return next;
    });
  const edit = (row: number, column: string, text: string) => {
    setEdits((before) => ({ ...before, [row]: { ...before[row], [column]: text } }));
    choose(row, true);
  };
  const picked = (rows.data?.rows ?? []).flatMap(({ row, original }) =>
    chosen.has(row) && original !== null ? [{ row, original }] : [],
  );
  const again = useStart((next, { name, plan: how }) => {
    isDirty.current = false;
    const numbers = picked.map(({ row }) => row);
    // Another browser may have sent the import.
    rememberImport(remembered);
    rememberImport(
      {
        ...{ job: next.id, file: name, columns, plan: how, dryRun: false, sent: {} },
        corrects: job.id,
      },
      numbers,
    );
    setEdits({});
    setChosen(new Set());
    void navigate(`/imports/${next.id}`);
  });
  const send = () => {
    const format = dialect.format === 'json' ? 'ndjson' : dialect.format;
    const how = { ...plan, ...dialect, format, charset: 'utf-8', onError: 'skip' } as const;
    const texts = picked.map(({ row, original }) =>
      edits[row] === undefined ? original : withCells(original, columns, dialect, edits[row]),
    );
    again.start({
      collection: job.collection ?? '',
      name: correctedName(remembered.file),
      content: writeRows(columns, texts, how),
      plan: how,
      dryRun: false,
    });
  };
  if (rows.isError) return <Failure error={rows.error} retry={() => rows.refetch()} />;
  if (rows.data?.rows.length === 0) return null;
  const help = dryRun ? 'imports.badRowsLater' : 'imports.badRowsHelp';
  return (
    <Part title={translate('imports.badRows')} help={translate(help)}>
      {rows.isPending ? (
        <LinearProgress aria-label={translate('shell.loading')} />
      ) : (
        <TableContainer sx={{ border: 1, borderColor: 'divider', borderRadius: 1 }}>
          <Table size="small">
            <caption style={visuallyHidden}>{translate('imports.badRows')}</caption>
            <TableHead>
              <TableRow>
                {!dryRun && (
                  <TableCell padding="checkbox">
                    <span style={visuallyHidden}>{translate('imports.chosen')}</span>
                  </TableCell>
                )}
                <TableCell align="right">{translate('imports.row')}</TableCell>
                {shown.map((column) => (
                  <TableCell key={column} sx={{ whiteSpace: 'nowrap' }}>
                    {column}
                  </TableCell>
                ))}
              </TableRow>
            </TableHead>
            <TableBody>
              {rows.data.rows.map((bad) => {
                const cells =
                  bad.original === null ? null : cellsOf(bad.original, columns, dialect);
                return (
                  <BadRowLine
                    key={bad.row}
                    bad={bad}
                    columns={shown}
                    cells={
                      cells &&
                      Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? '']))
                    }
                    edits={edits[bad.row] ?? {}}
                    faults={faultsByColumn(bad, remembered, say)}
                    choosable={!dryRun}
                    chosen={dryRun || cells === null ? null : chosen.has(bad.row)}
                    onEdit={edit}
                    onChoose={choose}
                  />
                );
              })}
            </TableBody>
          </Table>
        </TableContainer>
      )}
      {rows.data?.more && (
        <Alert severity="info" sx={{ mt: 2 }}>
          {translate('imports.moreRows', { count: SHOWN })}
        </Alert>
      )}
      <FailureAlert error={again.error} sx={{ mt: 2 }} />
      {!dryRun && (
        <Box sx={{ display: 'flex', justifyContent: 'flex-end', mt: 2 }}>
          <Button
            variant="contained"
            disabled={picked.length === 0}
            loading={again.isPending}
            onClick={send}
          >
            {picked.length === 0
              ? translate('imports.chosen')
              : translate('imports.sendAgain', { smart_count: picked.length })}
          </Button>
        </Box>
      )}
      <UnsavedChanges when={() => isDirty.current} />
    </Part>
  );
}

/** Undoes an import that kept what it changed: first tells what that would do, then does it. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job, UndoneImport } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { toldReason } from '../data/fault-text.ts';
import { isItem } from '../data/values.ts';
import { JOBS } from '../operations/job-query.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

/** Submits the undo and waits for it. */
async function undo(id: string, dryRun: boolean): Promise<Job<UndoneImport>> {
  const job = await client.jobs.submitUndo(id, { dryRun });
  return await client.jobs.wait<UndoneImport>(job.id);
}

/** How many rows are changed back, and why others are not. */
function Summary({ result, done }: { readonly result: UndoneImport; readonly done: boolean }) {
  const translate = useTranslate();
  const key = done ? 'done' : 'plan';
  const { removed, restored, kept, reasons } = result;
  return (
    <>
      <Typography variant="body2">
        {translate(`imports.undo.${key}Removed`, { smart_count: removed })}
      </Typography>
      <Typography variant="body2">
        {translate(`imports.undo.${key}Restored`, { smart_count: restored })}
      </Typography>
      {kept > 0 && (
        <Typography variant="body2">
          {translate(`imports.undo.${key}Kept`, { smart_count: kept })}
        </Typography>
      )}
      <Box component="ul" sx={{ m: 0, '&:empty': { display: 'none' } }}>
        {Object.entries(reasons).map(([code, rows]) => (
          <Typography key={code} component="li" variant="body2">
            {toldReason({ code, reason_code: code }, translate) ?? code} ({rows})
          </Typography>
        ))}
      </Box>
    </>
  );
}

export function UndoImport({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const trial = useMutation({ mutationFn: () => undo(job.id, true) });
  const real = useMutation({
    mutationFn: () => undo(job.id, false),
    onSuccess: () => setAsking(false),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: [JOBS] }),
        queries.invalidateQueries({ queryKey: ['items', job.collection] }),
      ]),
  });
  if (real.data !== undefined) {
    const { id, result } = real.data;
    return (
      <Alert
        severity={result.kept > 0 ? 'warning' : 'success'}
        role="status"
        action={
          result.kept > 0 && (
            <Button
              color="inherit"
              size="small"
              component="a"
              href={`/jobs/${encodeURIComponent(id)}/errors`}
            >
              {translate('imports.undo.rows')}
            </Button>
          )
        }
      >
        <Summary result={result} done />
      </Alert>
    );
  }
  // What is undone, or not kept any more, says so.
  if (job.state !== 'completed' || !isItem(job.result) || job.result.undo !== true) return null;
  const planned = trial.data?.result;
  return (
    <Box>
      <Button
        variant="outlined"
        startIcon={<Icon name="undo" />}
        onClick={() => {
          setAsking(true);
          trial.mutate();
        }}
      >
        {translate('imports.undo.button')}
      </Button>
      <ConfirmDialog
        open={asking}
        title={translate('imports.undo.title')}
        confirm={translate('imports.undo.confirm')}
        busy={trial.isPending || real.isPending}
        disabled={planned === undefined || planned.removed + planned.restored === 0}
        error={trial.error ?? real.error}
        onConfirm={() => real.mutate()}
        onClose={() => setAsking(false)}
      >
        {planned === undefined ? (
          !trial.isError && translate('imports.undo.trying')
        ) : (
          <Summary result={planned} done={false} />
        )}
      </ConfirmDialog>
    </Box>
  );
}

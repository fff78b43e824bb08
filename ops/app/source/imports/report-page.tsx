/** An import that has been started: how far it is, what became of the rows, and those that are bad. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect } from 'react';
import { Link, useParams } from 'react-router-dom';
import type { Job } from '../../../client/source/index.ts';
import { useCollections } from '../data/queries.ts';
import { CALLER, SCHEMA } from '../data/query-keys.ts';
import { IMPORTS, importPath, listPath } from '../data/route-of.ts';
import { isItem } from '../data/values.ts';
import { JobAbout } from '../operations/job-about.tsx';
import { JobActions } from '../operations/job-actions.tsx';
import { JobErrors } from '../operations/job-errors.tsx';
import { JobProgressBar } from '../operations/job-progress.tsx';
import { jobQuery } from '../operations/job-query.ts';
import { JobResult } from '../operations/job-result.tsx';
import { PausedQueue } from '../operations/paused-queue.tsx';
import { StateChip } from '../operations/state-chip.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { Icon } from '../theme/icon.tsx';
import { collectionName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { BadRowsPanel } from './bad-rows-panel.tsx';
import { FaultGroups } from './fault-groups.tsx';
import { ImportContext } from './import-context.ts';
import { type RememberedImport, useRememberedImport } from './memory.ts';
import { NewCollection } from './new-collection.tsx';
import { sentImportQuery } from './sent-options.ts';
import { UndoImport } from './undo-import.tsx';
import { useStartPrepared } from './use-start-prepared.ts';

interface PartProps {
  readonly job: Job;
  readonly dryRun: boolean;
}

const failedOf = ({ result }: Job) => (isItem(result) ? Number(result.failed ?? 0) : 0);

/** What one wants to know first: did it work, and what comes next. */
function Outcome({ job, dryRun }: PartProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { prepared } = useContext(ImportContext);
  const { start, isPending } = useStartPrepared(job.collection ?? '');
  const collection = useCollections().get(job.collection ?? '');
  const change = (
    <Button color="inherit" size="small" component={Link} to={importPath(job.collection ?? '')}>
      {translate('imports.change')}
    </Button>
  );
  if (job.state === 'failed') {
    return (
      <Alert severity="error" role="alert" action={prepared !== null && change}>
        {translate(dryRun ? 'imports.wouldBeRefused' : 'imports.refused')}
      </Alert>
    );
  }
  if (job.state !== 'completed') return null;
  const failed = failedOf(job);
  if (dryRun) {
    return (
      <Alert
        severity={failed > 0 ? 'warning' : 'success'}
        role="status"
        action={
          prepared !== null && (
            <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', justifyContent: 'flex-end' }}>
              {change}
              <Button
                size="small"
                variant="contained"
                loading={isPending}
                onClick={() => start(false)}
              >
                {translate('imports.startNow')}
              </Button>
            </Box>
          )
        }
      >
        {translate(failed > 0 ? 'imports.dryRunBad' : 'imports.dryRunGood', {
          smart_count: failed,
        })}
        {prepared === null && ` ${translate('imports.fileGone')}`}
      </Alert>
    );
  }
  return (
    <Alert
      severity={failed > 0 ? 'warning' : 'success'}
      role="status"
      action={
        collection !== undefined && (
          <Button
            color="inherit"
            size="small"
            component={Link}
            to={listPath(collection.collection)}
          >
            {translate('imports.toList', { name: collectionName(collection, locale) })}
          </Button>
        )
      }
    >
      {translate(failed > 0 ? 'imports.doneBad' : 'imports.done', { smart_count: failed })}
    </Alert>
  );
}

/** Where the rows of this import went that have been corrected. */
function SentRows({ remembered: { sent } }: { readonly remembered: RememberedImport }) {
  const translate = useTranslate();
  const byJob = [...Map.groupBy(Object.values(sent), (job) => job)];
  if (byJob.length === 0) return null;
  return (
    <Alert severity="info">
      {byJob.map(([job, rows]) => (
        <Typography key={job} variant="body2" component="div">
          {translate('imports.sent', { smart_count: rows.length })}{' '}
          <MuiLink component={Link} to={`${IMPORTS}/${job}`}>
            {translate('imports.toReport')}
          </MuiLink>
        </Typography>
      ))}
    </Alert>
  );
}

function Report({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  const queries = useQueryClient();
  const stored = useRememberedImport(job.id);
  // The App may have sent a file whose columns it could not read.
  const isKnown = stored !== null && stored.columns.length > 0;
  const told = useQuery(sentImportQuery(job, !isKnown && failedOf(job) > 0));
  const remembered = isKnown ? stored : (told.data ?? stored);
  const dryRun = (isItem(job.result) && job.result.dry_run === true) || remembered?.dryRun === true;
  const { state, collection } = job;
  const created = isItem(job.result) && typeof job.result.schema_job === 'string';
  // Lists show what has come, and the menu a collection that the import has made.
  useEffect(() => {
    if (state !== 'completed' || dryRun) return;
    void queries.invalidateQueries({ queryKey: ['items', collection] });
    if (!created) return;
    for (const queryKey of [[SCHEMA], [CALLER]]) void queries.invalidateQueries({ queryKey });
  }, [state, dryRun, created, collection, queries]);
  const title = translate(dryRun ? 'imports.dryRun' : 'imports.oneTitle', {
    file: job.file_name ?? '',
  });
  return (
    <>
      <PageHeader
        title={title}
        back={remembered?.corrects ? `${IMPORTS}/${remembered.corrects}` : IMPORTS}
        note={<StateChip state={state} />}
        actions={<JobActions job={job} />}
      />
      <Box sx={{ p: { xs: 1.5, md: 3 }, display: 'grid', gap: 2, gridTemplateColumns: '100%' }}>
        <Box role="status" sx={{ '&:empty': { display: 'none' } }}>
          <JobProgressBar job={job} />
          {state === 'waiting' && (
            <Typography color="textSecondary">
              {job.position
                ? translate('operations.position', { position: job.position })
                : translate('operations.waits')}
            </Typography>
          )}
        </Box>
        <PausedQueue job={job} />
        <Outcome job={job} dryRun={dryRun} />
        <JobResult job={job} />
        <FaultGroups result={job.result} />
        <NewCollection result={job.result} />
        {remembered !== null && <SentRows remembered={remembered} />}
        {failedOf(job) > 0 && remembered !== null && !told.isLoading && (
          <BadRowsPanel key={job.id} job={job} remembered={remembered} />
        )}
        {failedOf(job) > 0 && remembered === null && !told.isLoading && (
          <Alert severity="info">{translate('imports.elsewhere')}</Alert>
        )}
        {failedOf(job) > 0 && (
          <Box>
            <Button
              component="a"
              href={`/jobs/${encodeURIComponent(job.id)}/rejected`}
              startIcon={<Icon name="download" />}
            >
              {translate('imports.rejectedFile')}
            </Button>
          </Box>
        )}
        <UndoImport job={job} />
        <JobErrors job={job} />
        <JobAbout job={job} />
      </Box>
    </>
  );
}

export function Component() {
  const translate = useTranslate();
  const { job: id = '' } = useParams();
  const job = useQuery(jobQuery(id));
  if (job.isPending) return <Loading />;
  if (job.data === undefined) {
    return (
      <>
        <PageHeader title={translate('imports.title')} back={IMPORTS} />
        <Failure error={job.error} retry={() => job.refetch()} />
      </>
    );
  }
  return <Report job={job.data} />;
}

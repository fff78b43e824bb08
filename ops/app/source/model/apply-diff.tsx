/** The differences that were found, and the way to apply them. */
import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import Typography from '@mui/material/Typography';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { SluiceError } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { tellFailure } from '../data/failure.ts';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { ChangeState } from './change-state.tsx';
import { DiffList } from './diff-list.tsx';
import { Refusal } from './refusal.tsx';
import { type FoundDiff, groupsOf, partOf } from './snapshot-diff.ts';
import { useChange } from './use-change.ts';

export interface ApplyDiffProps {
  readonly found: FoundDiff;
  /** Compares again, after the schema has changed. */
  readonly onAgain: () => void;
  /** @param rest whether some collections were left as they are */
  readonly onApplied: (rest: boolean) => void;
}

function Statements({ found }: { readonly found: FoundDiff }) {
  const translate = useTranslate();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => client.schema.tryApply(found),
  });
  if (data === undefined) {
    return (
      <>
        <Box>
          <Button loading={isPending} onClick={() => mutate()}>
            {translate('model.showSql')}
          </Button>
        </Box>
        {error !== null && <Refusal error={error} onForce={() => mutate()} />}
      </>
    );
  }
  return (
    <Box
      component="pre"
      role="region"
      aria-label="SQL"
      tabIndex={0}
      dir="ltr"
      sx={{
        ...{ m: 0, p: 1.5, borderRadius: 1, bgcolor: 'action.hover', fontSize: 12.5 },
        ...{ overflow: 'auto', maxHeight: 320 },
      }}
    >
      {data.join(';\n')}
    </Box>
  );
}

export function ApplyDiff({ found, onAgain, onApplied }: ApplyDiffProps) {
  const translate = useTranslate();
  const [accepted, setAccepted] = useState(false);
  const all = useMemo(() => groupsOf(found), [found]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(all.map(({ collection }) => collection)),
  );
  const groups = all.filter(({ collection }) => chosen.has(collection));
  const part = groups.length === all.length ? found : partOf(found, chosen);
  const count = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  const gone = groups.flatMap(({ entries }) => entries).filter(({ kind }) => kind === 'gone');
  const work = useChange(() => onApplied(groups.length < all.length));
  const { hash, diff } = part;
  const apply = () => work.run([{ method: 'POST', path: '/schema/apply', body: { hash, diff } }]);
  const isStale = work.error instanceof SluiceError && work.error.code === 'INVALID_PAYLOAD';
  return (
    <>
      <DiffList
        groups={all}
        chosen={chosen}
        onChoose={(next) => {
          setChosen(next);
          setAccepted(false);
          work.reset();
        }}
      />
      <Part title={translate('model.apply')} help={translate('model.applyHelp')}>
        {gone.length > 0 && (
          <>
            <Alert severity="error">
              {translate('model.applyGone', { smart_count: gone.length })}
            </Alert>
            <FormControlLabel
              control={
                <Checkbox
                  size="small"
                  checked={accepted}
                  onChange={(_, checked) => setAccepted(checked)}
                />
              }
              label={translate('model.applyAccept')}
              slotProps={{ typography: { variant: 'body2' } }}
            />
          </>
        )}
        {!isStale && <ChangeState work={work} />}
        {isStale && (
          <Alert
            severity="warning"
            action={
              <Button color="inherit" size="small" onClick={onAgain}>
                {translate('model.compareAgain')}
              </Button>
            }
          >
            <AlertTitle>{translate('model.refused')}</AlertTitle>
            {translate('model.stale')}
            <Typography variant="body2" sx={{ mt: 1, opacity: 0.85 }}>
              {tellFailure(work.error, translate).detail}
            </Typography>
          </Alert>
        )}
        {count > 0 && <Statements key={[...chosen].join()} found={part} />}
        <Box>
          <Button
            variant="contained"
            color={gone.length > 0 ? 'error' : 'primary'}
            disabled={count === 0 || (gone.length > 0 && !accepted)}
            loading={work.isPending}
            onClick={apply}
          >
            {translate('model.applyCount', { smart_count: count })}
          </Button>
        </Box>
      </Part>
    </>
  );
}

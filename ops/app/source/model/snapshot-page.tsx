/** Snapshots: the data model as a file, compared with another one and made like it. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { SluiceError } from '../../../client/source/index.ts';
import { client } from '../data/client.ts';
import { Message } from '../shell/message.tsx';
import { notify } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { FORM, Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { ApplyDiff } from './apply-diff.tsx';
import { Refusal } from './refusal.tsx';
import type { FoundDiff } from './snapshot-diff.ts';
import { SnapshotFile } from './snapshot-file.tsx';
import { TakeSnapshot } from './take-snapshot.tsx';

const MODES = ['merge', 'mirror'] as const;

interface Comparison {
  readonly file: File;
  readonly mode: string;
  readonly force: boolean;
}

export function Component() {
  const translate = useTranslate();
  const [mode, setMode] = useState<string>('merge');
  const { mutate, variables, data, error, isPending, isSuccess, reset } = useMutation({
    mutationFn: ({ file, mode: chosen, force }: Comparison): Promise<FoundDiff | null> => {
      const body = new FormData();
      body.set('file', file);
      const query = { mode: chosen, force: force || undefined };
      return client.request('POST', '/schema/diff', { query, body, repeat: true });
    },
  });
  const compare = (file: File, force = false) => mutate({ file, mode, force });
  const again = () => variables !== undefined && mutate({ ...variables, mode });
  const chooseMode = (next: string) => {
    setMode(next);
    if (variables !== undefined) mutate({ ...variables, mode: next });
  };
  const mayForce =
    error instanceof SluiceError && error.code === 'INVALID_PAYLOAD' && variables?.force === false;
  return (
    <>
      <PageHeader title={translate('model.snapshots')} />
      <Box sx={FORM}>
        <TakeSnapshot />
        <Part title={translate('model.compare')} help={translate('model.compareHelp')}>
          <RadioGroup
            aria-label={translate('model.mode')}
            value={mode}
            onChange={(_, next) => chooseMode(next)}
          >
            {MODES.map((one) => (
              <FormControlLabel
                key={one}
                value={one}
                control={<Radio size="small" sx={{ py: 0.5 }} />}
                label={translate(`model.mode_${one}`)}
                slotProps={{ typography: { variant: 'body2' } }}
              />
            ))}
          </RadioGroup>
          <SnapshotFile
            name={variables?.file.name ?? null}
            busy={isPending}
            onFile={(file) => compare(file)}
          />
          {error !== null && <Refusal error={error} onForce={again} title="model.notCompared" />}
          {mayForce && (
            <Box>
              <Button onClick={() => variables && compare(variables.file, true)}>
                {translate('model.compareAnyway')}
              </Button>
            </Box>
          )}
        </Part>
        {isSuccess && data === null && (
          <Message icon="check" title={translate('model.noDifference')}>
            {translate(mode === 'merge' ? 'model.noDifferenceMerge' : 'model.noDifferenceMirror')}
          </Message>
        )}
        {isSuccess && data !== null && (
          <ApplyDiff
            key={data.hash + mode}
            found={data}
            onAgain={again}
            onApplied={(rest) => {
              // What was left out is still different.
              if (rest) again();
              else reset();
              notify('model.applied', { type: 'success' });
            }}
          />
        )}
        {isSuccess && data !== null && mode === 'mirror' && (
          <Alert severity="info">{translate('model.mirrorHelp')}</Alert>
        )}
      </Box>
    </>
  );
}

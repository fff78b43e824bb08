/**
 * What is being uploaded into a form: whoever saves it means those files, too, and leaving it gives
 * them up.
 */
import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { useTranslate } from '../translation/use-translate.ts';

/** Counts an upload; the function that it yields is called when that has ended. */
type Begin = () => (failed: boolean) => void;

const RunningUploads = createContext<Begin>(() => () => undefined);

/** For controls that upload. */
export function useRunningUploads(): Begin {
  return useContext(RunningUploads);
}

/** Puts a form around controls that upload. */
export const UploadsOfForm = RunningUploads.Provider;

export interface UploadsFirst<T> {
  /** For {@link UploadsOfForm}. */
  readonly begin: Begin;
  /** Does it now, or as soon as nothing is uploaded any more. */
  readonly request: (what: T) => void;
  readonly isRunning: () => boolean;
  /** Resolves when none is running. */
  readonly ended: () => Promise<void>;
  readonly running: number;
  readonly waits: boolean;
  /** One of those that were waited for has failed, so that nothing was done. */
  readonly failed: boolean;
  readonly cancel: () => void;
}

/** Does something once the uploads have ended, with the values that they have left; not when one fails. */
export function useUploadsFirst<T>(act: (what: T) => void): UploadsFirst<T> {
  const [running, setRunning] = useState(0);
  const [waiting, setWaiting] = useState<{ readonly what: T } | null>(null);
  const [failed, setFailed] = useState(false);
  const count = useRef(0);
  const failures = useRef(0);
  const waiters = useRef<readonly (() => void)[]>([]);
  const begin = useCallback(() => {
    const change = (by: number) => {
      count.current += by;
      setRunning(count.current);
      if (count.current > 0) return;
      for (const resolve of waiters.current) resolve();
      waiters.current = [];
    };
    change(1);
    setFailed(false);
    return (hasFailed: boolean) => {
      if (hasFailed) failures.current += 1;
      change(-1);
    };
  }, []);
  useEffect(() => {
    if (waiting === null || running > 0) return;
    setWaiting(null);
    if (failures.current > 0) setFailed(true);
    else act(waiting.what);
  }, [waiting, running, act]);
  const request = (what: T) => {
    setFailed(false);
    failures.current = 0;
    if (count.current === 0) act(what);
    else setWaiting({ what });
  };
  const cancel = useCallback(() => setWaiting(null), []);
  const isRunning = useCallback(() => count.current > 0, []);
  const ended = useCallback(async () => {
    if (count.current === 0) return;
    await new Promise<void>((resolve) => {
      waiters.current = [...waiters.current, resolve];
    });
  }, []);
  return { begin, request, isRunning, ended, running, waits: waiting !== null, failed, cancel };
}

interface UploadsNoticeProps {
  readonly uploads: Pick<UploadsFirst<unknown>, 'waits' | 'failed' | 'cancel'>;
}

/** Says that an upload is waited for, or that it has failed. */
export function UploadsNotice({ uploads: { waits, failed, cancel } }: UploadsNoticeProps) {
  const translate = useTranslate();
  if (failed) {
    return (
      <Alert severity="error" role="alert" sx={{ mb: 2 }}>
        {translate('shell.uploadFailed')}
      </Alert>
    );
  }
  if (!waits) return null;
  const stop = (
    <Button color="inherit" size="small" onClick={cancel}>
      {translate('shell.uploadNoWait')}
    </Button>
  );
  return (
    <Alert severity="info" role="status" sx={{ mb: 2 }} action={stop}>
      {translate('shell.uploadWait')}
    </Alert>
  );
}

/**
 * Uploads into the library. They go on while one moves through the App, and a panel tells how far
 * they are.
 */
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useId, useRef } from 'react';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { UploadList } from './upload-area.tsx';
import { UploadContext } from './upload-context.ts';
import { useUploads } from './uploads.ts';

export function LibraryUploads({ children }: { readonly children: ReactNode }) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const id = useId();
  const done = useRef(0);
  const uploaded = useCallback(() => {
    done.current += 1;
    void queryClient.invalidateQueries({ queryKey: ['items', 'system_files'] });
  }, [queryClient]);
  const { uploads, begin } = useUploads(uploaded);
  const beginAll = useCallback(
    (files: readonly File[], folder: string | null) => {
      for (const file of files) begin(file, folder === null ? {} : { folder });
    },
    [begin],
  );
  const count = uploads.length;
  useEffect(() => {
    if (count > 0 || done.current === 0) return;
    notify('files.uploaded', { type: 'success', messageArgs: { smart_count: done.current } });
    done.current = 0;
  }, [count]);
  const isRunning = count > 0;
  useEffect(() => {
    if (!isRunning) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isRunning]);
  return (
    <UploadContext value={beginAll}>
      {children}
      {count > 0 && (
        <Paper
          component="section"
          aria-labelledby={id}
          elevation={8}
          sx={{
            ...{ position: 'fixed', insetInlineEnd: 16, bottom: 16, zIndex: 'snackbar' },
            ...{ width: 'min(380px, calc(100vw - 32px))', p: 2, borderRadius: 2 },
          }}
        >
          <Typography id={id} variant="h3" component="h2">
            {translate('files.uploading', { smart_count: count })}
          </Typography>
          <UploadList uploads={uploads} />
        </Paper>
      )}
    </UploadContext>
  );
}

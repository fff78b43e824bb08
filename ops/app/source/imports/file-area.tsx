/** Where the file is dropped or chosen, and which one it is. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useMutation } from '@tanstack/react-query';
import { formatBytes } from '../display/format.ts';
import { DropArea } from '../shell/drop-area.tsx';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { type OpenedFile, openFile, RefusedFile } from './beginning.ts';
import type { Format } from './plan.ts';

export interface FileAreaProps {
  readonly opened: OpenedFile | null;
  readonly format: Format | null;
  readonly onOpened: (opened: OpenedFile) => void;
}

const ACCEPTED = '.csv,.tsv,.txt,.json,.ndjson,.jsonl,.xlsx,.parquet,.gz';

export function FileArea({ opened, format, onOpened }: FileAreaProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const open = useMutation({ mutationFn: openFile, onSuccess: onOpened });
  const facts = opened && [
    formatBytes(opened.file.size, locale),
    ...(format === null ? [] : [translate(`imports.format.${format}`)]),
    ...(opened.gzip ? ['gzip'] : []),
  ];
  return (
    <DropArea
      label={translate('imports.choose')}
      accept={ACCEPTED}
      onFiles={([file]) => file !== undefined && open.mutate(file)}
      background="background.default"
      sx={{
        ...{ display: 'flex', alignItems: 'center', gap: 2, borderRadius: 2, p: { xs: 2, md: 3 } },
        ...(opened === null
          ? { flexDirection: 'column', py: { xs: 4, md: 6 } }
          : { flexWrap: 'wrap' }),
      }}
    >
      {(choose) => (
        <>
          <Icon
            name={opened === null ? 'cloud_upload' : 'file'}
            sx={{ color: 'text.secondary', fontSize: opened === null ? 40 : 28 }}
          />
          {opened === null ? (
            <Box sx={{ textAlign: 'center' }}>
              <Typography variant="h3" component="p">
                {translate('imports.drop')}
              </Typography>
              <Typography variant="body2" color="textSecondary" sx={{ mt: 0.5 }}>
                {translate('imports.formats')}
              </Typography>
            </Box>
          ) : (
            <Box sx={{ flex: '1 1 200px', minWidth: 0 }}>
              <Typography noWrap sx={{ fontWeight: 600 }}>
                {opened.file.name}
              </Typography>
              <Typography variant="body2" color="textSecondary">
                {facts?.join(' · ')}
              </Typography>
            </Box>
          )}
          <Button
            variant={opened === null ? 'contained' : 'outlined'}
            loading={open.isPending}
            onClick={choose}
            sx={{ flexShrink: 0 }}
          >
            {translate(opened === null ? 'imports.choose' : 'imports.chooseOther')}
          </Button>
          {open.isError && (
            <Alert severity="error" role="alert">
              {translate(
                open.error instanceof RefusedFile
                  ? `imports.refusedFile.${open.error.kind}`
                  : 'imports.unreadable',
              )}
            </Alert>
          )}
        </>
      )}
    </DropArea>
  );
}

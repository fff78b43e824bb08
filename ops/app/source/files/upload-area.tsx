/** Where files are dropped or chosen; each upload tells how far it is, and can be given up. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import { type ReactNode, useCallback, useRef } from 'react';
import { mayPass, tellFailure } from '../data/failure.ts';
import type { Item } from '../data/schema-types.ts';
import { DropArea } from '../shell/drop-area.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { type Upload, useUploads } from './uploads.ts';

interface UploadAreaProps {
  readonly onUploaded: (file: Item) => void;
  readonly multiple?: boolean;
  readonly accept?: string | undefined;
  /** More buttons. */
  readonly children?: ReactNode;
}

function UploadRow({ upload }: { readonly upload: Upload }) {
  const translate = useTranslate();
  const { name, percent, error, cancel, retry } = upload;
  const failure = error === null ? null : tellFailure(error, translate);
  return (
    <Box component="li" sx={{ display: 'flex', alignItems: 'center', gap: 1, py: 0.5 }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Box sx={{ display: 'flex', gap: 1, fontSize: 13 }}>
          <Typography noWrap component="div" sx={{ fontSize: 13, flex: 1 }}>
            {name}
          </Typography>
          {failure === null && (
            <Box sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
              {translate('file.percent', { percent: Math.floor(percent) })}
            </Box>
          )}
        </Box>
        {failure === null ? (
          <LinearProgress
            variant="determinate"
            value={percent}
            aria-label={translate('file.uploading', { name })}
          />
        ) : (
          <Typography role="alert" color="error" component="div" sx={{ fontSize: 13 }}>
            {translate(failure.text)} {failure.detail}
          </Typography>
        )}
      </Box>
      {failure !== null && mayPass(error) && (
        <Button size="small" onClick={retry}>
          {translate('file.goOn')}
        </Button>
      )}
      <IconButton size="small" aria-label={translate('file.giveUp', { name })} onClick={cancel}>
        <Icon name="close" fontSize="small" />
      </IconButton>
    </Box>
  );
}

/** Rows of uploads that are shown at once. */
const SHOWN = 6;

/** The uploads that are under way or have failed; those that failed stand first. */
export function UploadList({ uploads }: { readonly uploads: readonly Upload[] }) {
  const translate = useTranslate();
  if (uploads.length === 0) return null;
  const failed = uploads.filter(({ error }) => error !== null);
  const others = uploads.filter(({ error }) => error === null);
  const more = uploads.length - SHOWN;
  return (
    <>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, mt: 1, textAlign: 'start' }}>
        {[...failed, ...others].slice(0, SHOWN).map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </Box>
      {more > 0 && (
        <Typography variant="body2" color="textSecondary">
          {translate('file.moreUploads', { smart_count: more })}
        </Typography>
      )}
    </>
  );
}

export function UploadArea({ onUploaded, multiple = false, accept, children }: UploadAreaProps) {
  const translate = useTranslate();
  // The latest, as others may have been added meanwhile.
  const latest = useRef(onUploaded);
  latest.current = onUploaded;
  const tell = useCallback((file: Item) => latest.current(file), []);
  const { uploads, begin } = useUploads(tell);
  return (
    <DropArea
      label={translate('file.choose')}
      accept={accept}
      multiple={multiple}
      onFiles={(files) => {
        for (const file of files) begin(file);
      }}
      sx={{ borderRadius: 1, p: 2, mt: 1, textAlign: 'center' }}
    >
      {(choose) => (
        <>
          <Typography color="textSecondary" sx={{ mb: 1 }}>
            {translate(multiple ? 'file.dropMany' : 'file.dropOne')}
          </Typography>
          <Box sx={{ display: 'flex', gap: 1, justifyContent: 'center', flexWrap: 'wrap' }}>
            <Button
              variant="outlined"
              size="small"
              startIcon={<Icon name="upload" />}
              onClick={choose}
            >
              {translate('file.choose')}
            </Button>
            {children}
          </Box>
          <UploadList uploads={uploads} />
        </>
      )}
    </DropArea>
  );
}

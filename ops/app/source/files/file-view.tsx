/** The preview of a file, and what can be done with its content. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../data/client.ts';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { isPicture } from '../display/file-sign.tsx';
import { notify, notifyFailure } from '../shell/notify.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FileCrop } from './file-crop.tsx';
import { FilePreview } from './file-preview.tsx';
import { FILES } from './library-query.ts';

export interface FileViewProps {
  readonly file: Item;
  /** What the form shows. */
  readonly values: Item;
  readonly readOnly: boolean;
  readonly onChange: (part: Item) => void;
}

/** Pictures that browsers show, and so can cut. */
const SHOWN = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif']);

export function FileView({ file, values, readOnly, onChange }: FileViewProps) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const input = useRef<HTMLInputElement>(null);
  const [content, setContent] = useState<File | null>(null);
  const id = String(file.id);
  const path = `/assets/${encodeURIComponent(id)}`;
  const name = String(values.filename_download ?? file.filename_download ?? id);
  const replace = useMutation({
    mutationFn: (next: File) => client.files.replace(id, next),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['items', FILES] });
      notify('file.replaced', { type: 'success' });
    },
    onError: (error) => notifyFailure(error, translate),
  });
  const read = useMutation({
    mutationFn: async () => {
      const blob = await (await client.assets.read(id)).blob();
      return new File([blob], name, { type: String(file.type) });
    },
    onSuccess: setContent,
    onError: (error) => notifyFailure(error, translate),
  });
  const mayCrop = !readOnly || may(rights, FILES, 'create');
  const isCroppable = isPicture(file) && SHOWN.has(String(file.type));
  return (
    <Paper variant="outlined" sx={{ p: { xs: 1.5, md: 2 }, display: 'grid', gap: 1.5 }}>
      <FilePreview file={file} values={values} readOnly={readOnly} onChange={onChange} />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        <Button href={`${path}?download`} startIcon={<Icon name="download" />}>
          {translate('file.download')}
        </Button>
        <Button href={path} target="_blank" rel="noopener" startIcon={<Icon name="open_in_new" />}>
          {translate('files.open')}
        </Button>
        {isCroppable && mayCrop && (
          <Button
            loading={read.isPending}
            startIcon={<Icon name="crop" />}
            onClick={() => read.mutate()}
          >
            {translate('files.crop')}
          </Button>
        )}
        {!readOnly && (
          <Button
            loading={replace.isPending}
            startIcon={<Icon name="upload" />}
            onClick={() => input.current?.click()}
          >
            {translate('file.replace')}
          </Button>
        )}
      </Box>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={translate('file.replace')}
        onChange={({ target }) => {
          const next = target.files?.[0];
          if (next !== undefined) replace.mutate(next);
          target.value = '';
        }}
      />
      {content !== null && (
        <FileCrop
          id={id}
          values={values}
          content={content}
          mayReplace={!readOnly}
          onClose={() => setContent(null)}
        />
      )}
    </Paper>
  );
}

/** A file of the library as a tile or as a row: its picture, name and size, and whether it is selected. */
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import Paper from '@mui/material/Paper';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { Link } from 'react-router-dom';
import type { Item } from '../data/schema-types.ts';
import { FileSign, isPicture } from '../display/file-sign.tsx';
import { formatBytes } from '../display/format.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { usePicture } from '../display/use-picture.ts';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { fileName, filePath } from './library-query.ts';

export interface FileProps {
  readonly file: Item;
  readonly selected: boolean;
  readonly onToggle: (id: string) => void;
}

const SIGNS: readonly (readonly [start: string, icon: IconName])[] = [
  ['image/', 'image'],
  ['video/', 'movie'],
  ['audio/', 'music_note'],
  ['text/', 'article'],
  ['application/pdf', 'article'],
];

/** The sign of a type that has no picture. */
export function signOf(type: unknown): IconName {
  return SIGNS.find(([start]) => String(type ?? '').startsWith(start))?.[1] ?? 'file';
}

/** The format of a file in short: `PNG`. */
function formatOf(file: Item): string {
  const ending = /\.([^.]{1,5})$/.exec(String(file.filename_download ?? ''))?.[1];
  return (
    ending ??
    String(file.type ?? '')
      .split('/')
      .at(-1) ??
    ''
  ).toUpperCase();
}

function BigSign({ type }: { readonly type: unknown }) {
  return <Icon name={signOf(type)} sx={{ fontSize: 48, color: 'text.secondary' }} />;
}

function Picture({ file }: { readonly file: Item }) {
  const version = encodeURIComponent(String(file.modified_on ?? ''));
  const source = `/assets/${file.id}?key=system-medium-contain&v=${version}`;
  const { attempt, failed, onError } = usePicture(source);
  if (failed) return <BigSign type={file.type} />;
  return (
    <Box
      component="img"
      key={attempt}
      src={source}
      onError={onError}
      alt=""
      loading="lazy"
      sx={{ width: 1, height: 1, objectFit: 'contain', display: 'block' }}
    />
  );
}

function Choose({ file, selected, onToggle, id }: FileProps & { readonly id: string }) {
  const translate = useTranslate();
  return (
    <Checkbox
      size="small"
      checked={selected}
      onChange={() => onToggle(String(file.id))}
      slotProps={{
        input: { 'aria-label': translate('files.select'), 'aria-describedby': id },
      }}
      sx={{ p: 0.5 }}
    />
  );
}

function NameLink({ file, id }: { readonly file: Item; readonly id: string }) {
  const name = fileName(file);
  return (
    <Box
      component={Link}
      id={id}
      to={filePath(String(file.id))}
      title={name}
      sx={{
        color: 'text.primary',
        textDecoration: 'none',
        // The whole tile or row leads there.
        '&::after': { content: '""', position: 'absolute', inset: 0, borderRadius: 'inherit' },
      }}
    >
      {name}
    </Box>
  );
}

export function FileTile(props: FileProps) {
  const { file, selected } = props;
  const [locale] = useLocaleState();
  const id = useId();
  const facts = [
    formatOf(file),
    ...(file.filesize === null || file.filesize === undefined
      ? []
      : [formatBytes(Number(file.filesize), locale)]),
  ];
  return (
    <Paper
      component="li"
      variant="outlined"
      sx={{
        ...{ position: 'relative', overflow: 'hidden', borderRadius: 2 },
        ...{ contentVisibility: 'auto', containIntrinsicSize: 'auto 212px' },
        ...(selected && { borderColor: 'primary.main', boxShadow: '0 0 0 1px currentColor' }),
        ...(selected && { color: 'primary.main' }),
        '&:hover': { borderColor: 'primary.main' },
      }}
    >
      <Box
        sx={{
          ...{ height: 148, display: 'grid', placeItems: 'center', overflow: 'hidden', p: 1 },
          bgcolor: 'action.hover',
        }}
      >
        {isPicture(file) ? <Picture file={file} /> : <BigSign type={file.type} />}
      </Box>
      <Box sx={{ px: 1.25, py: 1, minWidth: 0 }}>
        <Typography noWrap sx={{ fontSize: 14, fontWeight: 600 }}>
          <NameLink file={file} id={id} />
        </Typography>
        <Typography noWrap color="textSecondary" sx={{ fontSize: 12 }}>
          {facts.filter(Boolean).join(' · ')}
        </Typography>
      </Box>
      <Box
        sx={{
          ...{ position: 'absolute', top: 6, insetInlineStart: 6, zIndex: 1, borderRadius: 1 },
          bgcolor: 'background.paper',
          lineHeight: 0,
        }}
      >
        <Choose {...props} id={id} />
      </Box>
    </Paper>
  );
}

export function FileRow(props: FileProps) {
  const { file, selected } = props;
  const [locale] = useLocaleState();
  const formatDate = useFormatDate();
  const id = useId();
  const { width, height, filesize, created_on: created } = file;
  return (
    <TableRow hover selected={selected} sx={{ position: 'relative' }}>
      <TableCell padding="checkbox">
        <Box sx={{ position: 'relative', zIndex: 1 }}>
          <Choose {...props} id={id} />
        </Box>
      </TableCell>
      <TableCell>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5, minWidth: 0 }}>
          {isPicture(file) ? (
            <FileSign file={file} size={32} />
          ) : (
            <Icon name={signOf(file.type)} sx={{ fontSize: 32, color: 'text.secondary' }} />
          )}
          <Box sx={{ overflowWrap: 'anywhere' }}>
            <NameLink file={file} id={id} />
          </Box>
        </Box>
      </TableCell>
      <TableCell>{formatOf(file)}</TableCell>
      <TableCell align="right">
        {filesize !== null && filesize !== undefined && formatBytes(Number(filesize), locale)}
      </TableCell>
      <TableCell sx={{ display: { xs: 'none', md: 'table-cell' } }}>
        {Number(width ?? 0) > 0 && `${width} × ${height}`}
      </TableCell>
      <TableCell sx={{ display: { xs: 'none', md: 'table-cell' } }}>
        {typeof created === 'string' && formatDate('timestamp', created)}
      </TableCell>
    </TableRow>
  );
}

/** The content of a file, as far as browsers show it. */
import Box from '@mui/material/Box';
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import type { Item } from '../data/schema-types.ts';
import { isPicture } from '../display/file-sign.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { signOf } from './file-tile.tsx';
import type { FileViewProps } from './file-view.tsx';
import { FocalPoint } from './focal-point.tsx';
import { FILES, fileName } from './library-query.ts';

/** Bytes of a text that are shown. */
const TEXT_BYTES = 65_536;
const TEXT = /^text\/|^application\/(json|x-ndjson|yaml|sql)$/;

function TextPreview({ file }: { readonly file: Item }) {
  const translate = useTranslate();
  const id = String(file.id);
  const { data } = useQuery({
    queryKey: ['items', FILES, 'text', id, file.modified_on],
    queryFn: async ({ signal }) => {
      const headers = { range: `bytes=0-${TEXT_BYTES - 1}` };
      return (await client.assets.read(id, {}, { headers, signal })).text();
    },
    // An empty file has no such range.
    enabled: Number(file.filesize ?? 0) > 0,
  });
  return (
    <Box
      component="pre"
      tabIndex={0}
      dir="auto"
      aria-label={translate('files.previewOf', { name: fileName(file) })}
      sx={{
        ...{ m: 0, p: 2, maxHeight: 420, overflow: 'auto', borderRadius: 1 },
        ...{ bgcolor: 'action.hover', fontSize: 13, whiteSpace: 'pre-wrap' },
        overflowWrap: 'anywhere',
      }}
    >
      {data}
    </Box>
  );
}

export function FilePreview({ file, values, readOnly, onChange }: FileViewProps) {
  const translate = useTranslate();
  const version = encodeURIComponent(String(file.modified_on ?? ''));
  const path = `/assets/${file.id}?v=${version}`;
  const type = String(file.type ?? '');
  const name = fileName({ ...file, ...values });
  const label = translate('files.previewOf', { name });
  const [width, height] = [Number(file.width ?? 0), Number(file.height ?? 0)];
  if (isPicture(file) && width > 0 && height > 0) {
    const { focal_point_x: x, focal_point_y: y } = values;
    const point = typeof x === 'number' && typeof y === 'number' ? { x, y } : null;
    return (
      <Box sx={{ textAlign: 'center', bgcolor: 'action.hover', borderRadius: 1, p: 1 }}>
        <FocalPoint
          source={`${path}&key=system-large-contain`}
          name={name}
          width={width}
          height={height}
          point={point}
          readOnly={readOnly}
          onChange={(next) => onChange({ focal_point_x: next.x, focal_point_y: next.y })}
        />
      </Box>
    );
  }
  if (/^image\/(gif|bmp|x-icon|apng)$/.test(type)) {
    return <Box component="img" src={path} alt={name} sx={{ maxWidth: 1, maxHeight: 420 }} />;
  }
  if (type.startsWith('video/')) {
    return (
      <Box
        component="video"
        controls
        preload="metadata"
        src={path}
        aria-label={label}
        sx={{ width: 1, maxHeight: 420, bgcolor: '#000', borderRadius: 1 }}
      >
        <track kind="captions" />
      </Box>
    );
  }
  if (type.startsWith('audio/')) {
    return (
      <Box
        component="audio"
        controls
        preload="metadata"
        src={path}
        aria-label={label}
        sx={{ width: 1 }}
      >
        <track kind="captions" />
      </Box>
    );
  }
  if (type === 'application/pdf') {
    return (
      <Box
        component="iframe"
        src={path}
        title={label}
        sx={{ width: 1, height: 520, border: 1, borderColor: 'divider', borderRadius: 1 }}
      />
    );
  }
  if (TEXT.test(type)) return <TextPreview file={file} />;
  return (
    <Box sx={{ display: 'grid', placeItems: 'center', height: 200, bgcolor: 'action.hover' }}>
      <Icon name={signOf(type)} sx={{ fontSize: 72, color: 'text.secondary' }} />
    </Box>
  );
}

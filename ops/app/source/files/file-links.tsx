/** The addresses of a file: the original, and for a picture each preset of the settings. */
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { useRights } from '../data/queries.ts';
import { mayField } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { isPicture } from '../display/file-sign.tsx';
import { CopyIcon } from '../shell/copy-button.tsx';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';

const SETTINGS = 'system_settings';
const PRESETS = 'storage_asset_presets';

interface Preset {
  readonly key: string;
  /** Its size in words. */
  readonly size: string;
}

function presetOf(value: unknown): readonly Preset[] {
  if (!isItem(value) || typeof value.key !== 'string') return [];
  const { key, width, height, fit } = value;
  const size = [width, height].map((side) => (typeof side === 'number' ? side : '…')).join(' × ');
  return [{ key, size: typeof fit === 'string' ? `${size}, ${fit}` : size }];
}

/** The image presets of the project, for those who may read them. */
function usePresets(enabled: boolean): readonly Preset[] {
  const isReadable = mayField(useRights(), SETTINGS, 'read', PRESETS);
  const { data } = useQuery({
    queryKey: ['items', SETTINGS, 'one', [PRESETS]],
    queryFn: ({ signal }): Promise<Item> =>
      client.request('GET', '/settings', { query: { fields: [PRESETS] }, signal }),
    enabled: enabled && isReadable,
  });
  const presets = data?.[PRESETS];
  return Array.isArray(presets) ? presets.flatMap(presetOf) : [];
}

function Address({ name, path }: { readonly name: string; readonly path: string }) {
  const translate = useTranslate();
  return (
    <Box component="li" sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography sx={{ fontSize: 14 }}>{name}</Typography>
        <Link
          href={path}
          target="_blank"
          rel="noopener"
          dir="ltr"
          noWrap
          sx={{ display: 'block', fontSize: 13 }}
        >
          {path}
        </Link>
      </Box>
      <CopyIcon
        text={new URL(path, location.href).href}
        label={translate('files.copyLinkOf', { name })}
        tip="files.copyLink"
        notice="files.linkCopied"
      />
    </Box>
  );
}

export function FileLinks({ file }: { readonly file: Item }) {
  const translate = useTranslate();
  const presets = usePresets(isPicture(file));
  const path = `/assets/${file.id}`;
  return (
    <Part title={translate('files.links')} help={translate('files.linksHelp')}>
      <Box
        component="ul"
        sx={{
          listStyle: 'none',
          m: 0,
          p: 0,
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: 'minmax(0, 1fr)',
        }}
      >
        <Address name={translate('files.original')} path={path} />
        {presets.map(({ key, size }) => (
          <Address
            key={key}
            name={translate('files.preset', { key, size })}
            path={`${path}?key=${encodeURIComponent(key)}`}
          />
        ))}
      </Box>
    </Part>
  );
}

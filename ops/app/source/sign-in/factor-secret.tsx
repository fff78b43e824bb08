/** The key of a second factor, for an authenticator app: a picture to scan, a text to type, a link to open. */
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import encodeQR from 'qr';
import { useMemo } from 'react';
import { CopyButton } from '../shell/copy-button.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface FactorSecretProps {
  /** Base32. */
  readonly secret: string;
  /** The `otpauth:` address. */
  readonly url: string;
}

/** The key in groups that people can type. */
function grouped(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret;
}

/** A QR code; dark on white in the dark theme, too, because scanners expect that. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = useMemo(() => encodeQR(text, 'raw', { border: 4 }), [text]);
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      sx={{ width: 200, justifySelf: 'center', bgcolor: '#fff', color: '#000', borderRadius: 1 }}
    >
      <path d={path} fill="currentColor" />
    </Box>
  );
}

export function FactorSecret({ secret, url }: FactorSecretProps) {
  const translate = useTranslate();
  return (
    <Box sx={{ display: 'grid', gap: 1, justifyItems: 'start' }}>
      <QrCode text={url} label={translate('signIn.qrCode')} />
      <Box
        component="output"
        dir="ltr"
        sx={{
          ...{ p: 1.5, border: 1, borderColor: 'divider', borderRadius: 1, width: '100%' },
          ...{ fontFamily: 'monospace', fontSize: 16, userSelect: 'all' },
          overflowWrap: 'anywhere',
        }}
      >
        {grouped(secret)}
      </Box>
      <CopyButton
        size="small"
        text={secret}
        label={translate('signIn.copy')}
        notice="profile.keyCopied"
      />
      <Link href={url}>{translate('signIn.tfaOpen')}</Link>
    </Box>
  );
}

/** What a form shows beside fields: a line with a title, a notice, links. */
import Alert, { type AlertColor } from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import Typography from '@mui/material/Typography';
import { isItem, textOption } from '../data/values.ts';
import { NamedIcon } from '../theme/icon.tsx';
import type { InterfaceProps } from './interface.ts';

const SEVERITIES: Readonly<Record<string, AlertColor>> = {
  info: 'info',
  normal: 'info',
  success: 'success',
  warning: 'warning',
  danger: 'error',
};

export function DividerInterface({ field, label }: InterfaceProps) {
  const options = field.meta?.options;
  const icon = textOption(options, 'icon');
  return (
    <Box sx={{ pt: 1 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 0.5 }}>
        {icon !== null && <NamedIcon name={icon} fallback="label" fontSize="small" />}
        <Typography variant="h2">{textOption(options, 'title') ?? label}</Typography>
      </Box>
      <Divider />
    </Box>
  );
}

export function NoticeInterface({ field }: InterfaceProps) {
  const options = field.meta?.options;
  const severity = SEVERITIES[textOption(options, 'color') ?? ''] ?? 'info';
  return <Alert severity={severity}>{textOption(options, 'text') ?? field.meta?.note}</Alert>;
}

/** Links of web pages and mail only: no other scheme is safe to follow. */
const SAFE = /^(https?:\/\/|mailto:|\/(?!\/))/i;

export function LinksInterface({ field, label }: InterfaceProps) {
  const links = field.meta?.options?.links;
  const list = Array.isArray(links) ? links.filter(isItem) : [];
  return (
    <Box role="group" aria-label={label} sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
      {list
        .filter(({ url }) => typeof url === 'string' && SAFE.test(url))
        .map(({ url, label: text }) => (
          <Button
            key={String(url)}
            variant="outlined"
            href={String(url)}
            target="_blank"
            rel="noopener noreferrer"
          >
            {String(text ?? url)}
          </Button>
        ))}
    </Box>
  );
}

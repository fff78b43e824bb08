/** A job as a time line: how long it waited, what each attempt did, and how it ended. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Job } from '../../../client/source/index.ts';
import { useFormatDate } from '../display/use-format-date.ts';
import { Part } from '../shell/part.tsx';
import { humanize } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { formatDuration, formatMilliseconds } from './duration.ts';
import { type TimelinePart, timelineOf } from './timeline.ts';

const END_COLOUR: Readonly<Record<string, string>> = {
  completed: 'success.main',
  failed: 'error.main',
  cancelled: 'text.secondary',
};

function colourOf({ kind, name, to, failure }: TimelinePart): string {
  if (kind === 'end') return END_COLOUR[name] ?? 'text.secondary';
  if (failure !== undefined) return 'warning.main';
  return to === null ? 'primary.main' : 'text.secondary';
}

function PartLine({ part }: { readonly part: TimelinePart }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const formatDate = useFormatDate();
  const { kind, name, from, to, failure } = part;
  const text =
    kind === 'phase'
      ? translate(`operations.phase.${name}`, { _: humanize(name) })
      : translate(`operations.timeline.${kind === 'waiting' ? name : kind}`, {
          attempt: name,
          state: translate(`operations.state.${name}`, { _: name }),
        });
  const duration = Math.max(0, (to === null ? Date.now() : Date.parse(to)) - Date.parse(from));
  const isPhase = kind === 'phase';
  return (
    <Box
      component="li"
      sx={{
        display: 'grid',
        gridTemplateColumns: '20px minmax(0, 1fr) auto',
        columnGap: 1,
        pb: 1.5,
        ...(isPhase && { marginInlineStart: 3 }),
        '&:last-of-type': { pb: 0 },
      }}
    >
      <Box
        aria-hidden
        sx={{
          mt: 0.75,
          mx: 'auto',
          width: isPhase ? 8 : 12,
          height: isPhase ? 8 : 12,
          borderRadius: '50%',
          border: 2,
          borderColor: colourOf(part),
          bgcolor: to === null ? 'transparent' : colourOf(part),
        }}
      />
      <Box sx={{ minWidth: 0 }}>
        <Typography sx={{ fontWeight: isPhase ? 400 : 600 }}>{text}</Typography>
        {failure !== undefined && (
          <Typography variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
            {failure.isLost ? translate('operations.timeline.lost') : failure.reason}
          </Typography>
        )}
        {!isPhase && (
          <Typography variant="body2" color="textSecondary">
            {formatDate('timestamp', from)}
          </Typography>
        )}
      </Box>
      <Typography
        color="textSecondary"
        sx={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}
      >
        {kind !== 'end' &&
          (duration < 1_000 ? formatMilliseconds : formatDuration)(duration, locale)}
      </Typography>
    </Box>
  );
}

export function JobTimeline({ job }: { readonly job: Job }) {
  const translate = useTranslate();
  return (
    <Part title={translate('operations.timeline.title')}>
      <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {timelineOf(job).map((part) => (
          <PartLine key={`${part.kind} ${part.name} ${part.from}`} part={part} />
        ))}
      </Box>
    </Part>
  );
}

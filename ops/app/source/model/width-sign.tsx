/** The width of a field in forms, as a small picture of a row. */
import Box from '@mui/material/Box';
import { useTranslate } from '../translation/use-translate.ts';

/** Which of the two columns are taken. */
const TAKES: Readonly<Record<string, readonly [boolean, boolean]>> = {
  half: [true, false],
  'half-left': [true, false],
  'half-right': [false, true],
  'half-space': [true, false],
};

export function WidthSign({ width }: { readonly width: string }) {
  const translate = useTranslate();
  const [left, right] = TAKES[width] ?? [true, true];
  return (
    <Box
      role="img"
      aria-label={translate(`model.width.${width}`, { _: width })}
      sx={{ display: { xs: 'none', sm: 'flex' }, gap: '2px', width: 34, flexShrink: 0 }}
    >
      {[['start', left] as const, ['end', right] as const].map(([side, taken]) => (
        <Box
          key={side}
          sx={{
            flex: 1,
            height: 12,
            borderRadius: 0.5,
            border: 1,
            borderColor: taken ? 'primary.main' : 'divider',
            bgcolor: taken ? 'action.selected' : 'transparent',
          }}
        />
      ))}
    </Box>
  );
}

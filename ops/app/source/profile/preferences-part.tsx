/** The choices about the App, which hold at once. */
import Box from '@mui/material/Box';
import { Choice } from '../shell/choice.tsx';
import { Part } from '../shell/part.tsx';
import { usePreferences } from '../shell/use-preferences.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ZoneChoice } from './zone-choice.tsx';

export function PreferencesPart() {
  const translate = useTranslate();
  const preferences = usePreferences();
  return (
    <Part title={translate('profile.preferences')} help={translate('profile.preferencesHelp')}>
      <Box
        sx={{
          ...{ display: 'grid', gap: 2 },
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(3, minmax(0, 1fr))' },
        }}
      >
        {preferences.map(({ text, value, options, choose }) => (
          <Choice
            key={text}
            label={translate(text)}
            value={value}
            options={options.map((option) => [option.value, option.label])}
            onChange={choose}
          />
        ))}
      </Box>
      <ZoneChoice />
    </Part>
  );
}

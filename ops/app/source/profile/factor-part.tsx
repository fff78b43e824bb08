/** The second factor of the caller: turned on with an authenticator app, turned off with a code. */
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FactorDialog } from './factor-dialog.tsx';

export function FactorPart({ isOn }: { readonly isOn: boolean }) {
  const translate = useTranslate();
  const [opened, setOpened] = useState<'on' | 'off' | null>(null);
  return (
    <Part title={translate('profile.factor')} help={translate('profile.factorHelp')}>
      <Typography role="status">
        {translate(isOn ? 'profile.factorIsOn' : 'profile.factorIsOff')}
      </Typography>
      <Button
        variant="outlined"
        color={isOn ? 'error' : 'primary'}
        onClick={() => setOpened(isOn ? 'off' : 'on')}
        sx={{ justifySelf: 'start' }}
      >
        {translate(isOn ? 'profile.turnFactorOff' : 'profile.turnFactorOn')}
      </Button>
      {opened !== null && <FactorDialog turns={opened} onClose={() => setOpened(null)} />}
    </Part>
  );
}

/** The button that opens the request of a screen, to be copied for programs. */
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import type { ReadRequest } from './request.ts';

const CopyAsDialog = lazy(() =>
  import('./copy-as-dialog.tsx').then((m) => ({ default: m.CopyAsDialog })),
);

export function CopyAs({ request }: { readonly request: ReadRequest }) {
  const translate = useTranslate();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Tooltip title={translate('share.title')}>
        <IconButton
          aria-label={translate('share.title')}
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          <Icon name="code" />
        </IconButton>
      </Tooltip>
      <Suspense>
        {open && <CopyAsDialog request={request} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}

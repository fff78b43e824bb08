/** Opens the command palette by its shortcut, anywhere but in dialogs and menus. */
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';

const Palette = lazy(() => import('../palette/palette.tsx').then((m) => ({ default: m.Palette })));

/** What has the keyboard for itself. */
const BUSY = '[role=dialog], [role=alertdialog], [role=menu]';

export interface PaletteState {
  readonly openPalette: () => void;
  /** Stands among the screens; nothing while the palette is closed. */
  readonly palette: ReactNode;
}

export function usePalette(): PaletteState {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
      if (key.toLowerCase() !== 'k' || ctrlKey === metaKey || altKey || shiftKey) return;
      // An editor of texts has its own use for the key.
      if (event.defaultPrevented || (target instanceof Element && target.closest(BUSY))) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return {
    openPalette: () => setOpen(true),
    palette: <Suspense>{open && <Palette onClose={() => setOpen(false)} />}</Suspense>,
  };
}

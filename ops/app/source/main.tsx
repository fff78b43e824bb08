/** Starts the App: finds the language, then puts the screens on the page. */
import { localStorageStore } from 'ra-core';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { keepFocus } from './shell/keep-focus.ts';
import { createTranslation, languageOf } from './translation/provider.ts';

/** What the App remembers in this browser. */
const store = localStorageStore('1', 'sluice');
const stored: unknown = store.getItem('locale');
const first = languageOf(typeof stored === 'string' ? stored : navigator.language);
const translation = await createTranslation(first);

const place = document.getElementById('app');
if (place === null) throw new Error('the page has no place for the App');
keepFocus();
createRoot(place).render(<App store={store} translation={translation} />);

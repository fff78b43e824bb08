/** Starts the App: finds the language, then puts the screens on the page. */
import '@fontsource-variable/inter/wght.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { recall } from './data/store.ts';
import { keepFocus } from './shell/keep-focus.ts';
import { languageOf, loadTexts } from './translation/languages.ts';

const stored = recall<unknown>('locale', null);
const texts = await loadTexts(languageOf(typeof stored === 'string' ? stored : navigator.language));

const place = document.getElementById('app');
if (place === null) throw new Error('the page has no place for the App');
keepFocus();
createRoot(place).render(<App texts={texts} />);

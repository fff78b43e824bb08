/** Builds the Admin App into `dist`, whose files have their hash in their names, for the path `/admin/`. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev:app` finds the API: what `npm start` serves. */
const API = 'http://127.0.0.1:8055';

export default defineConfig({
  root: import.meta.dirname,
  base: '/admin/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    // Licences of what is in the build go with it.
    license: { fileName: 'licenses.md' },
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // The map is the largest, and loaded with the first map.
    chunkSizeWarningLimit: 1_500,
  },
  server: {
    host: '127.0.0.1',
    // A page and its API have one origin, or cookies are refused.
    proxy: { '^/(?!admin)': { target: API, ws: true } },
  },
});

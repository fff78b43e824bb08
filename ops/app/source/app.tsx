/** The App: what all screens share (texts, look, queries), around the routes. */
import { QueryClientProvider } from '@tanstack/react-query';
import type Polyglot from 'node-polyglot';
import { RouterProvider } from 'react-router-dom';
import { queryClient } from './data/query-client.ts';
import { router } from './routes.tsx';
import { Look } from './theme/look.tsx';
import { Translation } from './translation/translation.tsx';

export function App({ texts }: { readonly texts: Polyglot }) {
  return (
    <QueryClientProvider client={queryClient}>
      <Translation first={texts}>
        <Look>
          <RouterProvider router={router} />
        </Look>
      </Translation>
    </QueryClientProvider>
  );
}

/** The App: what all screens share (texts, look, queries, notifications), around the routes. */
import { QueryClientProvider } from '@tanstack/react-query';
import {
  type I18nProvider,
  NotificationContextProvider,
  type Store,
  StoreContextProvider,
} from 'ra-core';
import { RouterProvider } from 'react-router-dom';
import { queryClient } from './data/query-client.ts';
import { router } from './routes.tsx';
import { Look } from './theme/look.tsx';
import { Translation } from './translation/translation.tsx';

export function App({
  store,
  translation,
}: {
  readonly store: Store;
  readonly translation: I18nProvider;
}) {
  return (
    <StoreContextProvider value={store}>
      <QueryClientProvider client={queryClient}>
        <Translation provider={translation}>
          <NotificationContextProvider>
            <Look>
              <RouterProvider router={router} />
            </Look>
          </NotificationContextProvider>
        </Translation>
      </QueryClientProvider>
    </StoreContextProvider>
  );
}

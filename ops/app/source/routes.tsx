/**
 * The addresses of the App. A screen is a chunk of its own, loaded when it is first opened: a module
 * that exports `Component`.
 */
import { createBrowserRouter, Navigate, type RouteObject } from 'react-router-dom';
import { SECTIONS } from './sections.ts';
import { Broken } from './shell/broken.tsx';
import { Frame } from './shell/frame.tsx';
import { Loading } from './shell/loading.tsx';
import { NotFound } from './shell/not-found.tsx';

/** What everybody may open, signed in or not. */
const PUBLIC: readonly RouteObject[] = [
  { path: 'sign-in', lazy: () => import('./sign-in/sign-in-page.tsx') },
  { path: 'login', element: <Navigate to="/sign-in" replace /> },
  { path: 'forgotten-password', lazy: () => import('./sign-in/forgotten-password-page.tsx') },
  { path: 'reset-password', lazy: () => import('./sign-in/reset-password-page.tsx') },
  { path: 'accept-invite', lazy: () => import('./sign-in/accept-invite-page.tsx') },
  { path: 'register', lazy: () => import('./sign-in/register-page.tsx') },
  { path: 'users/:user', lazy: () => import('./sign-in/confirmed-page.tsx') },
];

export const router = createBrowserRouter(
  [
    {
      errorElement: <Broken />,
      hydrateFallbackElement: <Loading />,
      children: [
        ...PUBLIC,
        {
          element: <Frame />,
          children: [
            {
              errorElement: <Broken />,
              children: [
                { path: 'profile', lazy: () => import('./profile/profile-page.tsx') },
                ...SECTIONS.flatMap(({ routes }) => routes),
                { path: '*', element: <NotFound /> },
              ],
            },
          ],
        },
      ],
    },
  ],
  { basename: '/admin' },
);

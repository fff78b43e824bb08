/**
 * The connection of the App: one client of the API, in session mode, so that the token stays in a
 * cookie which no script reads.
 */
import { createClient } from '../../../client/source/index.ts';
import { announceSessionEnd } from './session.ts';

export const client = createClient(window.location.origin, {
  mode: 'session',
  onSessionEnd: announceSessionEnd,
});

/** Where the App shows what an entry of the activity is about. */
import { itemPath } from '../data/route-of.ts';

export interface ActivitySubject {
  readonly action: string;
  readonly collection: string;
  readonly item: string;
}

/** The screens of system collections whose items have one. */
const SCREENS: Readonly<Record<string, string>> = {
  system_users: '/access/users/',
  system_roles: '/access/roles/',
  system_policies: '/access/policies/',
  system_collections: '/model/collections/',
};

/** Whether an entry is about a job that changed many items, whose id it has instead of a key. */
export function isOfJob({ action }: ActivitySubject): boolean {
  return action === 'import' || action === 'undo';
}

/** @returns null for what is deleted, and for what has no screen */
export function activityPath(
  subject: ActivitySubject,
  isKnown: (collection: string) => boolean,
): string | null {
  const { action, collection, item } = subject;
  if (action === 'delete' || item === '') return null;
  if (isOfJob(subject)) return `/operations/jobs/${encodeURIComponent(item)}`;
  if (collection === 'system_settings') return '/settings';
  const screen = SCREENS[collection];
  if (screen !== undefined) return `${screen}${encodeURIComponent(item)}`;
  if (collection.startsWith('system_') || !isKnown(collection)) return null;
  return itemPath(collection, item);
}

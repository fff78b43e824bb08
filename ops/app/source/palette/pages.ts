/** The screens within the sections, as the palette offers them. */
import { may } from '../data/rights.ts';
import type { Rights } from '../data/schema-types.ts';

interface Page {
  readonly path: string;
  readonly text: string;
  /** The address of its section. */
  readonly section: string;
  /** Whether the caller may use it; as the section if not said. */
  readonly offered?: (rights: Rights, administrator: boolean) => boolean;
}

const forAdministrators = (_: Rights, administrator: boolean) => administrator;

export const PAGES: readonly Page[] = [
  { path: '/model/collections', text: 'model.collections', section: '/model' },
  { path: '/model/new-collection', text: 'model.newCollection', section: '/model' },
  { path: '/model/snapshots', text: 'model.snapshots', section: '/model' },
  {
    ...{ path: '/access/users', text: 'access.users', section: '/access' },
    offered: (rights) => may(rights, 'system_users', 'read'),
  },
  {
    ...{ path: '/access/roles', text: 'access.roles', section: '/access' },
    offered: (rights) => may(rights, 'system_roles', 'read'),
  },
  {
    ...{ path: '/access/policies', text: 'access.policies', section: '/access' },
    offered: (rights) => may(rights, 'system_policies', 'read'),
  },
  { path: '/operations/jobs', text: 'operations.jobs', section: '/operations' },
  {
    ...{ path: '/operations/queues', text: 'operations.queues', section: '/operations' },
    offered: forAdministrators,
  },
  {
    ...{ path: '/operations/health', text: 'operations.health', section: '/operations' },
    offered: forAdministrators,
  },
  {
    ...{ path: '/operations/activity', text: 'operations.activity', section: '/operations' },
    offered: (rights, administrator) => administrator || may(rights, 'system_activity', 'read'),
  },
  { path: '/operations/limits', text: 'operations.limits', section: '/operations' },
];

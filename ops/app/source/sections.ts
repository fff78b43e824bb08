/**
 * The sections of the App, in the order of its menu. To add a screen, add its route to its section, or
 * a section. The menu shows those that the caller may use.
 */
import type { RouteObject } from 'react-router-dom';
import { may, mayChangeOthers, mayImport } from './data/rights.ts';
import type { Rights } from './data/schema-types.ts';
import type { IconName } from './theme/icon-paths.ts';

export interface Section {
  /** The first part of its address. */
  readonly path: string;
  /** Key of its name. */
  readonly text: string;
  readonly icon: IconName;
  /** Whether the menu offers it. The server decides again about everything that it asks for. */
  readonly offered: (rights: Rights, administrator: boolean) => boolean;
  readonly routes: readonly RouteObject[];
}

export const SECTIONS: readonly Section[] = [
  {
    path: '/',
    text: 'home.title',
    icon: 'home',
    offered: () => true,
    routes: [{ index: true, lazy: () => import('./home/home-page.tsx') }],
  },
  {
    path: '/content',
    text: 'shell.content',
    icon: 'database',
    offered: () => true,
    routes: [
      {
        path: 'content',
        lazy: () => import('./navigation/content-section.tsx'),
        children: [
          { index: true, lazy: () => import('./navigation/welcome.tsx') },
          { path: ':collection', lazy: () => import('./list/collection-page.tsx') },
          { path: ':collection/:key', lazy: () => import('./form/item-page.tsx') },
        ],
      },
    ],
  },
  {
    path: '/files',
    text: 'files.title',
    icon: 'folder_open',
    offered: (rights) => may(rights, 'system_files', 'read'),
    routes: [
      {
        path: 'files',
        lazy: () => import('./files/files-section.tsx'),
        children: [
          { index: true, lazy: () => import('./files/library-page.tsx') },
          { path: ':file', lazy: () => import('./files/file-page.tsx') },
        ],
      },
    ],
  },
  {
    path: '/insights',
    text: 'insights.title',
    icon: 'insights',
    offered: (rights) => may(rights, 'system_dashboards', 'read'),
    routes: [
      {
        path: 'insights',
        lazy: () => import('./insights/insights-section.tsx'),
        children: [
          { index: true, lazy: () => import('./insights/dashboard-list-page.tsx') },
          { path: ':dashboard', lazy: () => import('./insights/dashboard-page.tsx') },
          { path: ':dashboard/:panel', lazy: () => import('./insights/panel-page.tsx') },
        ],
      },
    ],
  },
  {
    path: '/model',
    text: 'model.title',
    icon: 'schema',
    offered: (_, administrator) => administrator,
    routes: [
      {
        path: 'model',
        lazy: () => import('./model/model-section.tsx'),
        children: [
          { path: 'collections', lazy: () => import('./model/collection-list-page.tsx') },
          { path: 'picture', lazy: () => import('./model/picture/picture-page.tsx') },
          { path: 'snapshots', lazy: () => import('./model/snapshot-page.tsx') },
          { path: 'new-collection', lazy: () => import('./model/new-collection-page.tsx') },
          {
            path: 'collections/:collection',
            children: [
              { index: true, lazy: () => import('./model/collection-page.tsx') },
              { path: 'settings', lazy: () => import('./model/collection-settings-page.tsx') },
              { path: 'new-field', lazy: () => import('./model/field-page.tsx') },
              { path: 'new-relation', lazy: () => import('./model/new-relation-page.tsx') },
              { path: 'fields/:field', lazy: () => import('./model/field-page.tsx') },
            ],
          },
        ],
      },
    ],
  },
  {
    path: '/imports',
    text: 'imports.title',
    icon: 'input',
    offered: (rights, administrator) =>
      administrator || Object.keys(rights).some((name) => mayImport(rights, name)),
    routes: [
      {
        path: 'imports',
        lazy: () => import('./imports/imports-section.tsx'),
        children: [
          { index: true, lazy: () => import('./imports/setup-page.tsx') },
          { path: ':job', lazy: () => import('./imports/report-page.tsx') },
        ],
      },
    ],
  },
  {
    path: '/access',
    text: 'access.title',
    icon: 'shield',
    // App access alone lets all users read their own roles, and read and change themselves.
    offered: (rights) =>
      may(rights, 'system_policies', 'read') ||
      mayChangeOthers(rights) ||
      may(rights, 'system_roles', 'update'),
    routes: [
      {
        path: 'access',
        lazy: () => import('./access/access-section.tsx'),
        children: [
          { path: 'users', lazy: () => import('./access/user-list-page.tsx') },
          { path: 'users/:user', lazy: () => import('./access/user-page.tsx') },
          { path: 'users/:user/rights', lazy: () => import('./access/user-rights-page.tsx') },
          { path: 'roles', lazy: () => import('./access/role-list-page.tsx') },
          { path: 'roles/:role', lazy: () => import('./access/role-page.tsx') },
          { path: 'policies', lazy: () => import('./access/policy-list-page.tsx') },
          { path: 'policies/:policy', lazy: () => import('./access/policy-page.tsx') },
        ],
      },
    ],
  },
  {
    path: '/operations',
    text: 'operations.title',
    icon: 'monitor_heart',
    offered: () => true,
    routes: [
      {
        path: 'operations',
        lazy: () => import('./operations/operations-section.tsx'),
        children: [
          { path: 'overview', lazy: () => import('./operations/overview-page.tsx') },
          { path: 'jobs', lazy: () => import('./operations/job-list-page.tsx') },
          { path: 'jobs/:job', lazy: () => import('./operations/job-page.tsx') },
          { path: 'queues', lazy: () => import('./operations/queue-page.tsx') },
          { path: 'health', lazy: () => import('./operations/health-page.tsx') },
          { path: 'activity', lazy: () => import('./operations/activity-page.tsx') },
          { path: 'limits', lazy: () => import('./operations/limits-page.tsx') },
        ],
      },
    ],
  },
  {
    path: '/settings',
    text: 'settings.title',
    icon: 'settings',
    offered: (rights) => may(rights, 'system_settings', 'update'),
    routes: [{ path: 'settings', lazy: () => import('./settings/settings-page.tsx') }],
  },
];

/** The routes of system collections, by a table, and the few that only one of them has. */
import * as v from 'valibot';
import { APP_PERMISSIONS } from '#core/access/app-permission.ts';
import { forbidden, ServiceError } from '#core/errors/service-error.ts';
import { parseQuery, QUERY_PARAMETERS } from '#core/query/parse/parameter.ts';
import type { Query } from '#core/query/query.ts';
import type { Answer, TextAnswer } from '#core/services/item-reader.ts';
import { questionOf } from '#core/services/question.ts';
import type { Service } from '#core/system-collections/entry.ts';
import { systemName } from '#core/system-collections/name.ts';
import { SERVED } from '#core/system-collections/registry.ts';
import { passesFilter } from '#core/validation/validation.ts';
import type { Method, Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { bodyOf, members, word } from './body.ts';
import {
  type Call,
  type CallHandler,
  data,
  NO_CONTENT,
  parsed,
  queryOf,
  readText,
  routesOf,
  setUpRoutesOf,
  visitorOf,
} from './call.ts';
import {
  answerOf,
  type ItemHandlers,
  itemHandlers,
  type Place,
  readBackOf,
  written,
} from './item-handler.ts';
import { searchLimit, searchOf } from './parameter.ts';

type Form = readonly [Method, '' | '/:key', keyof ItemHandlers];

const READ: readonly Form[] = [
  ['GET', '', 'list'],
  ['SEARCH', '', 'search'],
  ['GET', '/:key', 'read'],
];
const FULL: readonly Form[] = [
  ...READ,
  ['POST', '', 'create'],
  ['PATCH', '', 'updateMany'],
  ['PATCH', '/:key', 'updateOne'],
  ['DELETE', '', 'deleteMany'],
  ['DELETE', '/:key', 'deleteOne'],
];
const SINGLE: readonly Form[] = [
  ['GET', '', 'list'],
  ['PATCH', '', 'updateMany'],
];

/** The forms of each way to be served. */
const FORMS: Readonly<Record<Service, readonly Form[]>> = { all: FULL, read: READ, single: SINGLE };

function placeIn(name: string): (call: Call) => Place {
  const collection = systemName(name);
  return (call) => ({
    items: call.services.system,
    target: { caller: call.caller, collection, visitor: visitorOf(call), strict: call.strict },
  });
}

const userPlace = placeIn('users');
const rolePlace = placeIn('roles');
const permissionPlace = placeIn('permissions');

/** The key of the user who asks. */
function self({ caller }: Call): string {
  if (caller.user === null) throw new ServiceError('INVALID_CREDENTIALS');
  return caller.user;
}

/** What may not be read is told by its key alone. */
async function orKeys(call: Call, read: () => Promise<TextAnswer>, keys: () => unknown) {
  try {
    return readText(call, await read());
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return data(keys());
    throw error;
  }
}

/** Who has to set up a second factor first sees and writes the own row, and nothing beyond it. */
function ownRowOnly({ services }: Call): Query {
  return parseQuery({ fields: '*' }, services.bounds);
}

const readSelf: CallHandler = (call) => {
  const id = self(call);
  const { items, target } = userPlace(call);
  const query = call.caller.lacksSecondFactor ? ownRowOnly(call) : queryOf(call);
  return orKeys(
    call,
    () => items.one({ ...target, ownKey: true }, id, questionOf(query), call.request.signal),
    () => ({ id }),
  );
};

const plain = v.optional(v.nullable(v.union([v.string(), v.boolean()])));
/** What decides nothing about who may sign in, or what they may do. */
const profile = v.strictObject({
  ...{ first_name: plain, last_name: plain, location: plain, title: plain, description: plain },
  ...{ language: plain, text_direction: plain, appearance: plain, email_notifications: plain },
});

const updateSelf: CallHandler = async (call) => {
  const id = self(call);
  const { items, target } = userPlace(call);
  await items.admit(target, 'update');
  const body = await call.request.body.json();
  const { lacksSecondFactor } = call.caller;
  if (lacksSecondFactor && !v.is(profile, body)) throw forbidden();
  const query = lacksSecondFactor ? ownRowOnly(call) : readBackOf(call);
  return written(await items.updateOne(target, id, { body }, query));
};

const trackBody = members({ last_page: v.pipe(word, v.maxLength(255, 'is too long')) });

const trackPage: CallHandler = async (call) => {
  const id = self(call);
  const { last_page: page } = await bodyOf(call, trackBody);
  await call.services.system.trackPage(id, page);
  return NO_CONTENT;
};

const readRoles: CallHandler = (call) => {
  const { roles, user } = call.caller;
  if (user === null) throw forbidden();
  const { items, target } = rolePlace(call);
  const query = { ...queryOf(call), limit: null };
  return orKeys(
    call,
    () => items.some(target, roles, query),
    () => roles.map((id) => ({ id })),
  );
};

const readGlobals: CallHandler = async ({ caller }) => {
  if (caller.user === null) return data({ app_access: false });
  const { app, admin, enforceTfa } = caller;
  return data({ app_access: app, admin_access: admin, enforce_tfa: enforceTfa });
};

/** What the rows of the table have beside. */
const NO_ROW = { id: null, policy: null } as const;

/** What app access grants stands in no table, and is shown with the permissions that do. */
function withAppPermissions(call: Call, answer: Answer, query: Query): Answer {
  const isPlain = query.aggregate.length === 0 && query.groupBy.length === 0;
  if (!call.caller.app || !isPlain || answer.kind === 'text') return answer;
  const shown = APP_PERMISSIONS.filter(
    (row) =>
      query.filter === null || passesFilter(query.filter, { ...NO_ROW, ...row }, call.caller),
  );
  const items = (async function* () {
    yield* answer.items;
    yield shown.map((row) => JSON.stringify(row));
  })();
  return { ...answer, items };
}

async function allPermissions(call: Call, query: Query) {
  const { items, target } = permissionPlace(call);
  const answer = await items.list(target, questionOf(query), call.request.signal);
  return answerOf(call, target.collection, withAppPermissions(call, answer, query));
}

const listPermissions: CallHandler = (call) =>
  allPermissions(call, { ...queryOf(call), limit: null, offset: 0 });

const searchPermissions: CallHandler = async (call) => {
  const { parameters, keys } = searchOf(
    await call.request.body.json(searchLimit(call.services.config)),
  );
  const query = parsed(call, { ...call.parameters, ...parameters }, parameters);
  const { items, target } = permissionPlace(call);
  if (keys !== null) return readText(call, await items.some(target, keys, query));
  return allPermissions(call, { ...query, limit: null, offset: 0 });
};

/** Forms of one collection that answer otherwise than those of all. */
const OWN: Readonly<Record<string, Partial<ItemHandlers>>> = {
  permissions: { list: listPermissions, search: searchPermissions },
};

export function addSystemRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  const setUp = setUpRoutesOf(services);
  for (const [name, service] of SERVED) {
    const handlers = { ...itemHandlers(placeIn(name)), ...OWN[name] };
    for (const [method, path, form] of FORMS[service]) {
      router.add(method, `/${name}${path}`, route(handlers[form], QUERY_PARAMETERS));
    }
  }
  router
    .add('GET', '/users/me', setUp(readSelf))
    .add('PATCH', '/users/me', setUp(updateSelf))
    .add('PATCH', '/users/me/track/page', route(trackPage))
    .add('GET', '/roles/me', route(readRoles, QUERY_PARAMETERS))
    .add('GET', '/policies/me/globals', route(readGlobals));
}

/** The routes for reading and writing items, one entry for each. */
import * as v from 'valibot';
import { QUERY_PARAMETERS } from '#core/query/parse/parameter.ts';
import type { ItemHandlers } from './item-handler.ts';
import {
  type AnswerFacts,
  anyObject,
  type BodyFacts,
  DATA,
  json,
  NOTHING,
  type RouteEntry,
  WRITTEN,
} from './route.ts';

/** A way to read or write items. */
export type ItemForm = keyof ItemHandlers;

interface FormFacts {
  readonly method: RouteEntry['method'];
  /** The path after that of the collection. */
  readonly path: '' | '/:key';
  readonly summary: string;
  readonly body: BodyFacts | null;
  readonly answer: AnswerFacts;
  /** Parameters beside those of the answer. */
  readonly beside?: readonly string[];
}

const keys = v.array(v.unknown());
const byQuery = { query: anyObject };
const byKeys = { keys };
const data = anyObject;

/** The body of a SEARCH. */
export const searchBody = json(
  v.strictObject({ query: v.optional(anyObject), keys: v.optional(keys) }),
  'QUERY_BODY_MAX_SIZE',
);
const createBody = json(v.union([anyObject, v.array(anyObject)]));
const updateBody = json(
  v.union([
    v.array(anyObject),
    v.strictObject({ ...byKeys, data }),
    v.strictObject({ ...byQuery, data }),
    // Of a singleton.
    anyObject,
  ]),
);
const deleteBody = json(v.union([keys, v.strictObject(byKeys), v.strictObject(byQuery)]));

const FORMS: Readonly<Record<ItemForm, FormFacts>> = {
  list: { method: 'GET', path: '', summary: 'Lists items', body: null, answer: DATA },
  search: { method: 'SEARCH', path: '', summary: 'Searches items', body: searchBody, answer: DATA },
  read: { method: 'GET', path: '/:key', summary: 'Reads an item', body: null, answer: DATA },
  create: { method: 'POST', path: '', summary: 'Creates items', body: createBody, answer: WRITTEN },
  upsert: {
    method: 'PUT',
    path: '',
    summary: 'Creates or updates items by a unique key',
    body: createBody,
    answer: WRITTEN,
    beside: ['match'],
  },
  updateMany: {
    method: 'PATCH',
    path: '',
    summary: 'Updates items',
    body: updateBody,
    answer: WRITTEN,
  },
  updateOne: {
    method: 'PATCH',
    path: '/:key',
    summary: 'Updates an item',
    body: json(anyObject),
    answer: WRITTEN,
  },
  deleteMany: {
    method: 'DELETE',
    path: '',
    summary: 'Deletes items',
    body: deleteBody,
    answer: NOTHING,
  },
  deleteOne: {
    method: 'DELETE',
    path: '/:key',
    summary: 'Deletes an item',
    body: null,
    answer: NOTHING,
  },
};

/** The routes that read. */
export const READ_FORMS: readonly ItemForm[] = ['list', 'search', 'read'];
/** The routes of system collections. */
export const ALL_FORMS: readonly ItemForm[] = [
  ...READ_FORMS,
  ...(['create', 'updateMany', 'updateOne', 'deleteMany', 'deleteOne'] as const),
];
/** The routes of the user's own collections. */
export const ITEM_FORMS: readonly ItemForm[] = [...ALL_FORMS, 'upsert'];
/** The routes of a singleton. */
export const SINGLE_FORMS: readonly ItemForm[] = ['list', 'updateMany'];

/** What these do. */
const SINGLE_SUMMARIES: Partial<Record<ItemForm, string>> = {
  list: 'Reads the item',
  updateMany: 'Updates the item',
};

/**
 * The entries for one collection, or for all collections with the name in the path.
 * @param of the collection in summaries; none when the path names it
 */
export function itemRoutes(
  path: string,
  forms: readonly ItemForm[],
  handlers: ItemHandlers,
  of = '',
): readonly RouteEntry[] {
  return forms.map((form) => {
    const { path: rest, summary: usual, beside = [], ...facts } = FORMS[form];
    const summary = (forms === SINGLE_FORMS && SINGLE_SUMMARIES[form]) || usual;
    return {
      ...facts,
      path: path + rest,
      summary: summary + of,
      access: 'rights',
      parameters: [...QUERY_PARAMETERS, ...beside],
      handle: handlers[form],
    };
  });
}

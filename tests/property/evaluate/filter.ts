/** Whether an item meets a filter. */
import {
  columnOf,
  type Json,
  type Row,
  relationOf,
  type Table,
  type ToMany,
  tableOf,
} from '../model.ts';
import { documentPart, momentPart } from './call.ts';
import { memberMeets } from './document.ts';
import { meets } from './operator.ts';
import { Refusal } from './refusal.ts';
import {
  asCall,
  type Call,
  children,
  entries,
  isMembers,
  type Run,
  target,
  typeOf,
  type Via,
} from './run.ts';
import type { ValueType } from './value.ts';
import { isBarred, resolve } from './variable.ts';

/** An item that is judged; null when the path led to none. */
export interface Place {
  readonly run: Run;
  readonly table: Table;
  readonly row: Row | null;
  readonly via: Via;
  /** The field of a junction that leads on to what it joins. */
  readonly junctionField: string | null;
}

/** A value that operators judge. */
interface Subject {
  readonly run: Run;
  readonly type: ValueType;
  readonly value: Json;
  readonly via: Via;
  readonly call: string | null;
}

function note(subject: Subject, operator: string, value: Json): void {
  const { run, via } = subject;
  run.cover(`operator ${operator} ${via} ${subject.value === null ? 'null' : 'value'}`);
  run.cover(`type ${subject.type} ${operator}`);
  if (subject.call !== null) run.cover(`function ${subject.call} filter`);
  if (value === null) run.cover(`null literal ${operator}`);
  const known = isBarred(run, value) ? 'without' : 'with';
  for (const entry of Array.isArray(value) ? value : [value]) {
    const name = typeof entry === 'string' ? /^\$[A-Z_]+/.exec(entry)?.[0] : undefined;
    if (name !== undefined) run.cover(`variable ${name} ${operator} ${known} value`);
  }
}

/** Operators, and groups of them, over one value. */
function judge(subject: Subject, key: string, value: Json): boolean {
  if (key === '_and' || key === '_or') {
    const each = (entry: Json) => entries(entry).every(([k, v]) => judge(subject, k, v));
    const list = Array.isArray(value) ? value : [];
    return key === '_and' ? list.every(each) : list.some(each);
  }
  note(subject, key, value);
  return meets(key, subject.type, subject.value, resolve(subject.run, value));
}

/** `{field: 5}` means `{field: {_eq: 5}}`. */
function operations(value: Json): [string, Json][] {
  return isMembers(value) ? entries(value) : [['_eq', value]];
}

function isOperator(key: string): boolean {
  return key.startsWith('_') && !['_and', '_or', '_some', '_none'].includes(key);
}

function byCall(place: Place, call: Call, value: Json): boolean {
  const { run, table, row, via } = place;
  const relation = relationOf(run.world, table.name, call.field);
  let result: Json;
  if (relation !== undefined && 'child' in relation) {
    const seen = run.sight.sees(table.name, row, call.field);
    result = seen ? children(run, relation, row).length : null;
  } else {
    const stored = row?.[call.field] ?? null;
    if (call.name !== 'count') result = momentPart(call.name, stored);
    else result = Array.isArray(stored) ? stored.length : null;
  }
  const subject: Subject = { run, type: 'number', value: result, via, call: call.name };
  return operations(value).every(([key, entry]) => judge(subject, key, entry));
}

function childPlace(place: Place, relation: ToMany, row: Row): Place {
  const { run } = place;
  const table = tableOf(run.world, relation.child);
  return { run, table, row, via: relation.kind, junctionField: relation.junctionField };
}

function noteQuantifier(place: Place, relation: ToMany, quantifier: string, value: Json): void {
  place.run.cover(`${quantifier} ${relation.kind}`);
  if (isBarred(place.run, value)) place.run.cover(`${quantifier} around a variable without value`);
}

/** One member under a to-many field; each is met by an item of its own. */
function toMany(place: Place, relation: ToMany, key: string, value: Json): boolean {
  const { run, row } = place;
  if (key === '_and' || key === '_or') {
    const each = (entry: Json) => entries(entry).every(([k, v]) => toMany(place, relation, k, v));
    const list = Array.isArray(value) ? value : [];
    return key === '_and' ? list.every(each) : list.some(each);
  }
  const places = children(run, relation, row).map((child) => childPlace(place, relation, child));
  if (key === '_some' || key === '_none') {
    noteQuantifier(place, relation, key, value);
    const found = places.some((child) => matches(child, value));
    if (key === '_some') return found;
    return !found && !isBarred(run, value);
  }
  if (key === '_null' || key === '_nnull') {
    const wanted = value === true || value === '' || value === 'true';
    run.cover(`related ${key} ${relation.kind}`);
    return (places.length === 0) === ((key === '_null') === wanted);
  }
  if (isOperator(key)) {
    const child = tableOf(run.world, relation.child);
    const [column] = child.key;
    if (column === undefined) throw new Refusal('the related items have no key');
    const type = typeOf(child, column);
    run.cover(`related key ${relation.kind}`);
    const call = null;
    return places.some(({ row: related, via }) =>
      judge({ run, type, value: related?.[column] ?? null, via, call }, key, value),
    );
  }
  return places.some((child) => member(child, key, value));
}

/** Conditions inside a document; each key is a path to one of its members. */
function inDocument(place: Place, document: Json, filter: Json): boolean {
  const met = entries(filter).map(([path, value]): boolean => {
    if (path === '_and' || path === '_or') {
      const results = (Array.isArray(value) ? value : []).map((e) =>
        inDocument(place, document, e),
      );
      return path === '_and' ? !results.includes(false) : results.includes(true);
    }
    const stored = documentPart(document, path);
    return operations(value).every(([operator, wanted]) => {
      place.run.cover(`type member ${operator}`);
      place.run.cover(`_json ${place.via} ${stored === null ? 'null' : 'value'}`);
      return memberMeets(operator, stored, resolve(place.run, wanted));
    });
  });
  return !met.includes(false);
}

/** Members under a field that is a column, a relation, or both. */
function byField(place: Place, field: string, scope: string, value: Json): boolean {
  const { run, table, row, via, junctionField } = place;
  const column = columnOf(table, field);
  const relation = relationOf(run.world, table.name, field);
  if (column === undefined && relation === undefined) throw new Refusal(`no field ${field}`);
  const members = operations(value);
  if (relation !== undefined && 'child' in relation) {
    // Nothing is known of a list that may not be seen, not even that it is empty.
    if (!run.sight.sees(table.name, row, field)) return false;
    return members.every(([key, entry]) => toMany(place, relation, key, entry));
  }
  const onward = (): Place => {
    if (relation === undefined) throw new Refusal(`${field} leads nowhere`);
    const name = relation.kind === 'a2o' ? scope : relation.target;
    if (relation.kind === 'a2o' && !relation.allowed.includes(scope)) throw new Refusal('a scope');
    const held = junctionField === field && (via === 'm2m' || via === 'm2a');
    return {
      run,
      table: tableOf(run.world, name),
      row: target(run, relation, row, scope),
      via: held ? via : relation.kind === 'a2o' ? 'm2a' : 'm2o',
      junctionField: null,
    };
  };
  const one = (key: string, entry: Json): boolean => {
    if (key === '_and' || key === '_or') {
      const each = (part: Json) => entries(part).every(([k, v]) => one(k, v));
      const list = Array.isArray(entry) ? entry : [];
      return key === '_and' ? list.every(each) : list.some(each);
    }
    if (!isOperator(key)) return member(onward(), key, entry);
    if (column === undefined) throw new Refusal(`${field} is no column`);
    const stored = row?.[field] ?? null;
    if (key === '_json') return inDocument(place, stored, entry);
    return judge({ run, type: column.type, value: stored, via, call: null }, key, entry);
  };
  return members.every(([key, entry]) => one(key, entry));
}

function member(place: Place, key: string, value: Json): boolean {
  if (key === '_and' || key === '_or') {
    place.run.cover(`group ${key}`);
    const list = Array.isArray(value) ? value : [];
    const each = (entry: Json) => matches(place, entry);
    return key === '_and' ? list.every(each) : list.some(each);
  }
  const call = asCall(key);
  if (call !== null) return byCall(place, call, value);
  const [field = '', scope = ''] = key.split(':');
  return byField(place, field, scope, value);
}

/** Whether the item meets the filter; several members mean all of them. */
export function matches(place: Place, filter: Json): boolean {
  // Without short cuts, so that what is covered does not depend on the order of members.
  return entries(filter).filter(([key, value]) => !member(place, key, value)).length === 0;
}

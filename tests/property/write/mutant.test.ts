// @newest @slow
/** Faults that are put into the engine's surroundings are noticed. */
import t from 'tap';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import { openPool } from '../install.ts';
import { checkWorld, type Fault } from './check.ts';

/** A catalog with changed relations. */
function withRelations(change: (relation: Relation) => Relation) {
  return (catalog: Catalog): Catalog => ({
    ...catalog,
    relations: new Map(
      [...catalog.relations].map(([name, relations]) => [
        name,
        new Map([...relations].map(([field, relation]) => [field, change(relation)])),
      ]),
    ),
  });
}

const isList = (relation: Relation) => relation.kind !== 'm2o' && relation.kind !== 'a2o';

const FAULTS: Readonly<Record<string, Fault>> = {
  'what leaves a list is deleted instead of unlinked, or the other way': {
    catalog: withRelations((relation) =>
      relation.kind === 'm2o' || relation.kind === 'a2o'
        ? relation
        : { ...relation, deselect: relation.deselect === 'delete' ? 'nullify' : 'delete' },
    ),
  },
  'new items get no place in their list': {
    catalog: withRelations((relation) =>
      isList(relation) && 'sortField' in relation ? { ...relation, sortField: null } : relation,
    ),
  },
  'nobody asks for rights': { careless: true },
  'what was written before a failure stays': { halfway: true },
};

t.test('planted faults', async (t) => {
  const pool = await openPool(t);
  const counts = { written: 0, refused: 0 };
  for (const [name, fault] of Object.entries(FAULTS)) {
    let failure: string | null = null;
    for (let seed = 1; seed <= 8 && failure === null; seed += 1) {
      failure = await checkWorld(pool, seed, 20, counts, fault);
    }
    t.not(failure, null, name);
  }
});

/**
 * The rules of the system collections, which apply besides permissions and to administrators too.
 */
import { strict as assert } from 'node:assert';
import {
  requireAdministrator,
  requirePlainRegistration,
} from '#core/accounts/identity/last-administrator.ts';
import { reason } from '#core/base/errors/reason.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { RuleName } from '#core/model/system-collections/entry.ts';
import { SYSTEM_COLLECTIONS } from '#core/model/system-collections/registry.ts';
import type { Item } from '#core/write/payload.ts';
import { type CollectionRule, NO_RULE, type WriteContext } from '#core/write/write-context.ts';
import { describeAdministrators } from './administrator.ts';
import { afterComments, beginComments, refineComment } from './rule-comment.ts';
import { type FileRuleOptions, fileRuleStages } from './rule-file.ts';
import { afterFolders, beginFolders, refineFolder } from './rule-folder.ts';
import { afterImportProfiles } from './rule-import-profile.ts';
import { afterPermissions, refineBookmark, refinePermission } from './rule-permission.ts';
import { refinePolicy } from './rule-policy.ts';
import { afterRoles, beforeRoles } from './rule-role.ts';
import { afterSettings, refineSettings } from './rule-setting.ts';
import { afterUsers, beforeUsers, refineUser } from './rule-user.ts';
import { writableFields } from './served-collections.ts';
import { queryInTransaction, systemSchemaOf } from './system-schema.ts';

/** The prefix of system collections in Directus; such names do not exist here. */
const FOREIGN_PREFIX = 'directus_';

function checkName(item: Item): void {
  const { collection } = item;
  if (typeof collection !== 'string' || !collection.startsWith(FOREIGN_PREFIX)) return;
  throw invalidPayload(reason('foreign_prefix', { collection, prefix: FOREIGN_PREFIX }), {
    field: 'collection',
  });
}

type Stage = Omit<CollectionRule, 'writable'>;

/** The stages that do not depend on the configuration. */
const STAGES: Readonly<Record<Exclude<RuleName, 'file'>, Stage>> = {
  comment: { begin: beginComments, refine: refineComment, after: afterComments },
  folder: { begin: beginFolders, refine: refineFolder, after: afterFolders },
  'import-profile': { after: afterImportProfiles },
  permission: { refine: refinePermission, after: afterPermissions },
  policy: { refine: refinePolicy },
  preset: { refine: refineBookmark },
  role: { before: beforeRoles, after: afterRoles },
  setting: { refine: refineSettings, after: afterSettings },
  user: { refine: refineUser, before: beforeUsers, after: afterUsers },
};

/** The administrators before the write of a caller that is not an administrator. */
const before = new WeakMap<WriteContext, string>();

function guarded(stage: Stage): Stage {
  return {
    ...stage,
    async begin(write) {
      if (!write.target.rights.admin) {
        before.set(write, await describeAdministrators(write.client, systemSchemaOf(write)));
      }
      await stage.begin?.(write);
    },
    async after(write, done) {
      await stage.after?.(write, done);
      await keepAdministrators(write);
      const { action } = done;
      if (action !== 'create')
        await requireAdministrator(queryInTransaction(write), systemSchemaOf(write));
      // Users do not determine the rights of a role.
      if (action === 'delete' || stage === STAGES.user) return;
      await requirePlainRegistration(queryInTransaction(write), systemSchemaOf(write));
    },
  };
}

/**
 * @throws ServiceError FORBIDDEN when a caller that is not an administrator changed the
 * administrators
 */
async function keepAdministrators(write: WriteContext): Promise<void> {
  if (write.target.rights.admin) return;
  const known = before.get(write);
  assert(known !== undefined);
  const now = await describeAdministrators(write.client, systemSchemaOf(write));
  if (now !== known) throw forbidden(reason('only_administrators_appoint_administrators'));
}

/** Finds the rule of a collection. */
export type RuleOf = (collection: Collection) => CollectionRule;

/**
 * The rules of collections, at any depth of a payload. The returned function throws FORBIDDEN for a
 * system collection that requests cannot write.
 */
export function systemRules(options: FileRuleOptions): RuleOf {
  const stages: Readonly<Record<RuleName, Stage>> = { ...STAGES, file: fileRuleStages(options) };
  return (collection) => {
    if (!collection.system) return NO_RULE;
    if (writableFields(collection).size === 0) throw refusal({ collection: collection.name });
    const { rule, decidesAdministrators } = SYSTEM_COLLECTIONS.get(collection.name) ?? {};
    const stage = rule === undefined ? {} : stages[rule];
    const { refine, ...others } = decidesAdministrators === true ? guarded(stage) : stage;
    return {
      ...others,
      writable: writableFields(collection),
      async refine(write, action, item) {
        checkName(item);
        return refine === undefined ? item : refine(write, action, item);
      },
    };
  };
}

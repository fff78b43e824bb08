/** Creates the identity services of a process. */
import type { AccessSource } from '#core/access/access-source.ts';
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import type { WaitForEdges } from '#core/model/catalog/wait-for-edges.ts';
import type { SigningKeys } from '#core/model/system/signing-key.ts';
import { AccessTokens } from './access-token.ts';
import { Identity } from './identity.ts';
import { OwnSessions } from './own-sessions.ts';
import { PasswordConfirmation } from './password-confirmation.ts';
import { RefreshTokens } from './refresh-token.ts';
import { SecretSeal } from './secret-seal.ts';
import { Renewal } from './session-renewal.ts';
import { SignIn } from './sign-in.ts';
import { StoredSecrets } from './stored-secrets.ts';
import { TwoFactor } from './two-factor.ts';

export interface IdentitySurroundings {
  readonly config: Config;
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly catalog: Pick<CatalogSource, 'onAccess' | 'inContact' | 'trust'>;
  readonly access: AccessSource;
  readonly confirm: WaitForEdges;
  readonly log: Log;
}

export interface IdentityServices {
  readonly identity: Identity;
  readonly signIn: SignIn;
  readonly renewal: Renewal;
  readonly ownSessions: OwnSessions;
  readonly twoFactor: TwoFactor;
  readonly confirmation: PasswordConfirmation;
  readonly storedSecrets: StoredSecrets;
}

export function openIdentity(
  surroundings: IdentitySurroundings,
  secrets: SigningKeys,
): IdentityServices {
  const tokens = new AccessTokens(secrets);
  const refreshTokens = new RefreshTokens(secrets);
  const identity = new Identity({ ...surroundings, tokens });
  const storedSecrets = new StoredSecrets({ ...surroundings, seal: new SecretSeal(secrets) });
  const parts = { ...surroundings, tokens, refreshTokens, storedSecrets };
  return {
    identity,
    signIn: new SignIn(parts),
    renewal: new Renewal(parts),
    ownSessions: new OwnSessions(parts),
    twoFactor: new TwoFactor(parts),
    confirmation: new PasswordConfirmation(parts),
    storedSecrets,
  };
}

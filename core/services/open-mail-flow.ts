/** Creates the services that send mails: password reset, registration, invitation. */

import { MailTokens } from '#core/accounts/identity/mail-token.ts';
import { PasswordResets } from '#core/accounts/identity/password-reset.ts';
import { Registrations } from '#core/accounts/identity/registration.ts';
import type { SigningKeys } from '#core/model/system/signing-key.ts';
import { AccountLinks } from './account-link.ts';
import { type InvitationParts, Invitations } from './invitation.ts';

export interface MailFlowServices {
  readonly accountLinks: AccountLinks;
  readonly invitations: Invitations;
  readonly passwordResets: PasswordResets;
  readonly registrations: Registrations;
}

export function openMailFlows(
  surroundings: Omit<InvitationParts, 'tokens'>,
  secrets: SigningKeys,
): MailFlowServices {
  const parts = { ...surroundings, tokens: new MailTokens(secrets) };
  return {
    accountLinks: new AccountLinks(parts),
    invitations: new Invitations(parts),
    passwordResets: new PasswordResets(parts),
    registrations: new Registrations(parts),
  };
}

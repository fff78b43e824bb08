/** The texts of all mails. Potentially harmful values are not quoted. */
import { type MailContent, personName, plainName } from './render.ts';

/** The values for the texts. */
export interface Occasion {
  /** The name of the project. */
  readonly project: string;
  /** First name of the recipient, which another person may have entered. */
  readonly firstName: string | null;
  readonly link: string;
}

function greeting(name: string | null): string {
  const known = personName(name);
  return known === null ? 'Hello,' : `Hello ${known},`;
}

export function invitationMail({ project, link }: Occasion): MailContent {
  const name = plainName(project);
  return {
    subject: `Your invitation to ${name}`,
    paragraphs: [
      'Hello,',
      `you have been invited to ${name}. Choose a password, and your account is ready.`,
    ],
    action: { label: 'Accept the invitation', link },
    closing: [
      'The link works once, for seven days.',
      'If you did not expect this, you need not do anything.',
    ],
  };
}

export function passwordResetMail({ project, firstName, link }: Occasion): MailContent {
  const name = plainName(project);
  return {
    subject: `Choose a new password for ${name}`,
    paragraphs: [
      greeting(firstName),
      `somebody, most likely you, asked for a new password for your account at ${name}.`,
    ],
    action: { label: 'Choose a new password', link },
    closing: [
      'The link works once, for one day. Anybody who has it can take over your account, so do not pass it on.',
      'If it was not you, you need not do anything: your password stays as it is.',
    ],
  };
}

/** Contains no name: an unknown person entered it, and the address may belong to another person. */
export function verificationMail({ project, link }: Occasion): MailContent {
  const name = plainName(project);
  return {
    subject: `Confirm your address for ${name}`,
    paragraphs: [
      'Hello,',
      `an account at ${name} was registered with this address. It can be used as soon as you confirm that the address is yours.`,
    ],
    action: { label: 'Confirm the address', link },
    closing: [
      'The link works once, for seven days.',
      'If it was not you, do not confirm it: somebody else would know the password.',
    ],
  };
}

/**
 * For a person who already has an account, so that the response to the request does not reveal it.
 */
export function knownAddressMail({ project, firstName, link }: Occasion): MailContent {
  const name = plainName(project);
  return {
    subject: `You already have an account at ${name}`,
    paragraphs: [
      greeting(firstName),
      `somebody tried to register at ${name} with your address. You have an account already, and nothing about it has changed.`,
    ],
    action: { label: 'Sign in', link },
    closing: ['If it was not you, you need not do anything.'],
  };
}

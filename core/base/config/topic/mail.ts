/** Variables: Mail. */
import { choice, define, duration, flag, integer, mailbox, text, urlList } from '../variable.ts';

export const mailVariables = {
  NODE_ENV: define({
    parse: text,
    fallback: 'production',
    meaning: 'With development, mails are logged when no transport is set',
  }),
  EMAIL_TRANSPORT: define({
    parse: choice(['log', 'smtp'] as const),
    fallback: undefined,
    meaning:
      'How mail is sent: smtp, or log to write it, including links, to the log of the worker; unset: log when NODE_ENV is development, else no mail and 503 where it is needed',
  }),
  EMAIL_FROM: define({
    parse: mailbox,
    fallback: undefined,
    meaning: 'Sender of mails, Name <address>; unset: no-reply at the host of PUBLIC_URL',
  }),
  EMAIL_SMTP_HOST: define({
    parse: text,
    fallback: 'localhost',
    meaning: 'Mail server',
  }),
  EMAIL_SMTP_PORT: define({
    parse: integer(1, 65_535),
    fallback: '587',
    meaning: 'Its TCP port; 465 with EMAIL_SMTP_SECURE',
  }),
  EMAIL_SMTP_USER: define({
    parse: text,
    fallback: undefined,
    meaning: 'User name at the mail server; unset: no login',
  }),
  EMAIL_SMTP_PASSWORD: define({
    parse: text,
    fallback: undefined,
    secret: true,
    meaning: 'Password at the mail server',
  }),
  EMAIL_SMTP_SECURE: define({
    parse: flag,
    fallback: 'false',
    meaning:
      'TLS from the first byte; false: STARTTLS where the server offers it, required before a password is sent, not used on loopback',
  }),
  USER_INVITE_URL_ALLOW_LIST: define({
    parse: urlList,
    fallback: undefined,
    meaning: 'Allowed pages for invite_url: URLs, a comma list; unset: none',
  }),
  PASSWORD_RESET_URL_ALLOW_LIST: define({
    parse: urlList,
    fallback: undefined,
    meaning: 'The same for reset_url',
  }),
  USER_REGISTER_URL_ALLOW_LIST: define({
    parse: urlList,
    fallback: undefined,
    meaning: 'The same for verification_url',
  }),
  REGISTER_STALL_TIME: define({
    parse: duration,
    fallback: '750ms',
    meaning: 'Minimum time of a registration or a request for a password reset',
  }),
};

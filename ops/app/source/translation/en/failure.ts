/** What went wrong, and what helps. */
export const failure = {
  askAdministrator: 'Ask an administrator if you need access.',
  noMail:
    'Mail is not set up here, so no message was sent. An administrator sets it up with EMAIL_TRANSPORT.',
  credentials: 'E-mail address or password is wrong.',
  otp: 'The one-time password is wrong or has been used. Wait for the next one.',
  tooMany: 'Too many attempts. Wait a minute and try again.',
  notUnique: 'Another item already has this value.',
  foreignKey: 'Other items refer to this item, or the item that it refers to does not exist.',
  changedMeanwhile: 'Another user has changed this item.',
  unavailable: 'The server cannot answer right now. Try again in a moment.',
  sessionEnded: 'Your session has ended. Sign in again.',
  tooLarge: 'The content is too large for the server.',
  network: 'The server cannot be reached. Check your connection and try again.',
  refused: 'The server refused the request.',
  unknown: 'Something went wrong in the App.',
};

/** What went wrong, and what helps. */
export const failure = {
  askAdministrator: 'Ask an administrator if you need access.',
  noMail:
    'Mail is not set up here, so no message was sent. An administrator sets it up with EMAIL_TRANSPORT.',
  credentials: 'E-mail address or password is wrong.',
  otp: 'The one-time password is wrong or has been used. Wait for the next one.',
  tooMany: 'Too many attempts. Wait a minute and try again.',
  notUnique: 'There is already an item with this value.',
  foreignKey: 'Other items refer to this, or what it refers to does not exist.',
  changedMeanwhile: 'Somebody else has changed this item in the meantime.',
  unavailable: 'The server cannot answer right now. Try again in a moment.',
  sessionEnded: 'Your session has ended. Sign in again.',
  tooLarge: 'This is larger than the server accepts.',
  network: 'The server cannot be reached. Check your connection and try again.',
  refused: 'The server refused this.',
  unknown: 'Something went wrong in the App.',
};

/** Why Sluice cannot start: a problem of its environment that an operator can fix. */

/** The message is one line that names the variable or privilege and the required action. */
export class SetupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SetupError';
  }
}

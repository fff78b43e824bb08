/** Why Sluice cannot start where it is: a fault of its surroundings that an operator can mend. */

/** Its message is one line that names the variable or right in question and says what to do. */
export class SetupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SetupError';
  }
}

/**
 * A mistake on the command line or in a file of the user. It is shown without a stack: the message names the place, the
 * problem and the remedy.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something on this machine that must be put right first. It is shown like a UsageError. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

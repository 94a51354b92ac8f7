/** A mistake of whoever called us: shown as it is, without a stack. The message says where, what, and what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something on this machine that must be put right first. Shown like a UsageError. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

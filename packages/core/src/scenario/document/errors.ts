import { rethrowing } from '../../shape/index.js';

/** Longest message: what is quoted in it may be of any length. */
const longest = 4000;

/** A scenario that cannot be read or run. The message says where, what is wrong, and what to do instead. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  constructor(message: string) {
    super(message.length > longest ? `${message.slice(0, longest)}...` : message);
  }
}

/** Returns the result of `read`. A wrong shape of a document is thrown as a ScenarioError. */
export const readingScenario = <T>(read: () => T): T => rethrowing(ScenarioError, read);

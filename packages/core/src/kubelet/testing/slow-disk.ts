import type { OSInterface } from '../../host/os.js';
import { type Go, Random, sleep } from '../../kernel/index.js';

/** Longest that a call takes, Micros. */
const longest = 400;

/**
 * The same files, but each call takes some time before it does anything, and some more until its answer is there, as on
 * a real machine: whoever works with the same files meanwhile gets in between. The mock's own files are at hand at
 * once, and two goroutines never meet there.
 */
export function slowDisk(os: OSInterface, seed: number): OSInterface {
  const random = new Random(seed);
  const slowly = function* (work: () => Go<unknown>): Go<unknown> {
    yield* sleep(random.below(longest));
    try {
      return yield* work();
    } finally {
      yield* sleep(random.below(longest));
    }
  };
  return new Proxy(os, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      // Events of a watch come as they come.
      if (typeof member !== 'function' || name === 'watch')
        return typeof member === 'function' ? member.bind(target) : member;
      return (...args: unknown[]) => slowly(() => (member as (...a: unknown[]) => Go<unknown>).apply(target, args));
    },
  });
}

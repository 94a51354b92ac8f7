import { expect, it } from 'vitest';
import { Numbered } from './numbered.js';

/** Counts how often an entry is looked at when each of this many pods asks for its own. */
function looks(pods: number): number {
  let count = 0;
  const entries = Array.from(
    { length: pods },
    (_, i) =>
      new Proxy(
        { pod: `ci/job-${i}`, container: 'app', attempt: 0 },
        {
          get(target, key) {
            count++;
            return Reflect.get(target, key);
          },
        },
      ),
  );
  const numbered = new Numbered(entries, 'node1');
  for (let i = 0; i < pods; i++) {
    const subject = { pod: `job-${i}`, namespace: 'ci', uid: `uid-${i}`, container: 'app' };
    expect(numbered.at(subject, 0)?.pod).toBe(`ci/job-${i}`);
  }
  return count;
}

it('an entry is found among four times as many with four times the looks for all', () => {
  expect(looks(400)).toBeLessThan(looks(100) * 4.8);
});

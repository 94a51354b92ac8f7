import { it as test } from 'node:test';

/** `it` for the tests of a file that share one node: after a failure the others mean nothing. */
export function inOrder() {
  let failed = false;
  return (title, options, body) =>
    test(title, options, async (t) => {
      if (failed) return t.skip('an earlier one failed');
      failed = true;
      await body();
      failed = false;
    });
}

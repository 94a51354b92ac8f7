import { expect, it } from 'vitest';
import { newCode } from './link.js';

it('a code is the one that the agent would make', async () => {
  // The same answer is in apps/agent/src/links/link-code.test.ts.
  expect(
    await newCode(
      'a token',
      1_700_000_000_000,
      Uint8Array.from({ length: 12 }, (_, i) => i),
    ),
  ).toBe('AYvP5WgAAAECAwQFBgcICQoLygYEHJfIj6FhPTtmJ7tGpA');
});

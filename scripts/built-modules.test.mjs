import { expect, it } from 'vitest';
import { builtOf } from './built-modules.mjs';

const at = (...parts) => `/home/me/syncloop/${parts.join('/')}`;

it('takes the compiled module of a product source', () => {
  expect(builtOf(at('packages/core/src/kernel/index.ts'), () => true)).toBe(at('packages/core/dist/kernel/index.js'));
  expect(builtOf(at('apps/agent/src/main.ts'), () => true)).toBe(at('apps/agent/dist/main.js'));
});

it('leaves alone what the build does not compile, and what is not there', () => {
  for (const file of ['packages/core/src/kernel/kernel.test.ts', 'packages/core/src/kubelet/testing/fixture.ts'])
    expect(builtOf(at(file), () => true)).toBeUndefined();
  expect(builtOf(at('apps/web/src/main.tsx'), () => true)).toBeUndefined();
  expect(builtOf(`${at('packages/core/src/kernel/index.ts')}?raw`, () => true)).toBeUndefined();
  expect(builtOf(at('scripts/lib.mjs'), () => true)).toBeUndefined();
  expect(builtOf(at('packages/core/src/kernel/index.ts'), () => false)).toBeUndefined();
});

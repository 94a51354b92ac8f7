import { describe, expect, it } from 'vitest';
import { violations } from './arrows.mjs';

const of = (file, source) => violations(file, source).map((v) => v.message);

describe('arrows', () => {
  it('lets the kubelet import the kernel and keeps it from the mock', () => {
    expect(of('packages/core/src/kubelet/a.ts', `import { sleep } from '../kernel/index.js';`)).toEqual([]);
    expect(of('packages/core/src/kubelet/a.ts', `import { x } from '../mock/index.js';`)).toHaveLength(1);
    expect(of('packages/core/src/kubelet/pleg/a.ts', `import type { x } from '../../debug/index.js';`)).toHaveLength(1);
  });
  it('keeps the trace below everything', () => {
    expect(of('packages/core/src/trace/a.ts', `export * from '../kernel/index.js';`)).toHaveLength(1);
  });
  it('names wall clock, timers and randomness in core, but not in comments and strings', () => {
    expect(
      of('packages/core/src/mock/a.ts', 'const t = Date.now();\nsetTimeout(() => {}, 1);\nMath.random();'),
    ).toHaveLength(3);
    expect(of('packages/core/src/mock/a.ts', `// Date.now()\nconst s = 'Math.random()';\n/* setTimeout( */`)).toEqual(
      [],
    );
    expect(of('packages/core/src/kernel/real-clock.ts', 'performance.now();')).toEqual([]);
  });
  it('has one way between the rooms of a house', () => {
    expect(of('packages/core/src/debug/session/a.ts', `import { x } from '../run/run.js';`)).toEqual([]);
    expect(of('packages/core/src/debug/run/a.ts', `import { x } from '../session/session.js';`)).toHaveLength(1);
    expect(of('packages/core/src/debug/index.ts', `export * from './session/session.js';`)).toEqual([]);
    expect(of('packages/core/src/mock/sh/a.ts', `import { x } from '../programs/sed.js';`)).toHaveLength(1);
  });
  it('keeps the judges from what they judge, and from the page', () => {
    const judge = `import { runGolden } from '@syncloop/core/conformance';`;
    expect(of('apps/agent/src/conformance/a.ts', judge)).toEqual([]);
    expect(of('apps/web/src/a.ts', judge)).toHaveLength(1);
    expect(of('packages/core/src/scenario/run/a.ts', `import { x } from '../../conformance/index.js';`)).toHaveLength(
      1,
    );
    const checkers = `import { x } from '../../conformance/invariants/index.js';`;
    expect(of('packages/core/src/debug/explore/a.ts', checkers)).toEqual([]);
    expect(of('packages/core/src/debug/session/a.ts', checkers)).toHaveLength(1);
  });
  it('keeps packages out that a layer has no business with', () => {
    expect(of('packages/core/src/kubelet/a.ts', `import fs from 'node:fs';`)).toHaveLength(1);
    expect(of('apps/agent/src/a.ts', `import fs from 'node:fs';`)).toEqual([]);
    expect(of('apps/web/src/a.ts', `import { x } from '@grpc/grpc-js';`)).toHaveLength(1);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type BreakpointKind, breakpointKinds, breakpointTitle } from './kinds.js';

const room = new URL('.', import.meta.url);

it.each<BreakpointKind>(['config-op', 'kube-event'])(
  '%s is in two files: what it is, and what it looks for',
  (kind) => {
    expect(breakpointKinds).toContain(kind);
    const files = readdirSync(room).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    expect(files.filter((file) => readFileSync(new URL(file, room), 'utf8').includes(`'${kind}'`)).sort()).toEqual([
      'kinds.ts',
      'match.ts',
    ]);
  },
);

it('each kind has a name in both languages', () => {
  for (const kind of breakpointKinds) {
    expect(breakpointTitle(kind).en, kind).toMatch(/^[A-Za-z][ -~]*$/);
    expect(breakpointTitle(kind).zh, kind).toMatch(/\p{Script=Han}/u);
  }
});

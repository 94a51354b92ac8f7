import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type BreakpointKind, breakpointKinds } from './kinds.js';

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

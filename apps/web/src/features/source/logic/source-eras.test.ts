import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ownSources } from '../../../fixtures/own-sources.js';
import { eras, erasTable, linkTo, placesOf } from './source-eras.js';
import type { FunctionSource } from './source-types.js';

const { index } = ownSources;
const DOC = new URL('../../../../../../docs/users/eras.md', import.meta.url);

describe('names in older versions', () => {
  it('stand in docs/users/eras.md as they are here (vitest -u writes them there)', async () => {
    const doc = readFileSync(DOC, 'utf8');
    const found = /^\| Call in the trace \|[^\n]*\n(?:\|[^\n]*\n)*/m.exec(doc);
    expect(found, 'the table is gone from docs/users/eras.md').not.toBeNull();
    const written = doc.replace(found?.[0] ?? '', () => `${erasTable(index)}\n`);
    await expect(written).toMatchFileSnapshot(DOC.pathname);
  });
  it('are told of calls that there are, and only where they differ', () => {
    for (const [fn, then] of Object.entries(eras)) {
      const upstream = index.functions[fn]?.upstream;
      expect(upstream, fn).toBeTruthy();
      expect(Object.keys(then).length, fn).toBeGreaterThan(0);
      for (const place of Object.values(then)) expect(place, fn).not.toEqual(upstream);
    }
  });
  it('are given version by version, with a link to the file as it was', () => {
    const places = placesOf(index.functions.SyncTerminatingPod as FunctionSource);
    expect(places.map((p) => [p.version, typeof p.place === 'string' ? p.place : p.place.symbol, p.same])).toEqual([
      ['v1.12', 'none', false],
      ['v1.22', '(*Kubelet).syncTerminatingPod', false],
      ['v1.32', '(*Kubelet).SyncTerminatingPod', true],
      ['v1.36', '(*Kubelet).SyncTerminatingPod', true],
    ]);
    const then = places[1]?.place;
    expect(typeof then === 'object' && linkTo(then, 'v1.22')).toBe(
      'https://github.com/kubernetes/kubernetes/blob/v1.22.0/pkg/kubelet/kubelet.go',
    );
  });
  it('are none for what is ours alone', () => {
    expect(placesOf(index.functions.waitForRuntimeSlot as FunctionSource)).toEqual([]);
  });
});

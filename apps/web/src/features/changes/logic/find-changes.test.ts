import { changes, oldNames } from '@syncloop/core/changes';
import { describe, expect, it } from 'vitest';
import { findChanges } from './find-changes.js';

const ids = (text: string) => findChanges(changes, oldNames, text).changes.map(({ id }) => id);

describe('the search among the changes', () => {
  it('has all of them for nothing', () => {
    expect(ids('  ')).toEqual(changes.map(({ id }) => id));
  });
  it('finds a function of an article, and what became of it', () => {
    const found = findChanges(changes, oldNames, 'managePodLoop');
    expect(found.names.map(({ names }) => names)).toEqual([['managePodLoop']]);
    expect(found.changes.map(({ id }) => id)).toEqual(['worker-owns-life', 'worker-signal']);
    expect(ids('podkillingch')).toContain('pod-killer');
    expect(ids('(*Kubelet).dispatchWork()')).toEqual([]);
    expect(ids('dispatchWork()')).toEqual(['dispatch-filter', 'dispatch-gone']);
  });
  it('finds what one still types, a version, and a pull request', () => {
    expect(ids('lastUndel')).toEqual(['worker-signal']);
    expect(ids('v1.29')).toEqual(['ready-to-start']);
    expect(ids('#137362')).toContain('relist-on-demand');
    expect(ids('KEP-2000')).toEqual(['node-shutdown']);
  });
  it('finds words of the text in both languages', () => {
    expect(ids('grace period')).toContain('orphan-grace');
    expect(ids('宽限期')).toContain('orphan-grace');
    expect(ids('no such thing')).toEqual([]);
  });
});

import { changes, eraBefore, erasWith } from '@syncloop/core/changes';
import { describe, expect, it } from 'vitest';
import { ownSources } from '../../fixtures/own-sources.js';
import { INPUT_SINCE } from '../../run/loop.js';
import { sourcesOf } from '../source/logic/sources-of.js';
import { addressOf, changeIn } from './opener.js';

describe('the page of changes', () => {
  it('has an address of its own, and one for each change', () => {
    expect(addressOf('https://example.test/app?x=1#run=abc', null)).toBe('https://example.test/app?x=1#changes');
    expect(addressOf('https://example.test/#changes', 'pod-killer')).toBe('https://example.test/#changes=pod-killer');
    expect(changeIn('https://example.test/#changes=pod-killer')).toBe('pod-killer');
    expect(changeIn('https://example.test/#changes')).toBe('');
    expect(changeIn('https://example.test/#run=abc')).toBeNull();
    expect(changeIn('https://example.test/#changes=<b>')).toBeNull();
  });
  it('has the code of each function that a change names, in its version', () => {
    for (const change of changes) {
      const { before, since } = change.code;
      const has = (fn: string, era: string | undefined) =>
        expect(sourcesOf(ownSources, era).index.functions[fn], `${change.id}: ${fn} in ${era}`).toBeDefined();
      if (before !== undefined) has(before, eraBefore(change));
      if (since !== undefined) has(since, erasWith(change)[0]);
    }
  });
  it('tells why an input of the loop came, under the version that the graph names', () => {
    for (const [input, version] of Object.entries(INPUT_SINCE))
      expect(
        changes.filter(({ names, since }) => since === version && names.includes(input)).map(({ id }) => id),
        input,
      ).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { parseScenario } from './parse.js';
import { withNodeSettings } from './with-settings.js';

const head = 'apiVersion: syncloop.dev/v1alpha2\nkind: Scenario\nmetadata: {name: test} # stays\n';

describe('withNodeSettings', () => {
  it.each([
    ['spec: {steps: []}\n'],
    ['spec:\n  node: {maxPods: 3, constants: {plegChannelCapacity: 9}}\n  steps: []\n'],
  ])('sets what is there, and what is not: %s', (spec) => {
    const text = withNodeSettings(head + spec, { syncFrequency: '10s', 'constants.plegChannelCapacity': 3 });
    const { node } = parseScenario(text);
    expect([node.syncFrequency, node.constants?.plegChannelCapacity]).toEqual([10e6, 3]);
    expect(text).toContain('# stays');
  });

  it('leaves it to the parser to refuse a setting that does not exist', () => {
    const text = withNodeSettings(`${head}spec: {steps: []}\n`, { 'constants.relistPeriod': '3s' });
    expect(() => parseScenario(text)).toThrow(/relistPeriod/);
    expect(() => withNodeSettings('a: 1', {})).toThrow('spec is missing');
  });
});

import { describe, expect, it } from 'vitest';
import type { EnvVar } from '../api/types.js';
import { base64Decode, base64Encode } from '../base/index.js';
import { expand, expandWithin, maxRequestSize, plain, RequestTooLarge } from './container/expansion.js';
import { expandContainerCommandAndArgs } from './container/helpers.js';
import { defaulted, makePod, TestManager, testNode } from './kuberuntime/testing/harness.js';
import { makeEnvironmentVariables } from './pod-env.js';

/** Variables each of which is the one before it, this many times. */
const chain = (n: number, times: number, first = 'x'.repeat(16)): EnvVar[] =>
  Array.from({ length: n }, (_, i) => ({ name: `e${i}`, value: i === 0 ? first : `$(e${i - 1})`.repeat(times) }));

function environment(env: EnvVar[], more: object = {}) {
  const t = new TestManager();
  const container = defaulted({ env, ...more });
  const pod = makePod({ containers: [container], nodeName: 'node1' });
  return t.run(
    makeEnvironmentVariables({
      pod,
      container,
      podIP: '10.1.1.1',
      podIPs: ['10.1.1.1'],
      objects: null,
      nodeInfo: testNode,
      files: null,
    }),
  );
}

describe('variables that grow', () => {
  it.each([
    [22, 'grpc: received message larger than max (67108904 vs. 16777216)'],
    [27, 'trying to send message larger than max (2147483703 vs. 2147483647)'],
    [40_000, `trying to send message larger than max (${Number.MAX_SAFE_INTEGER} vs. 2147483647)`],
  ])('%i that double are measured, and not built', (levels, message) => {
    expect(() => environment(chain(levels, 2))).toThrow(`rpc error: code = ResourceExhausted desc = ${message}`);
  });

  it('many that each are of the largest size there is are not built either', () => {
    const env = [
      { name: 'a', value: 'x'.repeat(1000) },
      ...Array.from({ length: 2000 }, (_, i) => ({ name: `b${i}`, value: '$(a)'.repeat(100) })),
    ];
    expect(() => environment(env)).toThrow(RequestTooLarge);
  });

  it('what fits is what it was', () => {
    const env = environment(chain(17, 2));
    expect(env.at(-1)?.value).toBe('x'.repeat(16 << 16));
    expect(environment(chain(3, 2, 'ab')).at(-1)?.value).toBe('abababab');
  });

  it('commands and arguments are measured too', () => {
    const envs = [{ name: 'a', value: 'x'.repeat(1 << 20) }];
    const of = (command: string[], args: string[]) => expandContainerCommandAndArgs(defaulted({ command, args }), envs);
    expect(() => of(['$(a)'.repeat(100_000)], [])).toThrow(/larger than max \(104857600000 vs/);
    expect(() => of(['$(a)'.repeat(10)], Array(20).fill('$(a)'))).toThrow(/larger than max \(31457280 vs/);
    expect(of(['$(a)'], ['$(a)'])).toEqual({ command: ['x'.repeat(1 << 20)], args: ['x'.repeat(1 << 20)] });
  });

  it('a container whose environment no runtime takes was not created, for the reason that the runtime would give', () => {
    const t = new TestManager();
    const r = t.sync(makePod({ containers: [defaulted({ env: chain(30, 2) })] }));
    expect(r.syncResults.at(-1)?.error?.message).toBe('CreateContainerError');
    expect(t.events().at(-1)).toBe(
      'Warning Failed app: Error: trying to send message larger than max (17179869248 vs. 2147483647)',
    );
  });
});

describe('references', () => {
  it('are read once, however many brackets are never closed', () => {
    const text = '$('.repeat(200_000);
    let asked = 0;
    const count = () => {
      asked++;
      return undefined;
    };
    expect(expandWithin(text, count, maxRequestSize)).toEqual(plain(text));
    expect(asked).toBe(0);
    expect(expand(`${text})`, () => 'x').length).toBe(1);
    expect(expand('$'.repeat(300_001), () => 'x').length).toBe(150_001);
  });

  it('a value of a megabyte is encoded', () => {
    const text = 'aé€😀'.repeat(100_000);
    expect(base64Decode(base64Encode(text))).toBe(text);
    expect(base64Encode('\ud800')).toBe('77+9');
  });
});

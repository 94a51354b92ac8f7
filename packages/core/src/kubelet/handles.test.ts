import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const folder = new URL('.', import.meta.url);

/** The kubelet's own sources, without tests and what only tests use. */
const sources = (readdirSync(folder, { recursive: true }) as string[])
  .filter((name) => /\.ts$/.test(name) && !/\.test\.ts$/.test(name) && !/(^|\/)testing\//.test(name))
  .sort();

const read = (name: string): string =>
  readFileSync(new URL(name, folder), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');

/** Parameters, fields and thunks of the whole type: `kl: Kubelet`, `kl: () => Kubelet`, `{ os }: Kubelet`. */
const whole = /(?:[\w}]\??: |=> )(?:readonly )?(Kubelet|KubeGenericRuntimeManager)(?![\w'[])(?! *\{\n)/g;

const takers = (source: string): string[] => [...source.matchAll(whole)].map((m) => m[1] as string);

/** The files that may hold a whole one: the Kubelet its runtime manager. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'kubelet.ts': ['KubeGenericRuntimeManager'],
};

describe('handles are narrow', () => {
  it('nothing but the Kubelet takes a whole Kubelet or runtime manager', () => {
    const found = Object.fromEntries(
      sources.map((name) => [name, takers(read(name))] as const).filter(([, list]) => list.length > 0),
    );
    expect(found).toEqual(allowed);
  });

  it('nothing but the index imports the Kubelet', () => {
    expect(sources.filter((name) => /from '(\.\.?\/)+kubelet\.js'/.test(read(name)))).toEqual(['index.ts']);
  });

  it('the rule sees the ways to take a whole one', () => {
    expect(takers('function f(kl: Kubelet, n: number) {}')).toEqual(['Kubelet']);
    expect(takers('const f = (kl: () => Kubelet) => 1;')).toEqual(['Kubelet']);
    expect(takers('function f({ os }: Kubelet) {}')).toEqual(['Kubelet']);
    expect(takers('class C { constructor(private readonly m: KubeGenericRuntimeManager) {} }')).toEqual([
      'KubeGenericRuntimeManager',
    ]);
    expect(takers("function f(m: Pick<KubeGenericRuntimeManager, 'type'>, kl: KubeletDeps) {}")).toEqual([]);
    expect(takers('function newKubelet(deps: KubeletDeps): Kubelet {\n}')).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import { Rig } from './testing/rig.js';
import { sh, untilStopped } from './testing/specs.js';

/** Each spelling of an amount, and how the server writes it. */
const spellings = [
  ['0.05', '50m'],
  ['50m', '50m'],
  ['1', '1'],
  ['1000m', '1'],
  ['0.0015', '1500u'],
  ['5e-2', '50e-3'],
] as const;
const memory = [
  ['64Mi', '64Mi'],
  ['65536Ki', '64Mi'],
  ['67108864', '67108864'],
  ['0.0625Gi', '64Mi'],
  ['64e6', '64e6'],
  ['64000k', '64M'],
] as const;

it('[1:S05] a static pod with amounts in every spelling is written once, and not again in ten minutes', () => {
  const t = new Rig({ api: true, check: false }).start();
  t.put('every', {
    terminationGracePeriodSeconds: 2,
    containers: spellings.map(([cpu], i) => {
      const amounts = { cpu, memory: memory[i]?.[0] };
      return sh(`c${i}`, untilStopped, { resources: { requests: amounts, limits: amounts } });
    }),
  });
  expect(t.until(() => t.api.list().some((p) => p.status.phase === 'Running'), 60)).toBe(true);
  t.run(30);
  const [stored] = t.api.list();
  expect(stored?.spec.containers.map((c) => c.resources?.limits)).toEqual(
    spellings.map(([, cpu], i) => ({ cpu, memory: memory[i]?.[1] })),
  );
  const before = t.writes.length;
  t.run(600);
  const more = t.writes.slice(before).filter((w) => w.path.includes('/pods/'));
  expect(more.map((w) => `${w.method} ${w.path}`)).toEqual([]);
});

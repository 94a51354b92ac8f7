import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadEras, loadedEra } from '../era/index.js';
import type { Era, EraRules } from '../era/types.js';
import type { RuntimeRules } from '../kuberuntime/rules.js';
import { pod, startInEra } from './testing/run-in-era.js';

/** Every field by name: the compiler asks for one that is missing here. */
const ruleNames: Record<keyof EraRules, true> = {
  config: true,
  startsWithout: true,
  startsToo: true,
  startupProbes: true,
  fields: true,
  runtimeCachePeriod: true,
  immediateEvictionGracePeriod: true,
  plainEvictionMessage: true,
  softAdmission: true,
  newLogWords: true,
  runtimeState: true,
  nodeStatus: true,
  runtime: true,
  newStatusManager: true,
  generateAPIPodStatus: true,
  services: true,
};
const runtimeNames: Record<keyof RuntimeRules, true> = {
  texts: true,
  overrideReplacesGrace: true,
  killingEventAfterStop: true,
  syncPodSteps: true,
  tellsSandboxReady: true,
  restartCountFromLogs: true,
  excusesSandboxOfGonePod: true,
  listsForStatus: true,
};

/** Notes which fields of an object are read. Spreading it reads none of them by name, and is refused. */
function watched<T extends object>(object: T, read: Set<string>): T {
  return new Proxy(object, {
    get(target, name) {
      read.add(String(name));
      return Reflect.get(target, name);
    },
    ownKeys() {
      throw new Error('all fields are read at once, which says nothing of each');
    },
  });
}

describe('the rules of an era', () => {
  const [read, readOfRuntime] = [new Set<string>(), new Set<string>()];
  let era: Era;
  let rules: EraRules;
  beforeAll(async () => {
    await loadEras();
    era = loadedEra('v1.12');
    rules = era.rules;
    const runtime = watched(rules.runtime as RuntimeRules, readOfRuntime);
    Object.assign(era, { rules: watched({ ...rules, runtime }, read) });
  });
  afterAll(() => {
    Object.assign(era, { rules });
  });

  it('are each read by a kubelet that runs a pod whose sandbox fails and which is deleted', () => {
    startInEra('v1.12', {
      steps: [
        { fault: { method: 'RunPodSandbox', error: { message: 'no sandbox' }, times: 1 } },
        { apply: pod('web') },
        { wait: '30s' },
        { delete: 'web' },
        { wait: '30s' },
      ],
    }).run.run();
    expect([...read].sort()).toEqual(Object.keys(ruleNames).sort());
    expect([...readOfRuntime].sort()).toEqual(Object.keys(runtimeNames).sort());
  });
});

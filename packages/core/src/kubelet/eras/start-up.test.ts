import { beforeAll, describe, expect, it } from 'vitest';
import { findScenario } from '../../scenario/index.js';
import { startScenario } from '../../scenario/run/start.js';
import type { TraceRecord } from '../../trace/index.js';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';

beforeAll(() => loadEras());

/** Returns what a kubelet with an API server starts, in order: its managers, and the goroutines beside the loop. */
function startOf(era: EraVersion) {
  const records: TraceRecord[] = [];
  startScenario(findScenario('api-pod'), { era, sink: (r) => records.push(r) }).run({ until: 3e6 });
  const heard = records.flatMap((r) => (r.kind === 'manager' ? [r.name] : []));
  const managers = records.flatMap((r) => (r.kind === 'manager' && r.state === 'started' ? [r.name] : []));
  const calls = records.flatMap((r) => (r.kind === 'enter' ? [r.fn] : []));
  const goroutines = records.flatMap((r) => (r.kind === 'goroutine-start' ? [r.name] : []));
  const events = records.flatMap((r) => (r.kind === 'kube-event' ? [r.reason] : []));
  return { heard, managers, calls, goroutines, events };
}

/** Those of `names` that are there, in the order in which they are. */
const among = (list: readonly string[], names: readonly string[]) => list.filter((name) => names.includes(name));

describe('Run of an older kubelet', () => {
  it('[5:N13] starts its parts in the order of its time, the pod killer before the status manager', () => {
    const { managers, goroutines } = startOf('v1.21');
    const own = ['volumeManager', 'nodeStatus', 'nodeLeaseController', 'statusManager', 'runtimeClassManager', 'pleg'];
    expect(among(managers, own)).toEqual(own);
    expect(among(goroutines, ['nodeStatus', 'updateRuntimeUp', 'podKiller'])).toEqual([
      'nodeStatus',
      'updateRuntimeUp',
      'podKiller',
    ]);
  });

  it('[5:N14] starts in v1.12 the probe manager, and nothing for leases, runtime classes and a shutdown', () => {
    const { managers } = startOf('v1.12');
    expect(managers).toContain('probeManager');
    for (const later of ['nodeLeaseController', 'runtimeClassManager', 'shutdownManager', 'allocationManager'])
      expect(managers).not.toContain(later);
  });

  it.each(availableEras)('[5:N15] %s has neither what came later nor what had gone', (era) => {
    const { managers, goroutines } = startOf(era);
    const minor = Number(era.slice('v1.'.length));
    expect(managers.includes('allocationManager')).toBe(minor >= 34);
    expect(goroutines.includes('fastStaticPodsRegistration')).toBe(minor >= 32);
    expect(goroutines.includes('podKiller')).toBe(minor < 22);
    expect(managers.includes('nodeLeaseController')).toBe(minor >= 14);
  });

  it.each(availableEras)(
    '[5:N22] %s goes through Run in its order, also past what does not run on this node',
    (era) => {
      const { heard, calls } = startOf(era);
      const minor = Number(era.slice('v1.'.length));
      const first = ['logServer', 'cloudResourceSyncManager', 'metrics.Register', 'setupDataDirs', 'ContainerLogsDir'];
      expect(heard.slice(0, minor <= 33 ? 5 : 4)).toEqual(
        first.filter((name) => name !== 'cloudResourceSyncManager' || minor <= 33),
      );
      const network = minor >= 17 ? 'initNetworkUtil' : 'syncNetworkUtil';
      const later = ['imageManager', 'serverCertificateManager', 'oomWatcher', 'resourceAnalyzer', 'volumeManager'];
      const last = [
        network,
        'statusManager',
        'pleg',
        'containerManager',
        minor >= 15 ? 'pluginManager' : 'pluginWatcher',
      ];
      expect(among(heard, [...later, ...last])).toEqual([...later, ...last]);
      expect(heard.includes('cgroupVersionCheck')).toBe(minor >= 32);
      expect(heard.includes('healthChecker')).toBe(minor >= 32);
      expect(heard.includes('probeManager')).toBe(minor <= 20);
      // Calls that one can stop in, each before the loop.
      const of = minor >= 32 ? ['metrics.Register', 'cgroupVersionCheck', network] : ['metrics.Register', network];
      expect(among(calls, [...of, 'syncLoop'])).toEqual([...of, 'syncLoop']);
    },
  );
});

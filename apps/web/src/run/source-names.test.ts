import { availableEras, type EraVersion, loadEras } from '@syncloop/core/kubelet';
import { findScenario, startScenario } from '@syncloop/core/scenario';
import { foldAll, type TraceRecord } from '@syncloop/core/trace';
import { beforeAll, describe, expect, it } from 'vitest';
import { functionThen, pendingField, sourceNames, updateConstant } from './source-names.js';

beforeAll(() => loadEras());

/** A run of a version, and what the page says of its records. */
function runOf(era: EraVersion) {
  const records: TraceRecord[] = [];
  startScenario(findScenario('api-pod'), { era, sink: (r) => records.push(r) }).run({ until: 8e6 });
  const state = foldAll(records);
  const ofRecord = (test: (r: TraceRecord) => boolean) => {
    const record = records.find(test);
    return record && sourceNames({ kind: 'record', seq: record.seq }, record, '', era);
  };
  const ofGoroutine = (name: string) => {
    const found = Object.values(state.goroutines).find((g) => g.name.startsWith(name));
    return found && sourceNames({ kind: 'goroutine', id: found.id }, undefined, found.name, era);
  };
  return { ofRecord, ofGoroutine };
}

describe('names that the source of a version has', () => {
  it.each(availableEras)('%s: of a relist, an update, a worker and the image manager’s goroutines', (era) => {
    const { ofRecord, ofGoroutine } = runOf(era);
    const old = Number(era.slice('v1.'.length)) <= 25;
    expect(ofRecord((r) => r.kind === 'enter' && r.fn === 'Relist')).toEqual(old ? ['relist'] : []);
    expect(ofRecord((r) => r.kind === 'enter' && r.fn === 'SyncPod')).toEqual(old ? ['syncPod'] : []);
    expect(ofRecord((r) => r.kind === 'relist')).toEqual([old ? 'GenericPLEG.relist' : 'GenericPLEG.Relist']);
    expect(ofRecord((r) => r.kind === 'pod-update' && r.updateType === 'create')).toEqual(['SyncPodCreate']);
    expect(ofRecord((r) => r.kind === 'manager' && r.name === 'imageManager')).toEqual(['realImageGCManager']);
    expect(ofGoroutine('imageDetector')).toEqual(['realImageGCManager.Start, detectImages']);
    expect(ofGoroutine('podWorker ')).toEqual([old ? 'podWorkers.managePodLoop' : 'podWorkers.podWorkerLoop']);
    expect(pendingField(era)).toBe(old ? 'lastUndeliveredWorkUpdate' : 'pendingUpdate');
  });
  it('are not guessed where the version is not known', () => {
    expect(functionThen('Relist', undefined)).toBeNull();
    expect(pendingField(undefined)).toBeNull();
    expect(sourceNames({ kind: 'goroutine', id: 1 }, undefined, 'podWorker default/web', undefined)).toEqual([]);
  });
  it('are the constants of the four kinds of updates', () => {
    expect(['create', 'update', 'sync', 'kill'].map(updateConstant)).toEqual([
      'SyncPodCreate',
      'SyncPodUpdate',
      'SyncPodSync',
      'SyncPodKill',
    ]);
    expect(updateConstant('')).toBe('');
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import type { NodeObject } from '../../api/cluster-types.js';
import { CRIError, GrpcCode } from '../../cri/index.js';
import { Millisecond, Second } from '../../kernel/index.js';
import { availableEras, type EraVersion, loadEras, loadedEra } from '../era/index.js';
import { FakeAPI } from '../testing/fake-api.js';
import { setup } from '../testing/fake-node.js';
import { runInEra } from './testing/run-in-era.js';

beforeAll(() => loadEras());

const upTo1_25 = ['v1.12', 'v1.21', 'v1.25'] as const;
const isUpTo1_25 = (era: EraVersion) => (upTo1_25 as readonly EraVersion[]).includes(era);
const withApi = { node: { apiServer: true }, steps: [{ wait: '3s' }] };
const quiet = { node: { apiServer: true }, steps: [{ wait: '2m' }] };

/** Goroutines that called a function, by name, in the order of their calls. */
const callers = (era: EraVersion, fn: string): string[] => {
  const r = runInEra(era, withApi);
  const names = new Map(r.of('goroutine-start').map(({ id, name }) => [id, name]));
  return r.entered(fn).map(({ g }) => names.get(g) ?? '');
};

describe('the start of the node status', () => {
  it('[5:N17] is preceded by a check of the runtime since v1.31 only', () => {
    for (const era of availableEras) {
      const ofStatus = callers(era, 'updateRuntimeUp').includes('nodeStatus');
      expect([era, ofStatus]).toEqual([era, !isUpTo1_25(era)]);
    }
  });

  it('[5:N18] comes every 10 s up to v1.21, and up to 4 % later since v1.23', () => {
    for (const era of availableEras) {
      const at = runInEra(era, quiet)
        .entered('syncNodeStatus')
        .map(({ time }) => time);
      const late = at.slice(1).map((time, i) => time - (at[i] as number) - 10 * Second);
      // A registration, or a call to the API server, takes its own time.
      const spread = Math.max(...late.slice(1)) - Math.min(...late.slice(1));
      expect([era, late.length > 8, spread > 50 * Millisecond]).toEqual([era, true, !/v1.12|v1.21/.test(era)]);
    }
  });

  it('[5:N19] is hurried by a node that became ready since v1.26; up to v1.25 it never is without addresses', () => {
    for (const era of availableEras) {
      const r = runInEra(era, withApi);
      const [enter] = r.entered('fastStatusUpdateOnce');
      const over = r.of('exit').some(({ of }) => of === enter?.seq);
      const hurried = r.lines('Fast updating node status as it just became ready').length > 0;
      expect([era, over, hurried]).toEqual([era, !isUpTo1_25(era), !isUpTo1_25(era)]);
    }
  });

  it.each(upTo1_25)('[5:N19] %s writes it again at once when its pods have been given addresses', (era) => {
    let api = null as unknown as FakeAPI;
    const t = setup({
      deps: (k) => {
        api = new FakeAPI(k);
        return { transport: api, era: loadedEra(era) };
      },
    });
    t.run(3);
    const calls = () =>
      ['updateRuntimeUp', 'syncNodeStatus'].map((fn) => t.of('enter').filter((e) => e.fn === fn).length);
    const before = calls();
    t.cri.failing.set('UpdateRuntimeConfig', new CRIError(GrpcCode.Unavailable, 'away'));
    api.node = { ...(api.node as NodeObject), spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] } };
    t.run(1);
    expect([t.logs(/Pod CIDR update failed/).length > 5, ...calls()]).toEqual([true, ...before]);
    t.cri.failing.clear();
    t.run(0.2);
    expect(calls()).toEqual(before.map((n) => n + 1));
    const [enter] = t.of('enter').filter(({ fn }) => fn === 'fastStatusUpdateOnce');
    expect(t.of('exit').some(({ of }) => of === enter?.seq)).toBe(true);
  });
});

describe('the start of the API source', () => {
  it('[5:N23] waits until the node has been read since v1.20, and does not in v1.12', () => {
    for (const era of availableEras) {
      let api = null as unknown as FakeAPI;
      const t = setup({
        deps: (k) => {
          api = new FakeAPI(k);
          api.synced = false;
          return { transport: api, era: loadedEra(era) };
        },
      });
      t.run(2);
      expect([era, api.requests.some((r) => r.startsWith('WATCH pods'))]).toEqual([era, era === 'v1.12']);
      expect([era, t.logs(/^node sync has not completed yet$/).length > 0]).toEqual([era, era !== 'v1.12']);
    }
  });
});

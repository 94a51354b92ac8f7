import { beforeAll, describe, expect, it } from 'vitest';
import { availableEras, type EraVersion, loadEras } from '../era/index.js';
import { container, pod, runInEra, untilTerm } from './testing/run-in-era.js';

beforeAll(() => loadEras());

const running = { waitFor: { pod: 'web', phase: 'Running', timeout: '30s' } };
const removed = { steps: [{ apply: pod('web') }, running, { wait: '2s' }, { delete: 'web' }, { wait: '5s' }] };
const IMAGE = 'registry.test/new:1';
const pulled = {
  registry: [{ ref: IMAGE, answer: 'serve', size: 40_000_000, programs: 'busybox' }],
  calls: [{ method: 'PullImage', took: '1234ms' }],
  steps: [
    { apply: pod('web', { containers: [container(untilTerm(), { image: IMAGE, imagePullPolicy: 'Always' })] }) },
    running,
  ],
};
const refused = {
  steps: [
    { fault: { method: 'PullImage', error: { message: 'no such image' } } },
    { apply: pod('web', { containers: [container(untilTerm(), { image: IMAGE, imagePullPolicy: 'Always' })] }) },
    { wait: '20s' },
  ],
};
const unhealthy = {
  steps: [
    {
      apply: pod('web', {
        containers: [
          container(untilTerm(), {
            livenessProbe: { exec: { command: ['sh', '-c', 'exit 1'] }, periodSeconds: 1, failureThreshold: 1 },
          }),
        ],
      }),
    },
    { wait: '6s' },
  ],
};

/** The text of the first event of a reason in each version. */
const texts = (scenario: Parameters<typeof runInEra>[1], reason: string): Record<EraVersion, string> =>
  Object.fromEntries(
    availableEras.map((era) => [era, runInEra(era, scenario).events(reason)[0]?.message ?? '']),
  ) as Record<EraVersion, string>;

describe('events in the words of their version', () => {
  it('[5:N10] name the container that was created or started from v1.14 to v1.34', () => {
    expect(texts(removed, 'Created')).toEqual({
      'v1.12': 'Created container',
      'v1.21': 'Created container app',
      'v1.25': 'Created container app',
      'v1.32': 'Created container: app',
      'v1.36': 'Container created',
    });
    expect(texts(removed, 'Started')).toEqual({
      'v1.12': 'Started container',
      'v1.21': 'Started container app',
      'v1.25': 'Started container app',
      'v1.32': 'Started container app',
      'v1.36': 'Container started',
    });
  });

  it('[5:N20] tell of a kill when it is over, with its reason, in v1.12; since v1.14 before it begins', () => {
    const stopping = 'Stopping container app';
    expect(texts(removed, 'Killing')).toEqual({
      'v1.12': 'Killing container with id containerd://app:Need to kill Pod',
      'v1.21': stopping,
      'v1.25': stopping,
      'v1.32': stopping,
      'v1.36': stopping,
    });
    for (const era of availableEras) {
      const r = runInEra(era, removed);
      const [event] = r.events('Killing');
      const [stop] = r.calls('StopContainer');
      expect([era, (event?.seq ?? 0) > (stop?.seq ?? 0)]).toEqual([era, era === 'v1.12']);
    }
  });

  it('[5:N20] of a container that failed its probe', () => {
    const since14 = 'Container app failed liveness probe, will be restarted';
    expect(texts(unhealthy, 'Killing')).toEqual({
      'v1.12':
        'Killing container with id containerd://app:Container failed liveness probe.. Container will be killed and recreated.',
      'v1.21': since14,
      'v1.25': since14,
      'v1.32': since14,
      'v1.36': since14,
    });
  });

  it('[5:N21] say of a pull what the version measures: nothing, its time, its wait, its size', () => {
    const image = JSON.stringify(IMAGE);
    expect(texts(pulled, 'Pulling')).toEqual({
      'v1.12': `pulling image ${image}`,
      'v1.21': `Pulling image ${image}`,
      'v1.25': `Pulling image ${image}`,
      'v1.32': `Pulling image ${image}`,
      'v1.36': `Pulling image ${image}`,
    });
    const seen = texts(pulled, 'Pulled');
    expect(seen['v1.12']).toBe(`Successfully pulled image ${image}`);
    expect(seen['v1.21']).toMatch(/^Successfully pulled image "\S+" in 1\.23\d+s$/);
    expect(seen['v1.25']).toMatch(/^Successfully pulled image "\S+" in 1\.23\d*s \(1\.23\d+s including waiting\)$/);
    for (const era of ['v1.32', 'v1.36'] as const)
      expect(seen[era]).toMatch(
        /^Successfully pulled image "\S+" in 1\.23\ds \(1\.23\ds including waiting\)\. Image size: \d+ bytes\.$/,
      );
  });

  it('[5:N21] a container that waits for its image says why since v1.32 only', () => {
    for (const era of availableEras) {
      const waits = runInEra(era, refused)
        .statuses('web')
        .flatMap(({ containerStatuses }) => containerStatuses ?? [])
        .flatMap(({ state }) => (state.waiting?.reason === 'ImagePullBackOff' ? [state.waiting.message ?? ''] : []));
      const plain = `Back-off pulling image "${IMAGE}"`;
      expect([era, waits[0]?.startsWith(plain), waits[0] === plain]).toEqual([era, true, !/v1.3[26]/.test(era)]);
    }
  });
});

describe('the loop that must not run yet', () => {
  it('[5:I04] prints its reasons as a list of Go up to v1.13, and as one error since', () => {
    const first = (era: EraVersion) => {
      const line = runInEra(era, { steps: [{ wait: '1s' }] }).lines('kipping pod synchronization')[0];
      const err = era === 'v1.12' ? '' : ` ${JSON.stringify(line?.kv.err)}`;
      return `${line?.severity} ${line?.msg}${err}`;
    };
    expect(first('v1.12')).toBe(
      'I skipping pod synchronization - [container runtime is down PLEG is not healthy: pleg was last seen active 2562047h47m16.854775807s ago; threshold is 3m0s]',
    );
    for (const era of availableEras.filter((one) => one !== 'v1.12'))
      expect(first(era)).toBe(
        'E Skipping pod synchronization "[container runtime status check may not have completed yet, PLEG is not healthy: pleg has yet to be successful]"',
      );
  });

  it('[5:I04] leaves a pod without a network, which is a list of texts as well', () => {
    const scenario = { steps: [{ network: 'notReady' }, { wait: '6s' }, { apply: pod('web') }, { wait: '3s' }] };
    const seen = texts(scenario, 'NetworkNotReady');
    expect(seen['v1.12']).toMatch(/^network is not ready: \[runtime network not ready: NetworkReady=false .*\]$/);
    for (const era of availableEras.filter((one) => one !== 'v1.12'))
      expect(seen[era]).toMatch(/^network is not ready: container runtime network not ready: NetworkReady=false /);
  });
});

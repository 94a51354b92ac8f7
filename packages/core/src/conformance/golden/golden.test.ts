import { describe, expect, it } from 'vitest';
import { runGolden } from './golden.js';
import { type GoldenStep, workName } from './steps.js';

const pod = (name: string, script = "trap 'exit 0' TERM; while true; do sleep 0.2; done") => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    terminationGracePeriodSeconds: 2,
    containers: [
      {
        name: 'app',
        image: 'localhost/busybox:dev',
        imagePullPolicy: 'IfNotPresent',
        command: ['sh', '-c', script],
        env: [{ name: 'A', value: '1' }],
      },
    ],
  },
});
const run = (...steps: GoldenStep[]) => runGolden({ scenario: 'test', steps });

describe('runGolden', () => {
  const life = run(
    ['put', pod('web')],
    ['phase', 'web', 'Running', 20],
    ['exec', 'web', 'app', ['sh', '-c', 'echo hi > /tmp/x']],
    ['wait', 2],
    ['rm', 'web'],
    ['gone', 'web', 20],
  );

  it('marks each step with its time and arguments', () => {
    expect(life.problems).toEqual([]);
    expect(life.marks.map((m) => [m.step, m.args])).toEqual([
      ['put', ['web']],
      ['phase', ['web', 'Running', 20]],
      ['exec', ['web', 'app', ['sh', '-c', 'echo hi > /tmp/x']]],
      ['wait', [2]],
      ['rm', ['web']],
      ['gone', ['web', 20]],
    ]);
    expect(life.marks[0]?.at).toBe(3500);
    expect(life.steps[0]).toEqual(['put', pod('web')]);
  });

  it('keeps the unary calls in order, answers of polling calls left out', () => {
    const { cri } = life;
    expect(cri.map((c) => c.seq)).toEqual(cri.map((_, i) => i));
    expect(cri.slice(0, 3).map((c) => c.method)).toEqual(['Version', 'ImageFsInfo', 'RuntimeConfig']);
    expect(
      cri.filter((c) => /^(List|Version|Status|ImageFsInfo)/.test(c.method)).every((c) => c.response === undefined),
    ).toBe(true);
    const order = cri.map((c) => c.method).filter((m) => /^(RunPod|Create|Start|Stop)/.test(m));
    expect(order.slice(0, 4)).toEqual(['RunPodSandbox', 'CreateContainer', 'StartContainer', 'StopContainer']);
    const create = cri.find((c) => c.method === 'CreateContainer');
    expect(create?.request).toMatchObject({ config: { envs: [{ key: 'A', value: { type: 'Buffer', data: [49] } }] } });
    expect(create?.response).toMatchObject({ containerId: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const sandbox = cri.find((c) => c.method === 'RunPodSandbox');
    expect(sandbox?.request).toMatchObject({
      config: { logDirectory: expect.stringContaining(`${workName}/podlogs/default_web-node1_`) },
    });
    expect(sandbox?.tookMs).toBeGreaterThan(20);
  });

  it('keeps every status that the pods had', () => {
    expect(life.everyChange).toBe(true);
    const phases = life.status.map((s) => s.pods.map((p) => p.status.phase)[0]);
    expect(phases[0]).toBeUndefined();
    expect(phases).toContain('Pending');
    expect(phases).toContain('Running');
    expect(life.status.at(-1)?.pods).toEqual([]);
    for (const [i, s] of life.status.entries())
      if (i > 0) expect(JSON.stringify(s.pods)).not.toBe(JSON.stringify(life.status[i - 1]?.pods));
  });

  it('keeps the log as klog prints it', () => {
    expect(
      life.klog.some((l) =>
        /^I1121 04:00:\d\d\.\d{6} +\d+ kubelet\.go:\d+\] "SyncLoop ADD" source="file" pods=\["default\/web-node1"\]$/.test(
          l,
        ),
      ),
    ).toBe(true);
    expect(life.klog.some((l) => l.includes('"Event occurred" object="default/web-node1"'))).toBe(true);
    expect(life.klog.join('\n')).not.toContain('/srv/');
  });

  it('does the same again for the same seed', () => {
    const steps: GoldenStep[] = [
      ['put', pod('web')],
      ['wait', 3],
    ];
    expect(JSON.stringify(run(...steps))).toBe(JSON.stringify(run(...steps)));
  });

  it('knows the other verbs', () => {
    const r = run(
      ['raw', 'junk.yaml', 'kind: Pod\nmetadata: {name: ['],
      ['wait', 2],
      ['put', pod('a')],
      ['phase', 'a', 'Running', 20],
      ['rmraw', 'junk.yaml'],
      ['kill', 'a', 'app'],
      ['wait', 3],
      ['killSandbox', 'a'],
      ['wait', 5],
      ['stopKubelet'],
      ['wait', 1],
      ['sh', `rm ${workName}/manifests/a.yaml`],
      ['startKubelet'],
      ['stopRuntime'],
      ['wait', 1],
      ['startRuntime'],
      ['gone', 'a', 60],
    );
    expect(r.problems).toEqual([]);
    expect(r.klog.filter((l) => l.includes('"Starting kubelet main sync loop"'))).toHaveLength(2);
    expect(r.klog.some((l) => l.includes('"Could not process manifest file"'))).toBe(true);
    expect(r.cri.some((c) => c.error?.code === 14)).toBe(true);
  });

  it('goes on after a step that does not come true, and tells', () => {
    const r = run(
      ['phase', 'ghost', 'Running', 1],
      ['rm', 'ghost'],
      ['kill', 'ghost', 'app'],
      ['put', pod('a', 'exit 3')],
      ['wait', 3],
      ['sh', 'echo no >&2; exit 4'],
    );
    expect(r.problems).toEqual([
      'step 1 (phase): not within 1s: there is no such pod; there are: none',
      'step 2 (rm): there is no manifest ghost.yaml; there are: none',
      'step 3 (kill): pod "ghost" has no running container "app"; there are: none',
      'step 6 (sh): exit code 4: no\n',
    ]);
    expect(r.marks).toHaveLength(6);
  });

  it.each<[unknown, string]>([
    [['putt', {}], 'step 1 (["putt",{}]): unknown verb "putt"; did you mean "put"?'],
    [['create', {}], 'step 1 (["create",{}]): the object has no name; give it metadata.name'],
    [['patch', 'Pod', 'a', 5], 'step 1 (["patch","Pod","a",5]): want an object as the patch'],
    [['apiGone', 'a', -1], 'step 1 (["apiGone","a",-1]): want a number of seconds from 0 to 86400'],
    [['wait'], 'step 1 (["wait"]): wait takes 1 arguments, got 0'],
    [['wait', '5'], 'step 1 (["wait","5"]): want a number of seconds from 0 to 86400'],
    [['put', {}], 'step 1 (["put",{}]): the pod has no name; give it metadata.name'],
    [['exec', 'a', 'b', []], 'step 1 (["exec","a","b",[]]): want a command: a text or a list of texts'],
    [['rm', 5], 'step 1 (["rm",5]): want texts, got 5'],
    ['wait', 'step 1 ("wait"): want a list of a verb and its arguments'],
  ])('refuses %j', (step, message) => {
    expect(() => run(step as GoldenStep)).toThrow(message);
  });
});

import { findScenario, parseScenario } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { captureOf, observeCapture } from '../capture/index.js';
import { compare, coverageOf, decisionsOf } from '../compare/index.js';
import { rerun, twinScenario } from './index.js';

/** The twin of a log alone, of one pod that runs for some seconds. */
function twinOfLog(spec: string, then = '', verbosity = 4) {
  const scenario = parseScenario(
    `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: told }
spec:
  node: { fileCheckFrequency: 1s, clusterDNS: ["10.96.0.10"], apiServer: ${then !== ''} }
  images: [{ ref: "localhost/busybox:dev", programs: busybox }]
  steps:
    - apply: { ${then === '' ? 'file: web.yaml' : 'to: api'}, manifest: { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: ${spec} } }
    - wait: 9s
${then}
`,
    'told.yaml',
  );
  const { observation, records } = observeCapture(captureOf(scenario, { verbosity }), ['log']);
  return twinScenario(records, { epochMicros: observation.epochMicros, version: 'v1.36.2' }).text;
}
const container = (name: string, script: string, more = '') =>
  `{ name: ${name}, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sh, -c, "${script}"]${more} }`;
const forever = "trap 'exit 0' TERM; while true; do sleep 0.2; done";

it('has the device plug-ins, whose devices break, and which restart', () => {
  const capture = captureOf(findScenario('device-unhealthy'), { until: 60e6 });
  for (const only of [undefined, ['log']]) {
    const { observation, records } = observeCapture(capture, only);
    const twin = twinScenario(records, { epochMicros: observation.epochMicros, version: 'v1.36.2' });
    expect(twin.text).toMatch(/devicePlugins:\n +- \{ resource: example.com\/gpu, devices: \[ gpu-0, gpu-1 \]/);
    const changes = [...twin.text.matchAll(/devicePlugin:\n.*\n +(\w+): ?(\w*)/g)].map(
      ([, what = '', how = '']) => what + how,
    );
    expect(changes).toEqual(['unhealthy', 'healthy', 'runstop', 'runstart']);
    const { seenFrom, kubelet, era } = twin;
    const [seen, own] = [decisionsOf(records), decisionsOf(rerun(twin).records)];
    const until = seenFrom + twin.until;
    const { same, compared } = compare(seen, own, { coverage: coverageOf(records), seenFrom, until, kubelet, era });
    expect(compared).toBeGreaterThan(40);
    expect(same).toBe(compared);
  }
});

describe('the specification of a pod that only a log shows', () => {
  it.each([
    ['Never', 'sleep 1; exit 3', forever, 'Never'],
    ['OnFailure', 'sleep 1; exit 0', 'sleep 1; exit 1', 'OnFailure'],
    ['Always', 'sleep 1; exit 0', forever, undefined],
  ])('has the restart policy %s, by which containers were treated', (policy, first, second, concluded) => {
    const containers = `[${container('a', first)}, ${container('b', second)}]`;
    const text = twinOfLog(`{ restartPolicy: ${policy}, containers: ${containers} }`);
    expect(/restartPolicy: (\w+)/.exec(text)?.[1]).toBe(concluded);
  });

  it('has a sidecar that still ran when a container started, and an init container that had ended', () => {
    const inits = `[${container('s', forever, ', restartPolicy: Always')}, ${container('i', 'sleep 1')}]`;
    const text = twinOfLog(`{ initContainers: ${inits}, containers: [${container('app', forever)}] }`);
    expect(text.match(/restartPolicy: Always/g)).toHaveLength(1);
    expect(text).toMatch(/name: s\n(?:(?!- name).*\n)*? +restartPolicy: Always/);
  });

  const delayed = 'command: [sh, -c, "sleep 1"]';
  const kills = (last: string) =>
    twinOfLog(
      `{ terminationGracePeriodSeconds: 5, containers: [${container('app', forever)}${last} }`,
      '    - delete: { pod: web, to: api }\n    - wait: 9s',
      2,
    );
  it('has a hook before the end of a container that is killed later than the other', () => {
    const text = kills(`, ${container('slow', forever, `, lifecycle: { preStop: { exec: { ${delayed} } } }`)}]`);
    expect(text).toMatch(/name: slow\n(?:(?!- name).*\n)*? +preStop:/);
    expect(text.match(/preStop:\n/g)).toHaveLength(1);
    expect(text).toMatch(/container: slow.*hooks: \{ preStop: \{ result: success, took: 1\.\d+s \} \}/);
  });
  it('has a sidecar if a container is killed when the others have ended', () => {
    const text = kills(`], initContainers: [${container('side', forever, ', restartPolicy: Always')}]`);
    expect(text).toMatch(/initContainers:\n +- name: side\n(?:(?!- name).*\n)*? +restartPolicy: Always/);
  });

  it('is deleted by force if it is gone before its kubelet had ended it', () => {
    const text = twinOfLog(
      `{ containers: [${container('app', forever)}] }`,
      '    - delete: { pod: web, to: api, gracePeriodSeconds: 0 }\n    - wait: 5s',
    );
    expect(text).toMatch(/delete:\n +pod: web\n +to: api\n +gracePeriodSeconds: 0/);
  });

  it('has the policy OnFailure though a container that its sandbox took along was started again', () => {
    const containers = [container('a', forever), container('b', 'sleep 1; exit 1'), container('c', 'sleep 1; exit 0')];
    const spec = `{ restartPolicy: OnFailure, containers: [${containers.join(', ')}] }`;
    const then = ['killSandbox: web', 'wait: 9s', 'delete: { pod: web, to: api }', 'wait: 9s'];
    const text = twinOfLog(spec, then.map((step) => `    - ${step}`).join('\n'), 2);
    expect(/restartPolicy: (\w+)/.exec(text)?.[1]).toBe('OnFailure');
  });

  it('loses its sandbox if a sync finds none while a container runs', () => {
    const text = twinOfLog(`{ containers: [${container('app', forever)}] }`, '    - killSandbox: web\n    - wait: 8s');
    expect(text.match(/killSandbox: web/g)).toHaveLength(1);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../api/yaml.js';
import { library } from '../library/index.js';
import { startScenario } from '../run/start.js';
import { validate } from '../testing/validate.js';
import { ScenarioError } from './errors.js';
import { parseScenario, scenarioSchema } from './parse.js';

const schema = JSON.parse(JSON.stringify(scenarioSchema())) as Record<string, unknown>;
const head = 'apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\nmetadata: {name: test}\n';

const docs = readFileSync(new URL('../../../../../docs/users/scenarios.md', import.meta.url), 'utf8');

/** Without fields that are null: they are as if they were not there. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  // A verb with nothing behind it is still there.
  if (Object.keys(value).length === 1 && Object.values(value)[0] === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([k, v]) => (v === null ? [] : [[k, bare(v)]])));
}
const problem = (text: string) => validate(schema, bare(parseManifest(text)));

describe('the published schema', () => {
  it('is what the parser reads (vitest run <this file> --update writes it anew)', async () => {
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(
      '../../../../../docs/users/scenario.schema.json',
    );
  });

  it('takes the example of the documentation, which comes to its end', () => {
    const example = /```yaml\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';
    expect(problem(example)).toBeNull();
    const run = startScenario(parseScenario(example));
    run.run();
    expect(run.failures).toEqual([]);
    expect(run.outcome).toBe('passed');
  });

  it('takes the example of a run that was observed', () => {
    const example = /## A run that was observed[\s\S]*?```yaml\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';
    const { lives, calls, startAt } = parseScenario(head + example);
    expect([lives.length, calls.length, startAt]).toEqual([1, 4, 1795233600317042]);
    expect(problem(head + example)).toBeNull();
  });

  it('has no name that the documentation does not have', () => {
    const names = new Set<string>();
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, v] of Object.entries(value)) {
        if (key === 'properties') for (const name of Object.keys(v as object)) names.add(name);
        collect(v);
      }
    };
    collect(schema);
    expect(names.size).toBeGreaterThan(100);
    expect([...names].filter((name) => !new RegExp(`\\b${name}\\b`).test(docs))).toEqual([]);
  });

  it('is that of the files of the library, each once', () => {
    const files = readdirSync(new URL('../../../content/scenarios/', import.meta.url));
    expect(library.map((s) => `${s.name}.yaml`).sort()).toEqual(files.sort());
  });

  it.each(library.map((s) => [s.name, s.text] as const))('takes %s', (_, text) => {
    expect(problem(text)).toBeNull();
  });

  /** Each with a text that both take. */
  it.each([
    'restart: kubelet',
    'restart: {kubelet: crash, down: 3s}',
    'restart: {runtime: stop}',
    'choose: {select: plegCh}',
    'choose: {goroutine: syncLoop}',
    'clearFaults: kill',
    'clearFaults',
    'stopKubelet: {}',
    'wait: 0',
    'wait: {until: 1.5s}',
    'edit: {pod: a, patch: {metadata: {labels: {x: "1"}}}}',
    'delete: a',
    'delete: {pod: a, to: api, gracePeriodSeconds: 0}',
    'apply: {to: api, manifest: {metadata: {name: a}}}',
    'apply: "metadata:\\n  name: a"',
    'raw: {file: a.yaml, text: ""}',
    'exec: {pod: a, container: b, command: ls}',
    'exec: {pod: a, container: b, command: [ls, -l]}',
    'waitFor: {records: {kind: log, where: "v > 3", atLeast: 2}, timeout: 1m30s, fresh: true}',
    'assert: {sequence: [{kind: log}, {kind: exit}]}',
    'assert: [{never: {kind: deadlock}}, {pod: a, gone: true}]',
    'fault: {method: "*", hang: true, for: 3s, jitter: 0.5, probability: 0.5}',
    'fault: {method: StopContainer, error: {message: x, code: Internal, when: after}, name: x}',
    'fault: {pull: hang, times: 3}',
    'fault: {kill: {pod: a, container: b, signal: TERM}, every: 3s, times: 2, after: 1s}',
    'fault: {oom: {pod: a, container: b}}',
    'fault: {killSandbox: a}',
    'fault: {runtime: stopped}',
    'fault: {relist: 3s}',
    'fault: {probe: any, pattern: FS-H}',
    'fault: {network: notReady}',
    'fault: {pressure: disk}',
    'fault: {kubelet: crash, for: 10s}',
    'fault: {clock: -1h}',
    'fault: {api: unreachable}',
    'fault: {api: restart, for: 5s}',
    'fault: {api: silent, for: 60s}',
    'registry: {ref: "a:1", answer: serve, size: 3, programs: [sh]}',
  ])('and the parser take %s', (step) => {
    const text = `${head}spec:\n  steps:\n  - ${step}\n`;
    expect(parseScenario(text).steps).toHaveLength(1);
    expect(problem(text)).toBeNull();
  });

  it.each([
    'restart: kublet',
    'restart: {}',
    'choose: {}',
    'wait: 5',
    'wait',
    'wait: 5 s',
    'wait: {until: soon}',
    'delete: A',
    'exec: {pod: a, container: b, command: []}',
    'waitFor: {records: {kind: lgo}}',
    'waitFor: {pod: a, phase: Gone}',
    'assert: {sequence: []}',
    'fault: {pull: gone}',
    'fault: {runtime: stopped, every: 3s}',
    'fault: {probe: any, pattern: X}',
    'fault: {method: StartContainers, hang: true}',
    'fault: {clock: 0}',
    'fault: {kill: {pod: a}}',
    'kill: {pod: a, container: b, signal: NONE}',
    'kill: {pod: a, container: b}\n    wait: 3s',
    'stopKubelet: {now: true}',
    'constructor: {}',
  ])('and the parser refuse %s', (step) => {
    const text = `${head}spec:\n  steps:\n  - ${step}\n`;
    expect(() => parseScenario(text)).toThrow(ScenarioError);
    expect(problem(text)).not.toBeNull();
  });

  it('and the parser take and refuse the same settings', () => {
    const node = (fields: string) => `${head}spec: {node: {${fields}}, steps: []}\n`;
    const { properties } = (schema.properties as { spec: { properties: { node: { properties: object } } } }).spec
      .properties.node;
    expect(Object.keys(properties)).toContain('apiServer');
    for (const name of Object.keys(properties)) {
      const taken = [
        'true',
        '5',
        '5s',
        'systemd',
        '["10.0.0.1"]',
        '{}',
        '[]',
        '99',
        '5000',
        'abc',
        '/a/b',
        'http://manifests.example/pods',
        'NeverVerify',
        '"1.30"',
      ].filter((v) => {
        try {
          parseScenario(node(`${name}: ${v}`));
          return true;
        } catch {
          return false;
        }
      });
      expect(taken.length, name).toBeGreaterThan(0);
      for (const v of taken) expect(`${name} ${problem(node(`${name}: ${v}`))}`).toBe(`${name} null`);
    }
    expect(problem(node('maxPod: 3'))).toBe('.spec.node.maxPod: unknown');
  });
});

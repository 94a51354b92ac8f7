import { checkManifest } from '@syncloop/core/manifest';
import { parseScenario, startScenario } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { FILE_NAME } from './manifests.js';
import { fromTemplate, TEMPLATE_IDS, type TemplateId } from './manifests-templates.js';

/** Returns what the kubelet makes of a template within a minute. */
function play(id: TemplateId) {
  const { file, text } = fromTemplate(id, []);
  const scenario = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: {name: template, title: {en: a, zh: 甲}}
spec:
  node: {fileCheckFrequency: 1s}
  steps:
    - raw: {file: ${file}, text: ${JSON.stringify(text)}}
    - wait: 60s
`;
  const run = startScenario(parseScenario(scenario, 'template.yaml'));
  run.run();
  const name = file.replace('.yaml', '');
  const pod = run.node.podNamed(`default/${name}-node1`) ?? run.node.podNamed(name);
  return pod?.status;
}

describe('templates', () => {
  it.each(TEMPLATE_IDS)('%s: the kubelet has nothing to say against it', (id) => {
    const { file, text } = fromTemplate(id, []);
    expect(FILE_NAME.test(file)).toBe(true);
    expect(checkManifest(text, { file, nodeName: 'node1' })).toEqual([]);
  });

  it.each([
    ['plain', 'Running', true],
    ['probes', 'Running', true],
    ['init', 'Running', true],
    ['sidecar', 'Running', true],
    ['prestop', 'Running', true],
    ['qos', 'Running', true],
    ['volumes', 'Running', true],
    ['hostNetwork', 'Running', true],
    ['hooks', 'Running', true],
    ['image', 'Pending', false],
    ['job', 'Succeeded', false],
  ] as const)('%s: is %s in the end', (id, phase, ready) => {
    const status = play(id);
    expect([status?.phase, status?.containerStatuses?.every((c) => c.ready)]).toEqual([phase, ready]);
  });
  it('shows what it is there for', () => {
    expect(play('qos')?.qosClass).toBe('Guaranteed');
    expect(play('crash')?.containerStatuses?.[0]).toMatchObject({ lastState: { terminated: { exitCode: 3 } } });
    const oom = play('oom')?.containerStatuses?.[0];
    expect([oom?.lastState.terminated?.reason, oom?.state.terminated?.reason]).toContain('OOMKilled');
    expect(play('image')?.containerStatuses?.[0]?.state.waiting?.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
  });
  it('take a free name', () => {
    expect(fromTemplate('plain', [])).toMatchObject({ file: 'web-1.yaml' });
    expect(fromTemplate('plain', ['web-1.yaml']).file).toBe('web-2.yaml');
    expect(fromTemplate('job', ['once.yaml', 'once-2.yaml']).file).toBe('once-3.yaml');
    expect(fromTemplate('job', ['once.yaml']).text).toContain('name: once-2\n');
  });
});

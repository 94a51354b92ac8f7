import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../manifest/index.js';
import { parseScenario, startScenario } from '../scenario/index.js';

const options = { file: 'web.yaml', nodeName: 'node1' };
const pod = (more = '', image = 'busybox:1.36', meta = '') =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n${meta}spec:\n${more}  containers:\n    - name: app\n      image: ${image}\n`;

describe('outcomeOf', () => {
  it('tells a new pod, and one that is the same to the kubelet', () => {
    expect(outcomeOf(null, pod(), options)).toMatchObject({ kind: 'created', pod: 'default/web-node1' });
    expect(outcomeOf('nonsense', pod(), options)).toMatchObject({ kind: 'created' });
    // Defaults written out, comments and order are nothing to it.
    expect(outcomeOf(pod(), `# hello\n${pod('  restartPolicy: Always\n')}`, options)).toMatchObject({ kind: 'same' });
  });
  it('tells that any change makes another pod, and what the old one is given', () => {
    const o = outcomeOf(
      pod('  terminationGracePeriodSeconds: 5\n'),
      pod('  terminationGracePeriodSeconds: 7\n', 'x:2'),
      options,
    );
    expect(o).toMatchObject({
      kind: 'replaced',
      pod: 'default/web-node1',
      grace: 5,
      changes: [
        { path: 'spec.terminationGracePeriodSeconds', kind: 'changed', inPlace: 'no' },
        { path: 'spec.containers.app.image', kind: 'changed', inPlace: 'yes' },
      ],
    });
    expect(o.kind === 'replaced' && o.uid !== o.oldUID).toBe(true);
  });
  it('tells another name, a name that is taken, and what cannot be used', () => {
    expect(outcomeOf(pod(), pod().replace('name: web', 'name: other'), options)).toMatchObject({
      kind: 'renamed',
      oldPod: 'default/web-node1',
      pod: 'default/other-node1',
    });
    expect(outcomeOf(null, pod(), options, [{ file: 'b.yaml', text: pod('', 'z') }])).toEqual({
      kind: 'taken',
      pod: 'default/web-node1',
      file: 'b.yaml',
    });
    expect(outcomeOf(pod(), 'kind: Pod', options)).toMatchObject({ kind: 'unusable', oldPod: 'default/web-node1' });
  });
  it('tells an update where the manifest gives the UID', () => {
    const meta = '  uid: "1234"\n';
    expect(outcomeOf(pod('', 'a:1', meta), pod('', 'b:1', meta), options)).toMatchObject({
      kind: 'updated',
      restarted: ['app'],
    });
    expect(outcomeOf(pod('', 'a:1', meta), pod('  activeDeadlineSeconds: 9\n', 'a:1', meta), options)).toMatchObject({
      kind: 'updated',
      restarted: [],
      changes: [{ path: 'spec.activeDeadlineSeconds', kind: 'added', inPlace: 'yes' }],
    });
  });
  it('says how the API server would take a change', () => {
    const changes = (after: string) => {
      const o = outcomeOf(pod(), after, options);
      return 'changes' in o ? o.changes.map((c) => [c.path, c.inPlace]) : [];
    };
    expect(changes(pod('', 'busybox:1.36\n      resources: {requests: {cpu: 100m}}'))).toEqual([
      ['spec.containers.app.resources.requests', 'resize'],
    ]);
    expect(changes(pod('', 'busybox:1.36', '  labels: {a: b}\n'))).toEqual([['metadata.labels', 'yes']]);
    expect(changes(pod('  tolerations: [{operator: Exists}]\n'))).toEqual([['spec.tolerations', 'yes']]);
  });
  it('foretells what the kubelet then does: UIDs, and the order of the two pods', () => {
    const before = pod('  terminationGracePeriodSeconds: 2\n', 'localhost/busybox:dev').replace(
      'image:',
      'command: [sh, -c, sleep 3600]\n      image:',
    );
    const after = before.replace('sleep 3600', 'sleep 3601');
    const scenario = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: {name: outcome, title: {en: a, zh: 甲}}
spec:
  node: {fileCheckFrequency: 1s}
  steps:
    - raw: {file: web.yaml, text: ${JSON.stringify(before)}}
    - waitFor: {pod: web, phase: Running}
`;
    const run = startScenario(parseScenario(scenario, 'outcome.yaml'));
    run.run();
    const first = outcomeOf(null, before, options);
    const uids = () => run.node.podsWithStatus().map((p) => (p as { metadata: { uid: string } }).metadata.uid);
    expect(first.kind === 'created' && uids()).toEqual([first.kind === 'created' && first.uid]);
    run.apply(after, 'web.yaml');
    run.run({ until: run.kernel.now() + 30_000_000 });
    const then = outcomeOf(before, after, options);
    expect(then.kind === 'replaced' && uids()).toEqual([then.kind === 'replaced' && then.uid]);
  });
});

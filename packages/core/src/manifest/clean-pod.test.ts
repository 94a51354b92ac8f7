import { describe, expect, it } from 'vitest';
import { checkManifest, cleanPods, looksObserved } from '../manifest/index.js';
import * as kubectl from '../scenario/testing/kubectl.js';

const list = kubectl.kubectlList(
  kubectl.crashLoopPod,
  kubectl.pullErrorPod,
  kubectl.oomPod,
  kubectl.healthyPod,
  kubectl.livenessPod,
  kubectl.configErrorPod,
  kubectl.startErrorPod,
  kubectl.donePod,
);
const plain = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n    - name: a\n      image: b\n';

describe('pods from a cluster', () => {
  it('are told from manifests', () => {
    expect(looksObserved(list)).toBe(true);
    expect(looksObserved(kubectl.donePod.replace(/^(- | {2})/gm, ''))).toBe(true);
    expect(looksObserved(plain)).toBe(false);
    expect(looksObserved('kind: Pod\n  broken: [')).toBe(false);
    expect(looksObserved('')).toBe(false);
  });
  it('become manifests that the kubelet takes without a word', () => {
    const pods = cleanPods(list);
    expect(pods).toHaveLength(8);
    for (const { name, text } of pods)
      expect(checkManifest(text, { file: `${name}.yaml`, nodeName: 'node1' }), text).toEqual([]);
  });
  it('say what was left out, and why', () => {
    const [pod] = cleanPods(list);
    expect(pod?.name).toBe('billing-6d4cf56db6-x2x9z');
    for (const gone of [
      'managedFields',
      'uid:',
      'resourceVersion',
      'nodeName',
      'kube-api-access',
      'status:',
      'secretKeyRef',
      'restartPolicy: Always',
    ])
      expect(pod?.text).not.toContain(gone);
    const reasons = new Map(pod?.dropped.map((d) => [d.path, d.reason]));
    expect(reasons.get('status')).toBe('cluster');
    expect(reasons.get('metadata.uid')).toBe('cluster');
    expect(reasons.get('spec.serviceAccountName')).toBe('reference');
    expect(reasons.get('spec.tolerations')).toBe('placement');
    expect(reasons.get('spec.dnsPolicy')).toBe('default');
    expect([...reasons.values()]).toContain('replaced');
  });
  it('lose fields that only JavaScript knows', () => {
    const odd = plain
      .replace('spec:\n', 'spec:\n  constructor: {x: 1}\n  toString: y\n')
      .replace('      image: b', '      image: b\n      valueOf: {x: 1}');
    const [pod] = cleanPods(odd);
    expect(pod?.dropped.map((d) => `${d.path} ${d.reason}`)).toEqual(
      expect.arrayContaining([
        'spec.constructor unknown',
        'spec.toString unknown',
        'spec.containers[0].valueOf unknown',
      ]),
    );
    expect(pod?.text).toBe(plain);
  });
  it('lose the name of the node when they are mirror pods', () => {
    const mirror = `apiVersion: v1
kind: Pod
metadata: {name: etcd-n1, annotations: {kubernetes.io/config.mirror: x}}
spec: {nodeName: n1, containers: [{name: etcd, image: "etcd:3"}]}
status: {phase: Running}
`;
    expect(cleanPods(mirror)[0]?.name).toBe('etcd');
  });
});

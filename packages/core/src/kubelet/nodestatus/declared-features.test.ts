import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { running, start } from '../../scenario/testing/run-steps.js';
import { missingForUpdate } from './declared-features.js';

const pod = (spec: object) => ({ metadata: { name: 'web' }, spec: { containers: [], ...spec } }) as unknown as Pod;
const init = (cpu: string, more: object = {}) => [{ name: 'i', resources: { requests: { cpu } }, ...more }];

describe('what an update of a pod needs of its node', () => {
  it('is missing where its gate is off', () => {
    const [small, large] = [pod({ resources: { limits: { cpu: '1' } } }), pod({ resources: { limits: { cpu: '2' } } })];
    const off = { featureGates: { InPlacePodLevelResourcesVerticalScaling: false } };
    expect(missingForUpdate(off, small, large)).toEqual(['InPlacePodLevelResourcesVerticalScaling']);
    expect(missingForUpdate(off, small, pod({ resources: { limits: { cpu: '1000m' } } }))).toEqual([]);
    expect(missingForUpdate({ featureGates: {} }, small, large)).toEqual([]);
    expect(
      missingForUpdate({ featureGates: { ...off.featureGates, NodeDeclaredFeatures: false } }, small, large),
    ).toEqual([]);
  });

  it('is another feature for init containers, and none for sidecars', () => {
    const off = { featureGates: { InPlacePodVerticalScalingInitContainers: false } };
    const of = (more: object = {}) =>
      missingForUpdate(off, pod({ initContainers: init('1', more) }), pod({ initContainers: init('2', more) }));
    expect(of()).toEqual(['InPlacePodVerticalScalingInitContainers']);
    expect(of({ restartPolicy: 'Always' })).toEqual([]);
  });

  it('is told in an event of the pod, which is updated all the same', () => {
    const apply = (cpu: string) =>
      `  - apply: {to: api, manifest: {apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {resources: {limits: {cpu: "${cpu}"}}, containers: [{name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sleep, "600"]}]}}}\n`;
    const { problems, events } = start(`${apply('1')}${running('web')}${apply('2')}  - wait: 2s\n`, {
      node: 'apiServer: true, clusterDNS: ["10.96.0.10"], featureGates: {InPlacePodLevelResourcesVerticalScaling: false}',
    });
    expect(problems()).toEqual([]);
    expect(events('FailedNodeDeclaredFeaturesCheck').map(({ message }) => message)).toEqual([
      'Pod requires node features that are not available: InPlacePodLevelResourcesVerticalScaling',
    ]);
  });
});

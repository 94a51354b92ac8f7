import type { ApiObject } from '../types.js';

/** The name of a kind in the node authorizer's graph. */
export type ReferenceKind = 'secret' | 'configmap' | 'serviceaccount' | 'pvc' | 'resourceclaim';
export interface Reference {
  readonly kind: ReferenceKind;
  readonly name: string;
}
type Loose = { readonly [field: string]: unknown };
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((v, field) => (typeof v === 'object' && v !== null ? (v as Loose)[field] : undefined), value);
const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The paths in a volume at which it names a Secret. upstream: pkg/api/v1/pod VisitPodSecretNames */
const secretsOfVolume: readonly (readonly string[])[] = [
  ['secret', 'secretName'],
  ['azureFile', 'secretName'],
  ['cephfs', 'secretRef', 'name'],
  ['flexVolume', 'secretRef', 'name'],
  ['rbd', 'secretRef', 'name'],
  ['scaleIO', 'secretRef', 'name'],
  ['iscsi', 'secretRef', 'name'],
  ['storageos', 'secretRef', 'name'],
  ['csi', 'nodePublishSecretRef', 'name'],
];

/** The objects of its own namespace that a pod names. upstream: (*Graph).AddPod */
export function referencesOf(pod: ApiObject): Reference[] {
  const { spec, status } = pod as { spec?: Loose; status?: Loose };
  const out: Reference[] = [];
  const add = (kind: ReferenceKind, name: unknown) => {
    if (typeof name === 'string' && name !== '') out.push({ kind, name });
  };
  add('serviceaccount', spec?.serviceAccountName);
  for (const s of items(spec?.imagePullSecrets)) add('secret', at(s, 'name'));
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'])
    for (const c of items(spec?.[list])) {
      for (const e of items(at(c, 'env'))) {
        add('secret', at(e, 'valueFrom', 'secretKeyRef', 'name'));
        add('configmap', at(e, 'valueFrom', 'configMapKeyRef', 'name'));
      }
      for (const e of items(at(c, 'envFrom'))) {
        add('secret', at(e, 'secretRef', 'name'));
        add('configmap', at(e, 'configMapRef', 'name'));
      }
    }
  for (const v of items(spec?.volumes)) {
    for (const path of secretsOfVolume) add('secret', at(v, ...path));
    add('configmap', at(v, 'configMap', 'name'));
    for (const s of items(at(v, 'projected', 'sources'))) {
      add('secret', at(s, 'secret', 'name'));
      add('configmap', at(s, 'configMap', 'name'));
    }
    add('pvc', at(v, 'persistentVolumeClaim', 'claimName'));
    if (at(v, 'ephemeral') !== undefined) add('pvc', `${pod.metadata.name}-${String(at(v, 'name'))}`);
  }
  for (const c of items(spec?.resourceClaims)) add('resourceclaim', at(c, 'resourceClaimName'));
  for (const c of items(status?.resourceClaimStatuses)) add('resourceclaim', at(c, 'resourceClaimName'));
  add('resourceclaim', at(status, 'extendedResourceClaimStatus', 'resourceClaimName'));
  return out;
}

export const mirrorAnnotation = 'kubernetes.io/config.mirror';

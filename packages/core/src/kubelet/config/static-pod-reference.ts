import { containerIter } from '../../api/pod/podutil.js';
import type { Pod, Volume, VolumeProjection } from '../../api/types.js';

/**
 * The kind of API object that the pod cannot do without, '' if there is none: static pods must not have any.
 * upstream: pkg/api/pod/util.go HasAPIObjectReference
 */
export function staticPodReference(pod: Pod): string {
  const { spec } = pod;
  if (spec.serviceAccountName) return 'serviceaccounts';
  const containers = [...containerIter(spec)].map(([c]) => c);
  const volumes = spec.volumes ?? [];
  const inEnv = (from: 'secretRef' | 'configMapRef', key: 'secretKeyRef' | 'configMapKeyRef') =>
    containers.some((c) => c.envFrom?.some((e) => e[from]) || c.env?.some((e) => e.valueFrom?.[key]));
  const projected = (kind: keyof VolumeProjection) =>
    volumes.some((v) => v.projected?.sources?.some((s) => s[kind] !== undefined));
  if (
    spec.imagePullSecrets?.some((s) => s.name) ||
    inEnv('secretRef', 'secretKeyRef') ||
    volumes.some((v) => v.secret) ||
    projected('secret')
  )
    return 'secrets';
  if (inEnv('configMapRef', 'configMapKeyRef') || volumes.some((v) => v.configMap) || projected('configMap'))
    return 'configmaps';
  if (spec.resourceClaims?.length) return 'resourceclaims';
  if (projected('serviceAccountToken')) return 'serviceaccounts (via projected volumes)';
  if (projected('clusterTrustBundle')) return 'clustertrustbundles';
  if (projected('podCertificate')) return 'podcertificates';
  for (const volume of volumes) {
    const kind = volumeReference(volume);
    if (kind) return kind;
  }
  return '';
}

function volumeReference(v: Volume): string {
  if (v.persistentVolumeClaim || v.ephemeral) return 'persistentvolumeclaims';
  if (v.csi) return 'csidrivers (via CSI volumes)';
  if (v.glusterfs) return 'endpoints (via glusterFS volumes)';
  return '';
}

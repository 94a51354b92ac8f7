/** The volumes of `kubectl describe pod`. upstream: kubectl pkg/describe describeVolumes */
import type { Volume } from '../api/types.js';

const L2 = '    ';

export function describeVolumes(out: string[], volumes: readonly Volume[]): void {
  if (volumes.length === 0) {
    out.push('Volumes:\t<none>');
    return;
  }
  out.push('Volumes:');
  for (const v of volumes) out.push(`  ${v.name}:`, ...sourceOf(v).map((line) => L2 + line));
}

function sourceOf(v: Volume): string[] {
  if (v.hostPath)
    return [
      'Type:\tHostPath (bare host directory volume)',
      `Path:\t${v.hostPath.path}`,
      `HostPathType:\t${v.hostPath.type ?? ''}`,
    ];
  if (v.emptyDir)
    return [
      "Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)",
      `Medium:\t${v.emptyDir.medium ?? ''}`,
      `SizeLimit:\t${v.emptyDir.sizeLimit ?? '<unset>'}`,
    ];
  if (v.secret)
    return [
      'Type:\tSecret (a volume populated by a Secret)',
      `SecretName:\t${v.secret.secretName ?? ''}`,
      `Optional:\t${v.secret.optional ?? false}`,
    ];
  if (v.configMap)
    return [
      'Type:\tConfigMap (a volume populated by a ConfigMap)',
      `Name:\t${v.configMap.name ?? ''}`,
      `Optional:\t${v.configMap.optional ?? false}`,
    ];
  if (v.persistentVolumeClaim)
    return [
      'Type:\tPersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)',
      `ClaimName:\t${v.persistentVolumeClaim.claimName}`,
      `ReadOnly:\t${(v.persistentVolumeClaim as { readOnly?: boolean }).readOnly ?? false}`,
    ];
  if (v.projected)
    return [
      'Type:\tProjected (a volume that contains injected data from multiple sources)',
      ...(v.projected.sources ?? []).flatMap(projection),
    ];
  if (v.downwardAPI)
    return [
      'Type:\tDownwardAPI (a volume populated by information about the pod)',
      'Items:',
      ...(v.downwardAPI.items ?? []).map(
        (i) =>
          `  ${i.fieldRef?.fieldPath ?? (i.resourceFieldRef as { resource?: string } | undefined)?.resource ?? ''} -> ${i.path}`,
      ),
    ];
  if (v.image)
    return [
      'Type:\tImage (a container image or OCI artifact)',
      `Reference:\t${v.image.reference ?? ''}`,
      `PullPolicy:\t${v.image.pullPolicy ?? ''}`,
    ];
  return ['<unknown>'];
}

function projection(source: unknown): string[] {
  const s = source as {
    secret?: { name?: string; optional?: boolean };
    configMap?: { name?: string; optional?: boolean };
    serviceAccountToken?: { expirationSeconds?: number };
    downwardAPI?: unknown;
  };
  if (s.secret) return [`SecretName:\t${s.secret.name ?? ''}`, `Optional:\t${s.secret.optional ?? false}`];
  if (s.configMap) return [`ConfigMapName:\t${s.configMap.name ?? ''}`, `Optional:\t${s.configMap.optional ?? false}`];
  if (s.serviceAccountToken) return [`TokenExpirationSeconds:\t${s.serviceAccountToken.expirationSeconds ?? 3600}`];
  return s.downwardAPI ? ['DownwardAPI:\ttrue'] : [];
}

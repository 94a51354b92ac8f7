import type { Pod, Volume, VolumeProjection } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { Go } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import type { FileProjection, Payload } from './atomic-writer.js';
import { contentPlugin } from './content-volume.js';
import { configMapPayload, defaultModeOf, downwardAPIPayload, secretPayload, throwAll } from './payload.js';
import type { MounterArgs, VolumeHost, VolumePlugin } from './types.js';

/** Several sources in one folder; of two files at one path the later one wins. upstream: pkg/volume/projected */
export const newProjectedPlugin = (host: VolumeHost): VolumePlugin =>
  contentPlugin(host, {
    name: 'kubernetes.io/projected',
    file: 'projected.go',
    medium: 'Memory',
    canSupport: (spec) => spec.projected !== undefined,
    collect: (spec, pod, args) => collectData(host, spec, pod, args),
    constructVolumeSpec: (name) => ({ name, projected: {} }),
  });

/** upstream: (*projectedVolumeMounter).collectData */
function* collectData(host: VolumeHost, spec: Volume, pod: Pod, args: MounterArgs): Go<Payload> {
  const defaultMode = defaultModeOf(spec.projected);
  if (!host.objects)
    throw new Error(`cannot setup projected volume ${spec.name} because kube client is not configured`);
  const out = new Map<string, FileProjection>();
  const errors: unknown[] = [];
  for (const source of spec.projected?.sources ?? []) {
    try {
      for (const [path, file] of yield* filesOf(host, source, pod, args, defaultMode)) out.set(path, file);
    } catch (err) {
      errors.push(err);
    }
  }
  if (errors.length > 0)
    new Logger(host.kernel, 'projected.go').error(
      null,
      `Error preparing data for projected volume ${spec.name} for pod ${pod.metadata.namespace}/${pod.metadata.name}: ${errors.map(messageOf).join(', ')}`,
    );
  throwAll(errors);
  return out;
}

function* filesOf(
  host: VolumeHost,
  source: VolumeProjection,
  pod: Pod,
  args: MounterArgs,
  defaultMode: number,
): Go<Payload> {
  const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
  if (secret) return yield* secretPayload(host, pod, { ...secret, name: secret.name ?? '' }, defaultMode);
  if (configMap) return yield* configMapPayload(host, pod, { ...configMap, name: configMap.name ?? '' }, defaultMode);
  if (downwardAPI) return downwardAPIPayload(host, pod, downwardAPI.items ?? [], defaultMode);
  if (token) {
    if (!host.objects) throw new Error('cannot use TokenManager when kubelet is in standalone mode');
    const { token: data } = yield* host.objects.getServiceAccountToken(pod, {
      audiences: token.audience ? [token.audience] : [],
      expirationSeconds: token.expirationSeconds ?? 3600,
    });
    // The group gets access from the group's bits, which are set later.
    const mode = args.fsUser !== null || args.fsGroup !== null ? 0o600 : defaultMode;
    return new Map([[token.path, { data, mode, ...(args.fsUser !== null && { fsUser: args.fsUser }) }]]);
  }
  if (source.clusterTrustBundle !== undefined)
    throw new Error('ClusterTrustBundle projection is not supported in static kubelet mode');
  if (source.podCertificate !== undefined)
    throw new Error('podCertificate projection is not supported by this kubelet');
  return new Map();
}

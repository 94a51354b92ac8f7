import { DecodeError, decodeValue } from './decoder.js';
import { setPodDefaults } from './defaults.js';
import { pod as podType } from './objects/pod.js';
import type { Pod } from './types.js';
import { parseManifest } from './yaml.js';

/**
 * A manifest, YAML or JSON, as a v1 Pod with upstream's defaults, not yet validated. Throws with a message that names
 * the path of what is wrong. upstream: runtime.Decode with the legacy scheme's UniversalDecoder
 */
export function decodePod(text: string): Pod {
  return podFromJSON(parseManifest(text));
}

/** The same for a value that was parsed already; it is not changed. */
export function podFromJSON(value: unknown): Pod {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(
      `couldn't get version/kind; json parse error: want object, got ${value === null ? 'null' : typeof value}`,
    );
  const { kind, apiVersion } = value as { kind?: unknown; apiVersion?: unknown };
  const shown = () => {
    const json = JSON.stringify(value);
    return json.length > 300 ? `${json.slice(0, 300)}...` : json;
  };
  if (kind === undefined || kind === '') throw new Error(`Object 'Kind' is missing in '${shown()}'`);
  if (apiVersion === undefined || apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${shown()}'`);
  if (typeof kind !== 'string') throw new DecodeError('kind', `want string, got ${typeof kind}`);
  if (typeof apiVersion !== 'string') throw new DecodeError('apiVersion', `want string, got ${typeof apiVersion}`);
  if (kind !== 'Pod' || apiVersion !== 'v1')
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in the kubelet's scheme`,
    );
  const decoded = decodeValue(podType, value) as Partial<Pod>;
  const spec = { ...decoded.spec, containers: decoded.spec?.containers ?? [] };
  if (spec.serviceAccount && !spec.serviceAccountName) spec.serviceAccountName = spec.serviceAccount;
  delete spec.serviceAccount;
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...decoded.metadata,
      name: decoded.metadata?.name ?? '',
      namespace: decoded.metadata?.namespace ?? '',
      uid: decoded.metadata?.uid ?? '',
    },
    spec,
    status: decoded.status ?? {},
  };
  setPodDefaults(pod);
  return pod;
}

/** The permissions that requests to the kubelet's server need. upstream: pkg/kubelet/server/auth.go */
import { type FeatureGates, featureEnabled } from '../features.js';

/** upstream: authorizer.AttributesRecord; the resource is always `nodes` of the core group, v1. */
export interface NodeRequestAttributes {
  /** '' for a method that has no verb. */
  readonly verb: '' | 'create' | 'get' | 'update' | 'patch' | 'delete';
  readonly subresource: string;
  /** Name of the node. */
  readonly name: string;
  readonly path: string;
}

const verbs = new Map<string, NodeRequestAttributes['verb']>([
  ['POST', 'create'],
  ['GET', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/**
 * True if a path is a subpath or below it: `/pods` holds `/pods` and `/pods/x`, but not `/podsx`.
 * upstream: isSubpath
 */
const isSubpath = (subpath: string, path: string): boolean => subpath === path || subpath.startsWith(`${path}/`);

/** Subresources that are tried first, in this order; a user without them needs `proxy`. */
const fineGrained: readonly (readonly [string, string])[] = [
  ['/pods', 'pods'],
  ['/healthz', 'healthz'],
  ['/configz', 'configz'],
  ['/runningpods', 'pods'],
];
const subresources: readonly (readonly [string, string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
  ['/statusz', 'statusz'],
  ['/flagz', 'configz'],
];

/**
 * One or two, of which one has to be allowed (fidelity 3:HTTP-07).
 * upstream: (nodeAuthorizerAttributesGetter).GetRequestAttributes
 */
export function getRequestAttributes(
  nodeName: string,
  method: string,
  path: string,
  config: { readonly featureGates: FeatureGates },
): readonly NodeRequestAttributes[] {
  const found = (table: typeof subresources) => table.find(([prefix]) => isSubpath(path, prefix))?.[1];
  const fine = featureEnabled(config, 'KubeletFineGrainedAuthz') ? found(fineGrained) : undefined;
  const all = [...(fine === undefined ? [] : [fine]), found(subresources) ?? 'proxy'];
  const verb = verbs.get(method) ?? '';
  return all.map((subresource) => ({ verb, subresource, name: nodeName, path }));
}

/** The message for a user who is refused. upstream: InstallAuthFilter */
export function forbiddenText(user: string, attributes: readonly NodeRequestAttributes[]): string {
  const tried = attributes.map((a) => a.subresource).join(' ');
  return `Forbidden (user=${user}, verb=${attributes[0]?.verb ?? ''}, resource=nodes, subresource(s)=[${tried}])\n`;
}

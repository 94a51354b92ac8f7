import { groupVersion, type Resource } from '../registry/resource.js';
import { pageNotFound } from '../status.js';
import type { ApiRequest } from '../types.js';
import { accepts } from './negotiate.js';
import { type Review, reviews } from './reviews.js';

/** The resources of one group, with its versions in one: there is only ever v1 here. */
interface Served {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly APIResource[];
}
interface APIResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

function ofResource(r: Resource): APIResource[] {
  const own: APIResource = {
    name: r.resource,
    singularName: r.singular,
    namespaced: r.namespaced,
    kind: r.kind,
    verbs: r.verbs,
    ...(r.shortNames && { shortNames: r.shortNames }),
    ...(r.categories && { categories: r.categories }),
  };
  const subs = Object.entries(r.subresources ?? {}).map(
    ([name, s]): APIResource => ({
      name: `${r.resource}/${name}`,
      singularName: '',
      namespaced: r.namespaced,
      ...(s.group && { group: s.group, version: s.version as string }),
      kind: s.kind ?? r.kind,
      verbs: s.verbs,
    }),
  );
  return [own, ...subs.sort((a, b) => (a.name < b.name ? -1 : 1))];
}
const ofReview = (r: Review): APIResource => ({
  name: r.resource,
  singularName: r.singular,
  namespaced: r.namespaced,
  kind: r.kind,
  verbs: ['create'],
});

export class Discovery {
  private readonly served: readonly Served[];

  constructor(
    resources: readonly Resource[],
    private readonly serverAddress: string,
  ) {
    const groups = new Map<string, APIResource[]>();
    const add = (group: string, list: readonly APIResource[]) =>
      groups.set(group, [...(groups.get(group) ?? []), ...list]);
    add('', [{ name: 'bindings', singularName: 'binding', namespaced: true, kind: 'Binding', verbs: ['create'] }]);
    for (const r of resources) add(r.group, ofResource(r));
    for (const r of reviews) add(r.group, [ofReview(r)]);
    this.served = [...groups].map(([group, list]) => ({
      group,
      version: 'v1',
      resources: list.sort((a, b) => (a.name < b.name ? -1 : 1)),
    }));
  }
  get groupVersions(): readonly { readonly group: string; readonly version: string }[] {
    return this.served;
  }

  /** The document at a path below /api and /apis; throws a 404. */
  document(request: ApiRequest): { readonly body: object; readonly contentType: string } {
    const parts = request.path.split('/').filter(Boolean);
    const json = (body: object) => ({ body, contentType: 'application/json' });
    if (parts.length === 1) {
      const version = aggregated(request);
      if (version)
        return {
          body: this.aggregate(parts[0] === 'api', version),
          contentType: `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
        };
      return json(parts[0] === 'api' ? this.versions() : this.groups());
    }
    const group = parts[0] === 'api' ? '' : (parts[1] as string);
    const found = this.served.find((s) => s.group === group);
    if (!found) throw pageNotFound();
    if (parts[0] === 'apis' && parts.length === 2)
      return json({ kind: 'APIGroup', apiVersion: 'v1', ...this.group(found) });
    if (parts.at(-1) !== found.version) throw pageNotFound();
    return json({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: groupVersion(found),
      resources: found.resources,
    });
  }

  private versions(): object {
    return {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: this.serverAddress }],
    };
  }
  private group(s: Served): object {
    const version = { groupVersion: groupVersion(s), version: s.version };
    return { name: s.group, versions: [version], preferredVersion: version };
  }
  private groups(): object {
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: this.served.filter((s) => s.group !== '').map((s) => this.group(s)),
    };
  }
  /** Returns all resources at once. upstream: apidiscovery.k8s.io APIGroupDiscoveryList */
  private aggregate(core: boolean, version: string): object {
    return {
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items: this.served
        .filter((s) => (s.group === '') === core)
        .map((s) => ({
          metadata: { name: s.group, creationTimestamp: null },
          versions: [{ version: s.version, resources: aggregatedResources(s), freshness: 'Current' }],
        })),
    };
  }
}

function aggregatedResources(s: Served): object[] {
  const kindOf = (r: APIResource) => ({ group: r.group ?? s.group, version: r.version ?? s.version, kind: r.kind });
  return s.resources
    .filter((r) => !r.name.includes('/'))
    .map((r) => {
      const subs = s.resources.filter((o) => o.name.startsWith(`${r.name}/`));
      return {
        resource: r.name,
        responseKind: kindOf(r),
        scope: r.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: r.singularName,
        verbs: r.verbs,
        ...(r.shortNames && { shortNames: r.shortNames }),
        ...(r.categories && { categories: r.categories }),
        ...(subs.length > 0 && {
          subresources: subs.map((o) => ({
            subresource: o.name.slice(r.name.length + 1),
            responseKind: kindOf(o),
            verbs: o.verbs,
          })),
        }),
      };
    });
}

function aggregated(request: ApiRequest): 'v2' | 'v2beta1' | null {
  for (const { params } of accepts(request))
    if (
      params.g === 'apidiscovery.k8s.io' &&
      params.as === 'APIGroupDiscoveryList' &&
      (params.v === 'v2' || params.v === 'v2beta1')
    )
      return params.v;
  return null;
}

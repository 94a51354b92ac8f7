import type { RestTransport } from '../../api/client/transport.js';
import { podFromJSON } from '../../api/decode.js';
import { setPodDefaults } from '../../api/defaults.js';
import { semanticEqual } from '../../api/semantic.js';
import type { Container, Pod } from '../../api/types.js';
import {
  type ApiAnswer,
  type ApiObject,
  ApiServer as CoreServer,
  type Identity,
  type InProcessTransport,
  inProcessTransport,
  printed,
  type Status,
} from '../../apiserver/index.js';
import { deepCopy, deepEqual } from '../../base/deep.js';
import { messageOf } from '../../base/index.js';
import { type Kernel, Random } from '../../kernel/index.js';
import { suggest } from '../../shape/index.js';
import { ScenarioError } from '../document/errors.js';

/** The user who applies and deletes in a scenario. */
const person = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** Objects that pods refer to, and a scenario can have. */
const otherKinds: Readonly<Record<string, string>> = {
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  ServiceAccount: 'serviceaccounts',
};

/** The API server of a simulated cluster: the in-memory one, with a switch, and with what people do in a scenario. */
export class ApiServer {
  readonly server: CoreServer;
  /** The kubelet's way to it. */
  readonly transport: RestTransport;
  private readonly link: InProcessTransport;
  /** The number of faults that cut it off; it is reachable while there are none. */
  private cuts = 0;
  /** UIDs that manifests gave. */
  private readonly known = new Set<string>();

  constructor(
    kernel: Kernel,
    private readonly nodeName: string,
    seed: number,
  ) {
    this.server = new CoreServer(kernel, {
      random: new Random((seed ^ 0xbb67ae85) >>> 0),
      // The kubelet may here what it may in a cluster; whoever plays the scenario is an administrator.
      authorizationModes: ['Node'],
    });
    this.link = inProcessTransport(kernel, this.server, {
      user: { name: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] },
      userAgent: 'kubelet/v1.36.2 (linux/amd64)',
      reachable: () => this.reachable,
    });
    this.transport = this.link;
  }

  get reachable(): boolean {
    return this.cuts === 0;
  }
  /** Calls fail and watches end until `connect` was called as often. */
  disconnect(): void {
    this.cuts++;
    this.link.disconnect();
  }
  connect(): void {
    this.cuts = Math.max(0, this.cuts - 1);
  }
  /** Requests get no answer and no error until the returned function is called. */
  silence(): () => void {
    return this.link.silence();
  }
  /** Restarts the API server: watches from before get 410 Gone. */
  restarted(): void {
    this.server.restarted();
  }

  /** Returns everything but pods, as the server prints it. */
  printed(): ReturnType<typeof printed> {
    return printed(this.server);
  }
  /** Pods as they are stored: never to be changed. */
  list(): readonly Pod[] {
    return this.server.peek('pods') as unknown as readonly Pod[];
  }
  /** Finds a pod by name, or `namespace/name`. Throws a ScenarioError that names the pods there are. */
  find(name: string): Pod {
    const all = this.list();
    const full = (p: Pod) => `${p.metadata.namespace}/${p.metadata.name}`;
    const pod =
      all.find((p) => full(p) === name) ??
      all.find((p) => full(p) === `default/${name}`) ??
      all.find((p) => p.metadata.name === name);
    if (pod) return pod;
    throw new ScenarioError(
      `there is no pod "${name}" in the API server; ${suggest(
        name,
        all.map((p) => p.metadata.name),
      )}`,
    );
  }

  /**
   * Creates a pod, bound to this node, or changes what may be changed of it, through the subresources if people
   * would use kubectl's own commands for it. ConfigMaps, Secrets and ServiceAccounts are created or replaced. Throws a
   * ScenarioError with the server's words.
   */
  apply(value: unknown): void {
    const kind = (value as { kind?: unknown } | null)?.kind;
    if (typeof kind === 'string' && Object.hasOwn(otherKinds, kind)) {
      this.applyObject(value as ApiObject, otherKinds[kind] as string);
      return;
    }
    const pod = this.read(value);
    const { metadata } = pod;
    metadata.namespace ||= 'default';
    pod.spec.nodeName = this.nodeName;
    const path = `/api/v1/namespaces/${metadata.namespace}/pods`;
    const before = this.list().find(
      (p) => p.metadata.namespace === metadata.namespace && p.metadata.name === metadata.name,
    );
    if (!before) {
      this.makeNamespace(metadata.namespace);
      this.ask('POST', path, bare(pod), 'pod', this.identityOf(metadata));
      return;
    }
    if (before.metadata.deletionTimestamp)
      throw new ScenarioError(`pod "${metadata.name}" is being deleted; wait until it is gone`);
    this.change(`${path}/${metadata.name}`, before, pod);
  }

  /** Creates an object that pods use, or takes the place of the one that there is. */
  private applyObject(given: ApiObject, resource: string): void {
    const object = deepCopy(given);
    const { metadata } = object;
    if (!metadata?.name)
      throw new ScenarioError(`the API server refuses the ${given.kind}: name is needed; give it metadata.name`);
    metadata.namespace ||= 'default';
    const { namespace, name } = metadata;
    const path = `/api/v1/namespaces/${namespace}/${resource}`;
    this.makeNamespace(namespace);
    delete metadata.resourceVersion;
    const there = this.server
      .peek(resource)
      .some((o) => o.metadata.namespace === namespace && o.metadata.name === name);
    if (there) this.ask('PUT', `${path}/${name}`, object, given.kind);
    else this.ask('POST', path, object, given.kind);
  }

  /** Makes a pod's namespace, for which a scenario has no step: whoever applies a pod has made it before. */
  private makeNamespace(name: string): void {
    if (this.server.peek('namespaces').some((n) => n.metadata.name === name)) return;
    this.ask('POST', '/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } });
  }

  private read(value: unknown): Pod {
    try {
      const pod = podFromJSON(value);
      if (!pod.metadata.name) throw new Error('name is needed');
      return pod;
    } catch (error) {
      throw new ScenarioError(`the API server refuses the pod: ${messageOf(error)}; correct the manifest`);
    }
  }

  private change(path: string, before: Pod, pod: Pod): void {
    const next = deepCopy(before);
    const { labels, annotations } = pod.metadata;
    if (labels) next.metadata.labels = labels;
    if (annotations) next.metadata.annotations = annotations;
    next.spec = { ...admitted(before), ...pod.spec };
    const resized = resourcesOf(next);
    const debug = next.spec.ephemeralContainers;
    setResources(next, resourcesOf(before));
    if (before.spec.ephemeralContainers) next.spec.ephemeralContainers = before.spec.ephemeralContainers;
    else delete next.spec.ephemeralContainers;
    delete next.metadata.resourceVersion;
    setPodDefaults(next);
    this.ask('PUT', path, next);
    if (!semanticEqual(resized, resourcesOf(before))) {
      const sized = deepCopy(next);
      setResources(sized, resized);
      this.ask('PUT', `${path}/resize`, sized);
    }
    if (!deepEqual(debug ?? [], before.spec.ephemeralContainers ?? [])) {
      const debugged = deepCopy(next);
      if (debug) debugged.spec.ephemeralContainers = debug;
      this.ask('PUT', `${path}/ephemeralcontainers`, debugged);
    }
  }

  /** Deletes a pod, like `kubectl delete`: the kubelet ends it, then it goes. Throws a ScenarioError. */
  delete(name: string, gracePeriodSeconds?: number): void {
    const { namespace, name: own } = this.find(name).metadata;
    this.ask('DELETE', `/api/v1/namespaces/${namespace}/pods/${own}`, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    });
  }

  /**
   * Applies a strategic merge patch to a pod's status, as of a controller: `{conditions: [...]}`. Throws a
   * ScenarioError.
   */
  patchStatus(name: string, status: object): void {
    const { namespace, name: own } = this.find(name).metadata;
    this.ask('PATCH', `/api/v1/namespaces/${namespace}/pods/${own}/status`, { status });
  }

  /** Returns the identity that a manifest gives its pod. A pod that is applied again is another one. */
  private identityOf({ uid, creationTimestamp, resourceVersion }: Pod['metadata']): Identity {
    const again = uid === '' || this.known.has(uid);
    if (again) return {};
    this.known.add(uid);
    return { uid, ...(creationTimestamp && { creationTimestamp }), ...(resourceVersion && { resourceVersion }) };
  }

  private ask(method: string, path: string, json: unknown, kind = 'pod', identity?: Identity): void {
    const type = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
    const response = this.server.handle({
      method,
      path,
      json,
      user: person,
      ...(identity && { identity }),
      headers: { accept: 'application/json', 'content-type': type, 'user-agent': 'kubectl' },
    }) as ApiAnswer;
    if (response.code < 400) return;
    const { message = '', details } = response.body as Status;
    const causes = details?.causes?.flatMap((c) => (c.field ? [`${c.field}: ${c.message}`] : []));
    const why = causes?.length ? causes.join(', ') : message;
    // A field that cannot be changed can have another value in a new pod.
    if (/may not (change|add)|is immutable/.test(why))
      throw new ScenarioError(`the API server refuses it: ${why}; delete the pod first`);
    throw new ScenarioError(`the API server refuses the ${kind}: ${why}; correct the manifest`);
  }
}

/** Returns a pod without what only the server writes. */
function bare(pod: Pod): ApiObject {
  const { status: _, ...rest } = deepCopy(pod);
  const { uid: _u, creationTimestamp: _c, resourceVersion: _r, ...metadata } = rest.metadata;
  return { ...rest, metadata } as unknown as ApiObject;
}

/** Returns the fields that admission adds to a spec, and a manifest need not repeat. */
function admitted({ spec }: Pod): Partial<Pod['spec']> {
  const { tolerations, priority, preemptionPolicy } = spec;
  return {
    ...(tolerations && { tolerations }),
    ...(priority !== undefined && { priority }),
    ...(preemptionPolicy && { preemptionPolicy }),
  };
}

const everyContainer = ({ spec }: Pod): readonly Container[] => [...spec.containers, ...(spec.initContainers ?? [])];
type Sizes = { readonly pod: unknown; readonly containers: readonly (readonly [string, unknown])[] };
const resourcesOf = (pod: Pod): Sizes => ({
  pod: pod.spec.resources,
  containers: everyContainer(pod).map((c) => [c.name, c.resources] as const),
});
function setResources(pod: Pod, { pod: own, containers }: Sizes): void {
  const byName = new Map(containers);
  for (const c of everyContainer(pod)) {
    const resources = byName.get(c.name) as Container['resources'];
    if (resources) c.resources = resources;
    else delete c.resources;
  }
  if (own) pod.spec.resources = own as NonNullable<Pod['spec']['resources']>;
  else delete pod.spec.resources;
}

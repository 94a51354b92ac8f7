import { Kernel } from '../../kernel/index.js';
import {
  type ApiAnswer,
  type ApiRequest,
  ApiServer,
  type ApiServerOptions,
  type ApiWatch,
  type ApiWatchEvent,
} from '../index.js';
import type { JsonObject } from '../json.js';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message: string;
}
interface SchemaShape {
  readonly description: string;
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, SchemaShape>>;
  readonly 'x-kubernetes-group-version-kind': unknown;
}
interface Operation {
  readonly requestBody: { readonly content: object };
  readonly parameters: readonly { readonly name: string }[];
  readonly 'x-kubernetes-group-version-kind': unknown;
}
interface Discovered {
  readonly name: string;
  readonly resource: string;
  readonly subresources: readonly { readonly subresource: string }[];
}
/** The fields of answers that the tests look at: of all kinds in one, each field where its kind has it. */
export interface Body {
  readonly kind: string;
  readonly code: number;
  readonly message: string;
  readonly details: unknown;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly continue: string;
    readonly remainingItemCount: number;
    readonly generation: number;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: unknown;
    readonly managedFields: readonly {
      readonly manager: string;
      readonly fieldsV1: Readonly<Record<string, object>>;
    }[];
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly clusterIP: string;
    readonly renewTime: string;
    readonly tolerations: unknown;
    readonly taints?: unknown;
    readonly volumes?: readonly { readonly name: string }[];
    readonly containers: readonly {
      readonly resources: unknown;
      readonly volumeMounts: readonly { readonly name: string }[];
    }[];
  };
  readonly status: {
    readonly phase: string;
    readonly token: string;
    readonly expirationTimestamp: string;
    readonly conditions: readonly Condition[];
  };
  readonly data: unknown;
  readonly value: number;
  readonly count: number;
  readonly items: readonly (Body & { readonly versions: readonly { readonly resources: readonly Discovered[] }[] })[];
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: unknown; readonly object: unknown }[];
  readonly groups: readonly { readonly name: string }[];
  readonly resources: readonly Discovered[];
  readonly paths: Readonly<Record<string, { readonly get: Operation; readonly patch: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaShape>> };
  readonly definitions: object;
}
export interface Answered {
  readonly code: number;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;
}

export const podPath = '/api/v1/namespaces/default/pods';
export const podOf = (name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'busybox:1' }], ...spec },
});
export const patchType = (kind: 'json' | 'merge' | 'strategic-merge'): { headers: Record<string, string> } => ({
  headers: { 'content-type': `application/${kind}-patch+json` },
});
export const applyType = { headers: { 'content-type': 'application/apply-patch+yaml' } };

/** A server on a virtual clock, and a way to ask it. */
export function setup(options: ApiServerOptions = {}) {
  const kernel = new Kernel();
  const server = new ApiServer(kernel, options);
  const call = (method: string, path: string, more: Partial<ApiRequest> = {}): Answered => {
    const [bare = '', search = ''] = path.split('?');
    const query: Record<string, string> = {};
    for (const pair of search.split('&').filter(Boolean)) {
      const [k = '', v = ''] = pair.split('=');
      query[k] = decodeURIComponent(v);
    }
    return server.handle({ method, path: bare, query, ...more }) as ApiAnswer as unknown as Answered;
  };
  /** A watch and what it has told so far. */
  const watch = (path: string, room = Number.POSITIVE_INFINITY) => {
    const response = call('GET', `${path}${path.includes('?') ? '&' : '?'}watch=1`) as unknown as ApiWatch;
    const events: ApiWatchEvent[] = [];
    let ended = false;
    const stop = response.open({
      event: (e) => events.length < room && events.push(e) > 0,
      end: () => {
        ended = true;
      },
    });
    return {
      events,
      stop,
      ended: () => ended,
      told: () => events.map((e) => `${e.type} ${(e.object as Body).metadata.name}`),
    };
  };
  /** Lets time pass, in Micros. */
  const pass = (micros: number) => void kernel.run({ until: kernel.now() + micros });
  return { kernel, server, call, watch, pass };
}

import { APIError } from '../../api/client/api-error.js';
import type { RuntimeClassObject, ServiceObject } from '../../api/cluster-types.js';
import type { Context, Go, Kernel, Process } from '../../kernel/index.js';
import type { KubeClient, ListerWatcher, NodeLister, NodeObject } from './kube-client.js';
import { keyOf, Reflector } from './reflector.js';

/** Keeps the objects of one watch, by `namespace/name`. upstream: cache.SharedIndexInformer */
export class Informer<T extends { metadata: { name: string; namespace?: string; resourceVersion?: string } }> {
  private readonly items = new Map<string, T>();
  private synced = false;

  constructor(
    private readonly o: {
      readonly kernel: Kernel;
      readonly listerWatcher: ListerWatcher<T>;
      readonly type: string;
      /** Name of the goroutine in the trace. */
      readonly name: string;
    },
  ) {}

  /** Watches until the context ends. */
  start(ctx: Context, process?: Process): void {
    const { items } = this;
    const informer = this;
    const reflector = new Reflector<T>({
      kernel: this.o.kernel,
      listerWatcher: this.o.listerWatcher,
      name: 'k8s.io/client-go/informers/factory.go:160',
      type: this.o.type,
      store: {
        *replace(list): Go<void> {
          items.clear();
          for (const item of list) items.set(keyOf(item), item);
          informer.synced = true;
        },
        *set(item): Go<void> {
          items.set(keyOf(item), item);
        },
        *delete(item): Go<void> {
          items.delete(keyOf(item));
        },
      },
    });
    this.o.kernel.go(this.o.name, () => reflector.run(ctx), {
      place: 'apiServer',
      daemon: true,
      ...(process && { process }),
    });
  }

  /** Returns true once the first list was received. */
  hasSynced(): boolean {
    return this.synced;
  }
  get(key: string): T | undefined {
    return this.items.get(key);
  }
  list(): T[] {
    return [...this.items.values()];
  }
}

export interface Informers {
  readonly nodes: Informer<NodeObject>;
  readonly services: Informer<ServiceObject>;
  readonly runtimeClasses: Informer<RuntimeClassObject>;
}

/** The kubelet's own watches, not yet started. upstream: kubelet.go NewMainKubelet; runtimeclass.NewManager */
export function newInformers(kernel: Kernel, client: Pick<KubeClient, 'listerWatcher'>, nodeName: string): Informers {
  const make = <K extends 'nodes' | 'services' | 'runtimeclasses'>(kind: K, type: string, fieldSelector = '') =>
    ({
      kernel,
      listerWatcher: client.listerWatcher(kind, '', fieldSelector),
      type,
      name: `informer ${kind}`,
    }) as const;
  return {
    nodes: new Informer(make('nodes', '*v1.Node', `metadata.name=${nodeName}`)),
    // Headless ones make no variables.
    services: new Informer(make('services', '*v1.Service', 'spec.clusterIP!=None')),
    runtimeClasses: new Informer(make('runtimeclasses', '*v1.RuntimeClass')),
  };
}

/** upstream: corelisters.NewNodeLister */
export function newNodeLister(nodes: Pick<Informer<NodeObject>, 'get' | 'hasSynced'>, nodeName: string): NodeLister {
  return {
    get() {
      const node = nodes.get(nodeName);
      if (!node) throw new APIError('NotFound', `node ${JSON.stringify(nodeName)} not found`);
      return node;
    },
    hasSynced: () => nodes.hasSynced(),
  };
}

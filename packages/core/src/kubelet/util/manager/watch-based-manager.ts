import { APIError } from '../../../api/client/api-error.js';
import type { Pod } from '../../../api/types.js';
import {
  background,
  type CancelFunc,
  type Context,
  type Go,
  type Kernel,
  Millisecond,
  Minute,
  Second,
  sleep,
  withCancel,
} from '../../../kernel/index.js';
import type { Micros } from '../../../trace/index.js';
import type { ListerWatcher } from '../../client/kube-client.js';
import { keyOf, Reflector } from '../../client/reflector.js';
import { Logger } from '../../klog.js';

/** Shortest time without use after which a watch may end. upstream: pkg/kubelet/util/manager minIdleTime */
const minIdleTime = Minute;
/** upstream: MinWatchTimeout of these reflectors */
const minWatchTimeout = 30 * Minute;

interface Watched {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly immutable?: boolean;
}

export interface WatchBasedManagerOptions<T extends Watched> {
  readonly kernel: Kernel;
  readonly listerWatcher: (namespace: string, fieldSelector: string) => ListerWatcher<T>;
  /** The kind in error messages, such as configmap. */
  readonly resource: string;
  /** In log lines: `*v1.ConfigMap`. */
  readonly type: string;
  /** Names that a pod refers to. */
  readonly referencedObjects: (pod: Pod) => ReadonlySet<string>;
  /** The interval of the volume manager. The watch of an object that was not requested for five intervals ends. */
  readonly resyncInterval: Micros;
}

/** Objects that registered pods refer to, one watch each. upstream: pkg/kubelet/util/manager NewWatchBasedManager */
export class WatchBasedManager<T extends Watched> {
  private readonly items = new Map<string, Item<T>>();
  /** By namespace, name and uid: as it was registered last. */
  private readonly pods = new Map<string, Pod>();
  private readonly log: Logger;

  constructor(private readonly o: WatchBasedManagerOptions<T>) {
    this.log = new Logger(o.kernel, 'watch_based_manager.go');
  }

  /** Stops watches that are no longer used, once a minute. */
  start(): void {
    const maxIdle = Math.max(minIdleTime, this.o.resyncInterval * 5);
    this.o.kernel.go(
      `${this.o.resource} recycleIdleWatch`,
      function* (this: WatchBasedManager<T>): Go<void> {
        for (;;) {
          for (const [key, item] of this.items)
            if (item.stopIfIdle(maxIdle))
              this.log.info(4, 'Not acquired for long time, Stopped watching for changes', {
                objectKey: key,
                maxIdleTime: `${Math.round(maxIdle / Second)}s`,
              });
          yield* sleep(Minute);
        }
      }.bind(this),
      { place: 'volumes', daemon: true },
    );
  }

  /** upstream: (*cacheBasedManager).RegisterPod */
  registerPod(pod: Pod): void {
    const key = podKey(pod);
    const before = this.pods.get(key);
    this.pods.set(key, pod);
    const names = this.o.referencedObjects(pod);
    const old = before ? this.o.referencedObjects(before) : new Set<string>();
    for (const name of names) if (!old.has(name)) this.addReference(pod, name);
    for (const name of old) if (!names.has(name)) this.deleteReference(pod, name);
  }

  /** upstream: (*cacheBasedManager).UnregisterPod */
  unregisterPod(pod: Pod): void {
    const before = this.pods.get(podKey(pod));
    if (!before) return;
    this.pods.delete(podKey(pod));
    for (const name of this.o.referencedObjects(before)) this.deleteReference(before, name);
  }

  /** The number of objects that are watched. */
  get size(): number {
    return this.items.size;
  }

  private addReference({ metadata: { namespace, uid } }: Pod, name: string): void {
    const key = `${namespace}/${name}`;
    let item = this.items.get(key);
    if (!item) {
      item = new Item(this.o, namespace, name);
      this.items.set(key, item);
    }
    item.references.set(uid, (item.references.get(uid) ?? 0) + 1);
  }

  private deleteReference({ metadata: { namespace, uid } }: Pod, name: string): void {
    const key = `${namespace}/${name}`;
    const item = this.items.get(key);
    if (!item) return;
    const count = (item.references.get(uid) ?? 0) - 1;
    if (count > 0) item.references.set(uid, count);
    else item.references.delete(uid);
    if (item.references.size > 0) return;
    item.stop();
    this.items.delete(key);
  }

  /** The object from the watch's store; waits at most a second for the first list. upstream: (*objectCache).Get */
  *getObject(namespace: string, name: string): Go<T> {
    const key = `${namespace}/${name}`;
    const item = this.items.get(key);
    if (!item) throw new Error(`object ${JSON.stringify(namespace)}/${JSON.stringify(name)} not registered`);
    item.used();
    item.restartIfNeeded();
    const end = this.o.kernel.now() + Second;
    while (!item.synced) {
      if (this.o.kernel.now() >= end)
        throw new Error(`failed to sync ${this.o.resource} cache: timed out waiting for the condition`);
      yield* sleep(Math.min(10 * Millisecond, end - this.o.kernel.now()));
    }
    const object = item.objects.get(key);
    if (!object) throw new APIError('NotFound', `${this.o.resource} ${JSON.stringify(name)} not found`);
    if (object.immutable && item.setImmutable())
      this.log.info(4, 'Stopped watching for changes - object is immutable', { obj: key });
    return object;
  }
}

const podKey = ({ metadata: { namespace, name, uid } }: Pod): string => `${namespace}/${name}/${uid}`;

/** One object and its watch. upstream: objectCacheItem */
class Item<T extends Watched> {
  /** The number of references of each pod to it, by uid. */
  readonly references = new Map<string, number>();
  readonly objects = new Map<string, T>();
  synced = false;
  private immutable = false;
  /** An object that was not requested yet is idle from the start, as with upstream's zero time. */
  private lastAccess: Micros = Number.NEGATIVE_INFINITY;
  private cancel: CancelFunc | null = null;
  private readonly reflector: Reflector<T>;

  constructor(
    private readonly o: WatchBasedManagerOptions<T>,
    private readonly namespace: string,
    private readonly name: string,
  ) {
    const { objects } = this;
    const item = this;
    this.reflector = new Reflector<T>({
      kernel: o.kernel,
      listerWatcher: o.listerWatcher(namespace, `metadata.name=${name}`),
      name: `object-${JSON.stringify(namespace)}/${JSON.stringify(name)}`,
      type: o.type,
      minWatchTimeout,
      store: {
        *replace(list) {
          objects.clear();
          for (const object of list) objects.set(keyOf(object), object);
          item.synced = true;
        },
        *set(object) {
          objects.set(keyOf(object), object);
        },
        *delete(object) {
          objects.delete(keyOf(object));
        },
      },
    });
    this.run();
  }

  private run(): void {
    const [ctx, cancel]: [Context, CancelFunc] = withCancel(this.o.kernel, background);
    this.cancel = cancel;
    this.o.kernel.go(`watch ${this.o.resource} ${this.namespace}/${this.name}`, () => this.reflector.run(ctx), {
      place: 'volumes',
      daemon: true,
    });
  }

  used(): void {
    this.lastAccess = this.o.kernel.now();
  }
  /** Stops the watch of an object that cannot change any more; the store keeps the object. */
  stop(): boolean {
    if (!this.cancel) return false;
    this.cancel();
    this.cancel = null;
    if (!this.immutable) this.synced = false;
    return true;
  }
  setImmutable(): boolean {
    this.immutable = true;
    return this.stop();
  }
  stopIfIdle(maxIdle: Micros): boolean {
    return this.synced && this.o.kernel.now() > this.lastAccess + maxIdle && this.stop();
  }
  restartIfNeeded(): void {
    if (!this.immutable && !this.cancel) this.run();
  }
}

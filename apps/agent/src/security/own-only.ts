/**
 * A view of the runtime as if nobody else used it: lists, streams and events leave out the pods of others, which cannot
 * be changed either. A kubelet ends every pod that it finds and that nobody asks for; through this it finds its own
 * only.
 */
import { CRIError, type CRIServices, GrpcCode, invoke, type RpcMethod, rpcs, servicesFrom } from '@syncloop/core/cri';
import {
  background,
  type Chan,
  type Context,
  current,
  type Go,
  makeChan,
  receive,
  recv,
  select,
  sendTo,
} from '@syncloop/core/kernel';
import type { Ownership } from './ownership.js';

export interface OwnPodsOnlyOptions {
  /** Images that this kubelet did not pull may be removed, too. */
  readonly removeAnyImage?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
/** The fields of the messages that are read. */
interface Item {
  readonly id?: string;
  readonly podSandboxId?: string;
  readonly metadata?: { readonly uid?: string };
  readonly labels?: Readonly<Record<string, string>>;
  readonly attributes?: Item;
}
interface ImageItem {
  readonly id?: string;
  readonly repoTags?: readonly string[];
  readonly repoDigests?: readonly string[];
  readonly pinned?: boolean;
}

const podUIDLabel = 'io.kubernetes.pod.uid';
type Kind = 'sandbox' | 'container' | 'image';

/** The fields of answers that are lists, and the kind of their items. */
const lists: Partial<Record<RpcMethod, readonly [field: string, kind: Kind]>> = {
  listPodSandbox: ['items', 'sandbox'],
  streamPodSandboxes: ['podSandboxes', 'sandbox'],
  listContainers: ['containers', 'container'],
  streamContainers: ['containers', 'container'],
  listPodSandboxStats: ['stats', 'sandbox'],
  streamPodSandboxStats: ['podSandboxStats', 'sandbox'],
  listContainerStats: ['stats', 'container'],
  streamContainerStats: ['containerStats', 'container'],
  listPodSandboxMetrics: ['podMetrics', 'sandbox'],
  streamPodSandboxMetrics: ['podSandboxMetrics', 'sandbox'],
  listImages: ['images', 'image'],
  streamImages: ['images', 'image'],
};

/** Methods that change a pod or container or get into it, and the field of the request that names it. */
const touches: Partial<Record<RpcMethod, 'podSandboxId' | 'containerId'>> = {
  stopPodSandbox: 'podSandboxId',
  removePodSandbox: 'podSandboxId',
  updatePodSandboxResources: 'podSandboxId',
  checkpointPod: 'podSandboxId',
  portForward: 'podSandboxId',
  createContainer: 'podSandboxId',
  startContainer: 'containerId',
  stopContainer: 'containerId',
  removeContainer: 'containerId',
  updateContainerResources: 'containerId',
  reopenContainerLog: 'containerId',
  checkpointContainer: 'containerId',
  execSync: 'containerId',
  exec: 'containerId',
  attach: 'containerId',
};

/**
 * Methods that neither list nor touch: questions about a single object, and the runtime as a whole. Each method is in
 * one of the tables.
 */
export const passthroughMethods: ReadonlySet<RpcMethod> = new Set([
  'version',
  'podSandboxStatus',
  'containerStatus',
  'containerStats',
  'podSandboxStats',
  'updateRuntimeConfig',
  'status',
  'listMetricDescriptors',
  'runtimeConfig',
  'imageFsInfo',
] satisfies RpcMethod[]);
/** Methods with a rule of their own below. */
export const specialMethods = [
  'runPodSandbox',
  'restorePod',
  'getContainerEvents',
  'imageStatus',
  'pullImage',
  'removeImage',
] as const satisfies RpcMethod[];
export const listMethods = Object.keys(lists) as RpcMethod[];
export const mutatingMethods = Object.keys(touches) as RpcMethod[];

/** Returns the given services, narrowed to `ownership`'s. A refused call fails with PermissionDenied. */
export function ownPodsOnly(inner: CRIServices, ownership: Ownership, options: OwnPodsOnlyOptions = {}): CRIServices {
  const guard = new Guard(inner, ownership, options);
  return servicesFrom((method, ctx, request) => guard.handle(method, ctx, request));
}

class Guard {
  /** Containers that were seen to be ours. */
  private readonly containers = new Set<string>();
  /** Images that were there without our pulling them, by every name that was asked for. */
  private readonly present = new Set<string>();

  constructor(
    private readonly inner: CRIServices,
    private readonly ownership: Ownership,
    private readonly options: OwnPodsOnlyOptions,
  ) {}

  *handle(method: RpcMethod, ctx: Context, request: object): Go<object> {
    const { ownership } = this;
    const field = touches[method];
    if (field !== undefined) yield* this.mayTouch(method, ctx, field, (request as Fields)[field]);
    const list = lists[method];
    if (rpcs[method].streaming && (list || method === 'getContainerEvents'))
      return yield* this.stream(method, ctx, request);
    if (method === 'removeImage') yield* this.mayRemoveImage(ctx, request);
    if (method === 'restorePod') throw refused(method, 'this kubelet restores no pods');
    if (
      !list &&
      field === undefined &&
      !passthroughMethods.has(method) &&
      !(specialMethods as readonly RpcMethod[]).includes(method)
    )
      throw refused(method, 'this call is unknown');
    const response = yield* invoke(this.inner, method, ctx, request);
    if (list) return this.without(list, response);
    switch (method) {
      case 'runPodSandbox': {
        const { config } = request as { config?: Item };
        ownership.addSandbox((response as Item).podSandboxId ?? '', config?.metadata?.uid ?? '');
        break;
      }
      case 'removePodSandbox':
        ownership.removeSandbox((request as Item).podSandboxId ?? '');
        break;
      case 'createContainer':
        this.containers.add((response as { containerId?: string }).containerId ?? '');
        break;
      case 'removeContainer':
        this.containers.delete((request as { containerId?: string }).containerId ?? '');
        break;
      case 'imageStatus':
        this.sawImage(request, response);
        break;
      case 'pullImage':
        this.pulled(request, response);
        break;
    }
    return response;
  }

  // Pods.

  private ownSandbox(item: Item): boolean {
    const of = item.attributes ?? item;
    // Metrics have only the sandbox's id.
    return this.ownership.hasSandbox(of.id ?? of.podSandboxId, of.metadata?.uid ?? of.labels?.[podUIDLabel]);
  }

  private ownContainer(item: Item): boolean {
    const of = item.attributes ?? item;
    const { id = '' } = of;
    if (this.containers.has(id)) return true;
    const own =
      of.podSandboxId !== undefined && this.ownership.hasSandbox(of.podSandboxId, undefined)
        ? true
        : this.ownership.hasPod(of.labels?.[podUIDLabel] ?? '');
    if (own && id !== '') this.containers.add(id);
    return own;
  }

  private without([field, kind]: readonly [string, Kind], response: object): object {
    const items = (response as Record<string, Item[] | undefined>)[field];
    if (!items) return response;
    if (kind === 'image') return { ...response, [field]: items.map((image) => this.pinned(image as ImageItem)) };
    const own = items.filter((item) => (kind === 'sandbox' ? this.ownSandbox(item) : this.ownContainer(item)));
    return own.length === items.length ? response : { ...response, [field]: own };
  }

  /** Null for an event of somebody else's pod. */
  private ownEvent(event: object): object | null {
    const { podSandboxStatus: sandbox, containerId } = event as { podSandboxStatus?: Item; containerId?: string };
    const own = sandbox
      ? this.ownSandbox(sandbox)
      : this.containers.has(containerId ?? '') || this.ownership.hasSandbox(containerId, undefined);
    return own ? event : null;
  }

  private *stream(method: RpcMethod, ctx: Context, request: object): Go<Chan<object | CRIError>> {
    const { kernel } = current();
    const chunks = (yield* invoke(this.inner, method, ctx, request)) as Chan<object | CRIError>;
    const list = lists[method];
    const own = (chunk: object) => (list ? this.without(list, chunk) : this.ownEvent(chunk));
    const out = makeChan<object | CRIError>(kernel, `own ${method}`, 0, { quiet: true });
    kernel.go(
      `own ${method}`,
      function* () {
        for (;;) {
          const [chunk, ok] = yield* receive(chunks);
          if (!ok) break;
          const kept = chunk instanceof CRIError ? chunk : own(chunk);
          if (kept === null) continue;
          const { case: which } = yield* select({ out: sendTo(out, kept), done: recv(ctx.done()) });
          if (which === 'done') break;
        }
        out.close();
      },
      { daemon: true, quiet: true },
    );
    return out;
  }

  /** Asks the runtime only about ids that were never listed. */
  private *mayTouch(method: RpcMethod, ctx: Context, field: 'podSandboxId' | 'containerId', given: unknown): Go<void> {
    const id = typeof given === 'string' ? given : '';
    // The runtime has its own error for a missing id.
    if (id === '') return;
    if (field === 'containerId') {
      if (this.containers.has(id)) return;
      const { containers = [] } = yield* this.inner.listContainers(ctx, { filter: { id } });
      // A runtime may also find it by a part of its id.
      const found = containers.filter((c) => c.id?.startsWith(id));
      if (found.every((c) => this.ownContainer(c as Item))) return;
    } else {
      if (this.ownership.hasSandbox(id, undefined)) return;
      const { items = [] } = yield* this.inner.listPodSandbox(ctx, { filter: { id } });
      if (items.filter((s) => s.id?.startsWith(id)).every((s) => this.ownSandbox(s as Item))) return;
    }
    throw refused(
      method,
      `${field === 'containerId' ? 'container' : 'pod sandbox'} ${id} was not created by this kubelet`,
    );
  }

  // Images.

  /** Makes images of others look pinned to garbage collection, as a runtime's own do. */
  private pinned(image: ImageItem): ImageItem {
    if (this.options.removeAnyImage || image.pinned || this.ownImage(image)) return image;
    return { ...image, pinned: true };
  }

  private ownImage({ id, repoTags = [], repoDigests = [] }: ImageItem): boolean {
    return this.ownership.hasImage(id, ...repoTags, ...repoDigests);
  }

  private sawImage(request: object, response: object): void {
    const { image } = response as { image?: ImageItem | null };
    const asked = (request as { image?: { image?: string } }).image?.image;
    if (asked === undefined) return;
    if (image && !this.ownImage(image)) this.present.add(asked);
    else this.present.delete(asked);
  }

  /** Notes our pulled images. One that was there before does not become ours by another pull. */
  private pulled(request: object, response: object): void {
    const asked = (request as { image?: { image?: string } }).image?.image ?? '';
    if (this.present.has(asked)) return;
    this.ownership.addImage(asked);
    const { imageRef } = response as { imageRef?: string };
    if (imageRef) this.ownership.addImage(imageRef);
  }

  private *mayRemoveImage(ctx: Context, request: object): Go<void> {
    const asked = (request as { image?: { image?: string } }).image?.image ?? '';
    const { image } = (yield* this.inner.imageStatus(background, { image: { image: asked } })) as { image?: ImageItem };
    if (!image) return;
    const remedy = 'give --remove-any-image to allow it';
    if (!this.options.removeAnyImage && !this.ownership.hasImage(asked) && !this.ownImage(image))
      throw refused('removeImage', `image ${asked} was not pulled by this kubelet; ${remedy}`);
    const names = new Set([asked, image.id, ...(image.repoTags ?? []), ...(image.repoDigests ?? [])]);
    const { containers = [] } = yield* this.inner.listContainers(ctx, {});
    const user = containers.find(
      (c) =>
        !this.ownContainer(c as Item) && (names.has(c.imageRef) || names.has(c.image?.image) || names.has(c.imageId)),
    );
    if (user)
      throw refused('removeImage', `image ${asked} is in use by container ${user.id}, which is not this kubelet's`);
  }
}

const refused = (method: RpcMethod, why: string): CRIError =>
  new CRIError(GrpcCode.PermissionDenied, `${rpcs[method].name}: ${why}`, { method });

/** Makes all that a runtime has now ours (--adopt-pods). */
export function* adoptAll(inner: CRIServices, ownership: Ownership): Go<void> {
  const { items = [] } = yield* inner.listPodSandbox(background, {});
  for (const { id, metadata } of items) ownership.addSandbox(id ?? '', metadata?.uid ?? '');
}

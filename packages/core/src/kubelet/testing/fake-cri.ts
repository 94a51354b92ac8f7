import {
  type Container,
  type ContainerConfig,
  type ContainerState,
  CRIError,
  type CRIServices,
  type LinuxContainerResources,
  type PodSandboxConfig,
  type PodSandboxState,
  rpcs,
  unimplementedServices,
} from '../../cri/index.js';
import { type Go, type Kernel, Millisecond, sleep } from '../../kernel/index.js';

interface FakeSandbox {
  id: string;
  config: PodSandboxConfig;
  state: PodSandboxState;
  createdAt: string;
  ip: string;
}
interface FakeContainer {
  id: string;
  sandbox: string;
  config: ContainerConfig;
  state: ContainerState;
  createdAt: string;
  startedAt: string;
  finishedAt: string;
  exitCode: number;
  resources?: LinuxContainerResources;
}

/** The least that a kubelet can run pods on: containers run until told to stop. Every call takes 1 ms. */
export class FakeCRI {
  readonly sandboxes = new Map<string, FakeSandbox>();
  readonly containers = new Map<string, FakeContainer>();
  readonly calls: string[] = [];
  runtimeReady = true;
  networkReady = true;
  /** Images beside those that pods ask for, which are always there. */
  images: { id: string; size: string; repoTags?: string[] }[] = [];
  /** Bytes that each container uses. */
  memoryUsage = 1_000_000;
  /** Containers do not end when told to. */
  deaf = false;
  /** Calls by wire name that fail, and how. */
  readonly failing = new Map<string, CRIError>();
  /** Calls by wire name that take longer, in Micros. */
  readonly slow = new Map<string, number>();
  private n = 0;
  constructor(private readonly kernel: Kernel) {}

  private now(): string {
    return String(BigInt(this.kernel.clock.epochMillis) * 1_000_000n + BigInt(this.kernel.now()) * 1000n);
  }

  /** Ends a container as its own process would. */
  exit(name: string, exitCode: number): void {
    for (const c of this.containers.values())
      if (c.config.metadata?.name === name && c.state === 'CONTAINER_RUNNING') this.end(c, exitCode);
  }
  private end(c: FakeContainer, exitCode: number): void {
    c.state = 'CONTAINER_EXITED';
    c.exitCode = exitCode;
    c.finishedAt = this.now();
  }

  services(): CRIServices {
    const fake = this;
    const all: Partial<Record<keyof CRIServices, (r: never) => object>> = {
      version: () => ({ version: '0.1.0', runtimeName: 'fake', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
      status: () => ({
        status: {
          conditions: [
            { type: 'RuntimeReady', ...(fake.runtimeReady && { status: true }) },
            {
              type: 'NetworkReady',
              ...(fake.networkReady ? { status: true } : { reason: 'NetworkPluginNotReady', message: 'no network' }),
            },
          ],
        },
      }),
      imageFsInfo: () => ({
        imageFilesystems: [
          {
            fsId: { mountpoint: '/var/lib/images' },
            usedBytes: { value: String(fake.images.reduce((n, i) => n + Number(i.size), 0)) },
          },
        ],
      }),
      updateRuntimeConfig: () => ({}),
      listImages: () => ({ images: fake.images }),
      removeImage: ({ image }: { image: { image: string } }) => {
        fake.images = fake.images.filter((i) => i.id !== image.image);
        return {};
      },
      imageStatus: ({ image }: { image: { image: string } }) => ({
        image: { id: `sha256:${image.image}`, repoTags: [image.image], size: '1' },
      }),
      listPodSandbox: ({ filter }: { filter?: { state?: object; labelSelector?: Record<string, string> } }) => ({
        items: [...fake.sandboxes.values()]
          .filter((s) => !filter?.state || s.state === 'SANDBOX_READY')
          .map((s) => ({
            id: s.id,
            ...s.config,
            createdAt: s.createdAt,
            ...(s.state !== 'SANDBOX_READY' && { state: s.state }),
          }))
          .filter((s) => matches(s.labels, filter?.labelSelector)),
      }),
      listContainers: ({
        filter,
      }: {
        filter?: { state?: { state?: ContainerState }; labelSelector?: Record<string, string> };
      }) => ({
        containers: [...fake.containers.values()]
          .filter((c) => !filter?.state || c.state === (filter.state.state ?? 'CONTAINER_CREATED'))
          .map(
            (c): Container => ({
              id: c.id,
              podSandboxId: c.sandbox,
              ...(c.config.metadata && { metadata: c.config.metadata }),
              image: { image: 'x' },
              imageRef: 'sha256:x',
              ...(c.state !== 'CONTAINER_CREATED' && { state: c.state }),
              createdAt: c.createdAt,
              labels: c.config.labels ?? {},
              annotations: c.config.annotations ?? {},
            }),
          )
          .filter((c) => matches(c.labels, filter?.labelSelector)),
      }),
      runPodSandbox: ({ config }: { config: PodSandboxConfig }) => {
        const id = `sandbox${++fake.n}`;
        fake.sandboxes.set(id, { id, config, state: 'SANDBOX_READY', createdAt: fake.now(), ip: `10.0.0.${fake.n}` });
        return { podSandboxId: id };
      },
      podSandboxStatus: ({ podSandboxId }: { podSandboxId: string }) => {
        const s = fake.sandboxes.get(podSandboxId);
        if (!s) throw new CRIError(5, `sandbox ${podSandboxId} not found`);
        return {
          status: {
            id: s.id,
            ...s.config,
            createdAt: s.createdAt,
            ...(s.state !== 'SANDBOX_READY' && { state: s.state }),
            network: { ip: s.ip },
            linux: { namespaces: { options: s.config.linux?.securityContext?.namespaceOptions ?? {} } },
          },
        };
      },
      stopPodSandbox: ({ podSandboxId }: { podSandboxId: string }) => {
        const s = fake.sandboxes.get(podSandboxId);
        if (s) s.state = 'SANDBOX_NOTREADY';
        for (const c of fake.containers.values())
          if (c.sandbox === podSandboxId && c.state === 'CONTAINER_RUNNING' && !fake.deaf) fake.end(c, 137);
        return {};
      },
      removePodSandbox: ({ podSandboxId }: { podSandboxId: string }) => {
        fake.sandboxes.delete(podSandboxId);
        for (const c of [...fake.containers.values()]) if (c.sandbox === podSandboxId) fake.containers.delete(c.id);
        return {};
      },
      createContainer: ({ podSandboxId, config }: { podSandboxId: string; config: ContainerConfig }) => {
        const id = `container${++fake.n}`;
        fake.containers.set(id, {
          id,
          sandbox: podSandboxId,
          config,
          state: 'CONTAINER_CREATED',
          createdAt: fake.now(),
          startedAt: '0',
          finishedAt: '0',
          exitCode: 0,
        });
        return { containerId: id };
      },
      startContainer: ({ containerId }: { containerId: string }) => {
        const c = fake.get(containerId);
        c.state = 'CONTAINER_RUNNING';
        c.startedAt = fake.now();
        return {};
      },
      stopContainer: ({ containerId }: { containerId: string }) => {
        const c = fake.get(containerId);
        if (c.state === 'CONTAINER_RUNNING' && !fake.deaf) fake.end(c, 0);
        return {};
      },
      updateContainerResources: ({ containerId, linux }: { containerId: string; linux: LinuxContainerResources }) => {
        fake.get(containerId).resources = linux;
        return {};
      },
      listContainerStats: ({ filter }: { filter?: { labelSelector?: Record<string, string> } }) => ({
        stats: [...fake.containers.values()]
          .filter((c) => matches(c.config.labels, filter?.labelSelector))
          .map((c) => ({
            attributes: { metadata: c.config.metadata },
            memory: { usageBytes: { value: String(fake.memoryUsage) } },
          })),
      }),
      removeContainer: ({ containerId }: { containerId: string }) => {
        fake.containers.delete(containerId);
        return {};
      },
      containerStatus: ({ containerId }: { containerId: string }) => {
        const c = fake.get(containerId);
        const exited = c.state === 'CONTAINER_EXITED';
        return {
          status: {
            id: c.id,
            metadata: c.config.metadata,
            ...(c.state !== 'CONTAINER_CREATED' && { state: c.state }),
            createdAt: c.createdAt,
            startedAt: c.startedAt,
            ...(exited && { finishedAt: c.finishedAt, reason: c.exitCode === 0 ? 'Completed' : 'Error' }),
            ...(exited && c.exitCode !== 0 && { exitCode: c.exitCode }),
            image: { image: 'x' },
            imageRef: 'sha256:x',
            ...(c.resources && { resources: { linux: c.resources } }),
            labels: c.config.labels,
            annotations: c.config.annotations,
          },
        };
      },
    };
    const services = unimplementedServices() as unknown as Record<string, unknown>;
    for (const [method, fn] of Object.entries(all)) {
      const { name } = rpcs[method as keyof typeof rpcs];
      services[method] = function* (_ctx: unknown, request: never): Go<object> {
        fake.calls.push(name);
        yield* sleep(fake.slow.get(name) ?? Millisecond);
        const error = fake.failing.get(name);
        if (error) throw error;
        return fn(request);
      };
    }
    return services as unknown as CRIServices;
  }

  private get(id: string): FakeContainer {
    const c = this.containers.get(id);
    if (!c) throw new CRIError(5, `container ${id} not found`);
    return c;
  }
}

const matches = (labels: Record<string, string> = {}, selector: Record<string, string> = {}): boolean =>
  Object.entries(selector).every(([k, v]) => labels[k] === v);

import { base64Encode } from '../../../base/index.js';
import {
  type Container,
  type ContainerConfig,
  type ContainerStatus,
  CRIError,
  type CRIServices,
  GrpcCode,
  type Image,
  type ImageService,
  type PodSandboxConfig,
  type PodSandboxState,
  type RpcMethod,
  type RuntimeService,
  servicesFrom,
} from '../../../cri/index.js';
import { type Go, type Kernel, sleep } from '../../../kernel/index.js';
import type { Micros } from '../../../trace/index.js';

export interface FakeSandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly createdAt: string;
  state: PodSandboxState;
  ip: string;
}
export interface FakeContainer extends ContainerStatus {
  readonly id: string;
  readonly sandbox: string;
  readonly config: ContainerConfig;
}

/** A runtime that does what it is told at once and remembers it: no processes, no timing of its own. */
export class FakeRuntime {
  /** Mutating calls and reads in order: `CreateContainer app#0`. */
  readonly calls: { readonly method: RpcMethod; readonly request: never; readonly at: Micros }[] = [];
  readonly sandboxes = new Map<string, FakeSandbox>();
  readonly containers = new Map<string, FakeContainer>();
  readonly images = new Map<string, Image>();
  /** Errors to throw, each once, before anything else. */
  readonly failures: Partial<Record<RpcMethod, Error[]>> = {};
  /** The time that a call takes. */
  readonly delays: Partial<Record<RpcMethod, Micros>> = {};
  /** Returns the answer to a command. */
  exec: (cmd: readonly string[]) => Go<{ stdout?: string; stderr?: string; exitCode?: number }> = function* () {
    return {};
  };
  readonly services: CRIServices;
  private next = 1;

  constructor(private readonly kernel: Kernel) {
    const handlers = this.handlers();
    const self = this;
    this.services = servicesFrom(function* (method, _ctx, request) {
      self.calls.push({ method, request: request as never, at: kernel.now() });
      yield* sleep(self.delays[method] ?? 0);
      const failure = self.failures[method]?.shift();
      if (failure) throw failure;
      const handle = (handlers as Record<string, (request: object) => Go<object>>)[method];
      if (!handle) throw new CRIError(GrpcCode.Unimplemented, `method ${method} not implemented`);
      return yield* handle(request);
    });
    this.addImage('localhost/busybox:dev', 'sha256:7fcf72f2b6d03d3857c86737dbe03c28792d1eac4e66cc7ec072fdbe250b333c');
  }

  addImage(name: string, id: string, more: Partial<Image> = {}): void {
    this.images.set(name, { id, repoTags: [name], size: '2130545', ...more });
  }

  /** Returns the wall time of the run, ns since 1970. */
  nanos(): string {
    return String(BigInt(this.kernel.clock.epochMillis) * 1_000_000n + BigInt(this.kernel.now()) * 1000n);
  }

  /** Calls by name with what they were about. */
  log(without: readonly RpcMethod[] = []): string[] {
    return this.calls
      .filter((c) => !without.includes(c.method))
      .map(({ method, request }) => {
        const r = request as {
          containerId?: string;
          podSandboxId?: string;
          timeout?: string;
          cmd?: string[];
          image?: { image?: string };
          config?: { metadata?: { name?: string; attempt?: number } };
        };
        const c = r.containerId ? this.containers.get(r.containerId) : undefined;
        const about = r.config?.metadata
          ? `${r.config.metadata.name}#${r.config.metadata.attempt ?? 0}`
          : c
            ? `${c.metadata?.name}#${c.metadata?.attempt ?? 0}`
            : (r.containerId ?? r.podSandboxId ?? r.image?.image ?? '');
        const extra = r.timeout ? ` ${r.timeout}s` : r.cmd ? ` ${r.cmd.join(' ')}` : '';
        return `${method}${about ? ` ${about}` : ''}${extra}`;
      });
  }

  /** Ends a container behind the kubelet. */
  exit(id: string, exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error'): void {
    const c = this.containers.get(id);
    if (c) Object.assign(c, { state: 'CONTAINER_EXITED', exitCode, reason, finishedAt: this.nanos() });
  }

  container(name: string, attempt = 0): FakeContainer {
    for (const c of this.containers.values())
      if (c.metadata?.name === name && (c.metadata.attempt ?? 0) === attempt) return c;
    throw new Error(`no container ${name}#${attempt}`);
  }

  private handlers(): {
    [M in keyof (RuntimeService & ImageService)]?: (
      request: Parameters<(RuntimeService & ImageService)[M]>[1],
    ) => Go<object>;
  } {
    const notFound = (what: string) => new CRIError(GrpcCode.NotFound, `${what}: not found`);
    const self = this;
    const containerOf = (id: string | undefined): FakeContainer => {
      const c = self.containers.get(id ?? '');
      if (!c) throw notFound(`container ${id}`);
      return c;
    };
    const sandboxOf = (id: string | undefined): FakeSandbox => {
      const s = self.sandboxes.get(id ?? '');
      if (!s) throw notFound(`sandbox ${id}`);
      return s;
    };
    const has = (labels: { [k: string]: string } | undefined, selector: { [k: string]: string } | undefined) =>
      Object.entries(selector ?? {}).every(([k, v]) => labels?.[k] === v);
    return {
      *version() {
        return { version: '0.1.0', runtimeName: 'containerd', runtimeVersion: '2.1.9', runtimeApiVersion: 'v1' };
      },
      *imageFsInfo() {
        return {};
      },
      *runPodSandbox({ config = {} }) {
        const id = `sandbox${String(self.next++).padStart(8, '0')}`;
        self.sandboxes.set(id, { id, config, createdAt: self.nanos(), state: 'SANDBOX_READY', ip: '10.89.0.2' });
        return { podSandboxId: id };
      },
      *stopPodSandbox({ podSandboxId }) {
        sandboxOf(podSandboxId).state = 'SANDBOX_NOTREADY';
        return {};
      },
      *removePodSandbox({ podSandboxId }) {
        self.sandboxes.delete(podSandboxId ?? '');
        return {};
      },
      *podSandboxStatus({ podSandboxId }) {
        const s = sandboxOf(podSandboxId);
        const state = s.state === 'SANDBOX_READY' ? {} : { state: s.state };
        return {
          status: {
            id: s.id,
            metadata: s.config.metadata,
            createdAt: s.createdAt,
            network: { ip: s.ip },
            linux: { namespaces: { options: { pid: 'CONTAINER' } } },
            labels: s.config.labels,
            ...state,
          },
        };
      },
      *listPodSandbox({ filter }) {
        const items = [...self.sandboxes.values()]
          .filter(
            (s) =>
              has(s.config.labels, filter?.labelSelector) &&
              (!filter?.state || s.state === (filter.state.state ?? 'SANDBOX_READY')),
          )
          .map((s) => ({
            id: s.id,
            metadata: s.config.metadata,
            createdAt: s.createdAt,
            labels: s.config.labels,
            ...(s.state === 'SANDBOX_READY' ? {} : { state: s.state }),
          }));
        return { items };
      },
      *createContainer({ podSandboxId, config = {} }) {
        sandboxOf(podSandboxId);
        const id = `container${String(self.next++).padStart(8, '0')}`;
        const image = { image: config.image?.userSpecifiedImage ?? '' };
        const imageRef = config.image?.image ?? '';
        self.containers.set(id, {
          id,
          sandbox: podSandboxId ?? '',
          config,
          metadata: config.metadata ?? {},
          createdAt: self.nanos(),
          image,
          imageRef,
          labels: config.labels ?? {},
          annotations: config.annotations ?? {},
          mounts: config.mounts ?? [],
          logPath: `${self.sandboxes.get(podSandboxId ?? '')?.config.logDirectory}/${config.logPath}`,
        });
        return { containerId: id };
      },
      *startContainer({ containerId }) {
        Object.assign(containerOf(containerId), { state: 'CONTAINER_RUNNING', startedAt: self.nanos() });
        return {};
      },
      *stopContainer({ containerId }) {
        const c = containerOf(containerId);
        if (c.state === 'CONTAINER_RUNNING') self.exit(c.id, 0);
        return {};
      },
      *updateContainerResources({ containerId, linux }) {
        Object.assign(containerOf(containerId), { resources: { linux } });
        return {};
      },
      *removeContainer({ containerId }) {
        self.containers.delete(containerId ?? '');
        return {};
      },
      *containerStatus({ containerId }) {
        const { sandbox: _sandbox, config: _config, ...status } = containerOf(containerId);
        return { status };
      },
      *listContainers({ filter }) {
        const containers: Container[] = [...self.containers.values()]
          .filter((c) => has(c.labels, filter?.labelSelector) && (!filter?.state || c.state === filter.state.state))
          .map(({ id, sandbox, metadata, image, imageRef, state, createdAt, labels, annotations }) => ({
            id,
            podSandboxId: sandbox,
            ...(metadata ? { metadata } : {}),
            ...(image ? { image } : {}),
            imageRef: imageRef ?? '',
            ...(state ? { state } : {}),
            createdAt: createdAt ?? '0',
            labels: labels ?? {},
            annotations: annotations ?? {},
          }));
        return { containers };
      },
      *execSync({ cmd = [] }) {
        const r = yield* self.exec(cmd);
        return {
          stdout: base64Encode(r.stdout ?? ''),
          stderr: base64Encode(r.stderr ?? ''),
          exitCode: r.exitCode ?? 0,
        };
      },
      *reopenContainerLog() {
        return {};
      },
      *listImages() {
        return { images: [...self.images.values()] };
      },
      *imageStatus({ image }) {
        const name = image?.image ?? '';
        const found = self.images.get(name) ?? [...self.images.values()].find((i) => i.id === name);
        return found ? { image: found } : {};
      },
      *pullImage({ image }) {
        const name = image?.image ?? '';
        self.addImage(name, `sha256:${name}`);
        return { imageRef: `sha256:${name}` };
      },
      *removeImage({ image }) {
        for (const [name, i] of self.images) if (i.id === image?.image) self.images.delete(name);
        return {};
      },
    };
  }
}

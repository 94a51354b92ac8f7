import { type CRIServices, invoke, type RpcMethod, servicesFrom } from '../cri/index.js';
import type { Kernel } from '../kernel/index.js';
import { defaultKubeletConfig, type KubeletConfig } from '../kubelet/config.js';
import { type Kubelet, newKubelet } from '../kubelet/kubelet.js';
import { type MockRuntime, type MockRuntimeOptions, newMockRuntime } from '../mock/index.js';

export interface SimulatedNodeOptions {
  readonly kernel: Kernel;
  readonly config?: Partial<KubeletConfig>;
  readonly mock?: MockRuntimeOptions;
  /** Stands between the kubelet and the runtime. */
  readonly tap?: (services: CRIServices) => CRIServices;
}

/** A node: a mock runtime, its files, and a kubelet that can be stopped and started. */
export class SimulatedNode {
  readonly kernel: Kernel;
  readonly mock: MockRuntime;
  readonly config: KubeletConfig;
  kubelet: Kubelet | null = null;
  private readonly services: CRIServices;

  constructor(options: SimulatedNodeOptions) {
    this.kernel = options.kernel;
    this.config = { ...defaultKubeletConfig(), staticPodPath: '/etc/kubernetes/manifests', ...options.config };
    this.mock = newMockRuntime(options.kernel, { nodeName: this.config.nodeName, cgroupDriver: this.config.cgroupDriver, ...options.mock });
    const { runtime, image } = this.mock;
    const direct = { ...runtime, ...image } as CRIServices;
    this.services = options.tap ? options.tap(direct) : direct;
    for (const dir of [this.config.staticPodPath, this.config.rootDirectory, this.config.podLogsDir]) if (dir) this.mock.fs.mkdirAllSync(dir);
  }

  /** Starts a new kubelet on what the old one left. Nothing if one runs. */
  startKubelet(): void {
    if (this.kubelet && !this.kubelet.process.dead) return;
    this.kubelet = newKubelet({
      kernel: this.kernel,
      config: this.config,
      runtimeService: this.services,
      imageService: this.services,
      os: this.mock.fs,
      probeTransport: this.mock.probeTransport,
      nodeInfo: this.mock.nodeInfo,
    });
    this.kubelet.run();
  }

  /** Its process ends; pods go on. */
  stopKubelet(how: 'stopped' | 'killed' = 'stopped'): void {
    if (this.kubelet && !this.kubelet.process.dead) this.kernel.kill(this.kubelet.process, how);
  }

  get kubeletRuns(): boolean {
    return this.kubelet !== null && !this.kubelet.process.dead;
  }

  manifestPath(file: string): string {
    return `${this.config.staticPodPath}/${file}`;
  }

  /** Puts a manifest into the folder in one step, as an editor or a tool that renames does. */
  putManifest(file: string, text: string): void {
    const { fs } = this.mock;
    const temporary = `/tmp/.manifest-${file}`;
    fs.writeFileSync(temporary, text);
    fs.mkdirAllSync(this.config.staticPodPath);
    fs.renameSync(temporary, this.manifestPath(file));
  }
  /** False if there was none. */
  removeManifest(file: string): boolean {
    const path = this.manifestPath(file);
    if (!this.mock.fs.existsSync(path)) return false;
    this.mock.fs.removeSync(path);
    return true;
  }
  manifests(): { file: string; text: string }[] {
    const { fs } = this.mock;
    if (!fs.existsSync(this.config.staticPodPath)) return [];
    return fs
      .readDirSync(this.config.staticPodPath)
      .filter((e) => !e.dir)
      .map((e) => ({ file: e.name, text: fs.readFileSync(this.manifestPath(e.name)) }));
  }

  /** The pod's name as the kubelet has it: static pods carry the node's name. */
  podName(name: string): string {
    return name.endsWith(`-${this.config.nodeName}`) ? name : `${name}-${this.config.nodeName}`;
  }
}

/** Passes every call on, and tells `on` of it first; what `on` returns is told of the end. */
export function tapped(services: CRIServices, on: (method: RpcMethod, request: object) => ((result: object | null, error: unknown) => void) | null): CRIServices {
  return servicesFrom(function* (method, ctx, request) {
    const done = on(method, request);
    try {
      const result = yield* invoke(services, method, ctx, request);
      done?.(result, null);
      return result;
    } catch (error) {
      done?.(null, error);
      throw error;
    }
  });
}

import type {
  ContainerAllocateResponse,
  DevicePluginClient,
  DevicePluginOptions,
  PluginDevice,
  PreferredAllocationRequest,
} from '../../host/device-plugins.js';
import { type Chan, type Context, type Go, type Kernel, makeChan, sleep } from '../../kernel/index.js';
import type { AllocateBehaviour, DevicePluginSpec } from './types.js';

type Stream = Chan<readonly PluginDevice[] | Error>;

/** The error of a call to a plug-in that is gone. */
const unavailable = () => new Error('rpc error: code = Unavailable desc = error reading from server: EOF');
const failed = (text: string) => new Error(`rpc error: code = Unknown desc = ${text}`);

/** One device plug-in of a simulated node. */
export class SimulatedPlugin {
  devices: readonly PluginDevice[];
  allocate: AllocateBehaviour;
  runs: boolean;
  /** Counts its lives: a connection to an earlier one is broken. */
  life = 0;
  private readonly streams = new Set<Stream>();

  constructor(
    private readonly kernel: Kernel,
    readonly spec: DevicePluginSpec,
  ) {
    this.devices = spec.devices;
    this.allocate = spec.allocate ?? {};
    this.runs = spec.runs ?? true;
  }

  /** The name of its socket: example.com_gpu.sock. */
  get socketName(): string {
    return `${this.spec.resource.replaceAll('/', '_')}.sock`;
  }
  get options(): DevicePluginOptions {
    const { preStart = false, preferred } = this.spec;
    return { preStartRequired: preStart, getPreferredAllocationAvailable: preferred !== undefined };
  }

  setDevices(devices: readonly PluginDevice[]): void {
    this.devices = devices;
    for (const stream of this.streams) stream.trySend(devices);
  }
  stop(): void {
    this.runs = false;
    for (const stream of this.streams) {
      stream.trySend(unavailable());
      stream.close();
    }
    this.streams.clear();
  }
  start(): void {
    this.runs = true;
    this.life++;
  }

  /** A connection; it breaks when the plug-in ends. */
  connect(): DevicePluginClient {
    const { life, kernel } = this;
    const own = new Set<Stream>();
    let open = true;
    const alive = (): void => {
      if (!open || !this.runs || this.life !== life) throw unavailable();
    };
    const plugin = this;
    return {
      *getDevicePluginOptions(): Go<DevicePluginOptions> {
        alive();
        return plugin.options;
      },
      *listAndWatch(): Go<Stream> {
        alive();
        const stream: Stream = makeChan(kernel, 'ListAndWatch', 64, {
          describe: (v) => (v instanceof Error ? v.message : { devices: v.length }),
        });
        plugin.streams.add(stream);
        own.add(stream);
        stream.trySend(plugin.devices);
        return stream;
      },
      *getPreferredAllocation(_ctx: Context, containers: readonly PreferredAllocationRequest[]): Go<string[][]> {
        alive();
        return containers.map((c) => plugin.preferred(c));
      },
      *allocate(_ctx: Context, containers: readonly (readonly string[])[]): Go<ContainerAllocateResponse[]> {
        alive();
        const { took, error } = plugin.allocate;
        if (took) yield* sleep(took);
        alive();
        if (error !== undefined) throw failed(error);
        return containers.map((ids) => plugin.answer(ids));
      },
      *preStartContainer(): Go<void> {
        alive();
        if (plugin.spec.preStartError !== undefined) throw failed(plugin.spec.preStartError);
      },
      close(): void {
        open = false;
        for (const stream of own) {
          plugin.streams.delete(stream);
          if (!stream.closed) stream.close();
        }
      },
    };
  }

  private preferred(c: PreferredAllocationRequest): string[] {
    const rather = (this.spec.preferred ?? []).filter((id) => c.availableDeviceIDs.includes(id));
    return [...new Set([...c.mustIncludeDeviceIDs, ...rather])].slice(0, c.allocationSize);
  }

  private answer(ids: readonly string[]): ContainerAllocateResponse {
    const { envs, mounts = [], deviceFiles, annotations = {}, cdiDevices = [] } = this.allocate;
    const variable = this.spec.resource.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    return {
      envs: envs ?? { [variable]: ids.join(',') },
      mounts: mounts.map((m) => ({ readOnly: false, ...m })),
      devices: (deviceFiles ?? ids.map((id) => `/dev/${id}`)).map((path) => ({
        containerPath: path,
        hostPath: path,
        permissions: 'rw',
      })),
      annotations,
      cdiDevices,
    };
  }
}

import type {
  DevicePluginClient,
  PluginHost,
  PluginInfo,
  PluginRegistrationClient,
  Registration,
} from '../../host/device-plugins.js';
import {
  type Chan,
  type Context,
  type Go,
  type Kernel,
  Millisecond,
  makeChan,
  type Process,
  sleep,
} from '../../kernel/index.js';
import { SimulatedPlugin } from './device-plugin.js';
import type { DevicePluginChange, DevicePluginSpec } from './types.js';

const defaultRegistersAfter = 100 * Millisecond;

interface SocketEvent {
  readonly path: string;
  readonly op: 'add' | 'delete';
}

/** A change that cannot be made; the message says what there is instead. */
export class DevicePluginError extends Error {}

/** The device plug-ins of a simulated node. They stay when the kubelet ends. */
export class DevicePlugins implements PluginHost {
  private readonly plugins = new Map<string, SimulatedPlugin>();
  private readonly process: Process;
  /** The channel on which plug-ins register; null before a kubelet listens. */
  private registrations: Chan<Registration> | null = null;
  private watched: { readonly folder: string; readonly events: Chan<SocketEvent> } | null = null;

  constructor(
    private readonly kernel: Kernel,
    specs: readonly DevicePluginSpec[],
  ) {
    this.process = kernel.process('device-plugins');
    for (const spec of specs) this.plugins.set(spec.resource, new SimulatedPlugin(kernel, spec));
  }

  /** The plug-ins that there are, with what they tell, for those who show them. */
  get list(): readonly SimulatedPlugin[] {
    return [...this.plugins.values()];
  }

  /** Does what a step says. Throws a DevicePluginError if it cannot. */
  change({ resource, run, down = 0, devices, unhealthy = [], healthy = [], allocate }: DevicePluginChange): void {
    let plugin = this.plugins.get(resource);
    if (!plugin) {
      if (!devices) {
        const there = [...this.plugins.keys()].join(', ') || 'none';
        throw new DevicePluginError(
          `there is no device plug-in of ${resource}, and the step names no devices for a new one; there are: ${there}`,
        );
      }
      plugin = new SimulatedPlugin(this.kernel, { resource, devices, runs: false });
      this.plugins.set(resource, plugin);
      if (run !== 'stop') this.start(plugin);
    }
    const of = plugin;
    if (allocate) of.allocate = allocate;
    if (run === 'stop' || run === 'restart') this.stop(of);
    if (run === 'restart') this.later('restart', down, () => this.start(of));
    let next = devices ?? of.devices;
    for (const [ids, health] of [
      [unhealthy, 'Unhealthy'],
      [healthy, 'Healthy'],
    ] as const)
      for (const id of ids) {
        if (!next.some((d) => d.id === id)) {
          const there = next.map((d) => d.id).join(', ') || 'none';
          throw new DevicePluginError(`${resource} has no device ${id}; there are: ${there}`);
        }
        next = next.map((d) => (d.id === id ? { ...d, health } : d));
      }
    if (next !== of.devices) of.setDevices(next);
    if (run === 'start' && !of.runs) this.start(of);
  }

  private start(plugin: SimulatedPlugin): void {
    if (plugin.runs) return;
    plugin.start();
    this.announce(plugin);
  }
  private stop(plugin: SimulatedPlugin): void {
    if (!plugin.runs) return;
    plugin.stop();
    if (this.watched && plugin.spec.registers === 'watcher')
      this.watched.events.trySend({ path: `${this.watched.folder}/${plugin.socketName}`, op: 'delete' });
  }

  /** Makes a plug-in known if that is possible. */
  private announce(plugin: SimulatedPlugin): void {
    const { spec, life } = plugin;
    const { registersAfter = defaultRegistersAfter } = spec;
    const { watched, registrations } = this;
    const still = () => plugin.runs && plugin.life === life;
    if (spec.registers === 'watcher') {
      if (!watched) return;
      this.later('socket', registersAfter, () => {
        if (still()) watched.events.trySend({ path: `${watched.folder}/${plugin.socketName}`, op: 'add' });
      });
      return;
    }
    if (!registrations) return;
    const { version = 'v1beta1', resource: resourceName } = spec;
    const request = { version, endpoint: plugin.socketName, resourceName, options: plugin.options };
    this.later('register', registersAfter, () => {
      // A plug-in that is refused leaves it at that; the kubelet's log has the reason.
      if (still()) registrations.trySend({ request, answer() {} });
    });
  }

  private later(name: string, wait: number, then: () => void): void {
    const go = function* (): Go<void> {
      yield* sleep(wait);
      then();
    };
    this.kernel.go(name, go, { process: this.process, daemon: true });
  }

  // --- for the kubelet -------------------------------------------------------------------------------------------

  *serveRegistration(): Go<Chan<Registration>> {
    this.registrations = makeChan<Registration>(this.kernel, 'registration', 64, {
      describe: (r) => ({ resource: r.request.resourceName }),
    });
    for (const plugin of this.plugins.values())
      if (plugin.runs && plugin.spec.registers !== 'watcher') this.announce(plugin);
    return this.registrations;
  }

  *watchSockets(_ctx: Context, folder: string): Go<Chan<SocketEvent>> {
    const events = makeChan<SocketEvent>(this.kernel, 'pluginSockets', 64, { describe: (e) => ({ ...e }) });
    this.watched = { folder, events };
    for (const plugin of this.plugins.values())
      if (plugin.runs && plugin.spec.registers === 'watcher') this.announce(plugin);
    return events;
  }

  *dialDevicePlugin(_ctx: Context, path: string, timeout: number): Go<DevicePluginClient> {
    return (yield* this.reach(path, timeout)).connect();
  }

  *dialRegistration(_ctx: Context, path: string, timeout: number): Go<PluginRegistrationClient> {
    const { spec } = yield* this.reach(path, timeout);
    return {
      *getInfo(): Go<PluginInfo> {
        const { resource: name, version = 'v1beta1' } = spec;
        return { type: 'DevicePlugin', name, endpoint: '', supportedVersions: [version] };
      },
      *notifyRegistrationStatus(): Go<void> {},
      close() {},
    };
  }

  /** The plug-in that listens at a socket; a dial blocks until its timeout if nobody does. */
  private *reach(path: string, timeout: number): Go<SimulatedPlugin> {
    const found = () => this.list.find((p) => p.runs && path.endsWith(`/${p.socketName}`));
    const now = found();
    if (now) return now;
    yield* sleep(timeout);
    const late = found();
    if (late) return late;
    throw new Error('context deadline exceeded');
  }
}

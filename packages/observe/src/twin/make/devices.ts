/** Makes `spec.devicePlugins`, and steps for what became of plug-ins and their devices, from the kubelet's log. */
import type { Json, Micros, RecordOf } from '@syncloop/core/trace';
import { numberOf, seconds, textOf } from '../base/json.js';
import { because, type Setting } from './pods.js';
import type { TimedStep } from './write.js';

/** A plug-in registers this long after it can, if no line shows it. */
const REGISTERS: Micros = 100_000;
/** The first update of a plug-in comes this soon after it has connected. */
const FIRST: Micros = 100_000;

interface Plugin {
  readonly resource: string;
  /** Ids of its devices: those that lines name, and names of the twin for the others. */
  ids: string[];
  readonly unhealthy: Set<string>;
  /** True while the kubelet is connected to it. */
  connected: boolean;
  since: Micros;
  first: { readonly unhealthy: readonly string[]; readonly registersAfter: Micros } | null;
}

export interface Devices {
  readonly plugins: readonly Json[];
  readonly steps: readonly TimedStep[];
}

export function devicesOf(setting: Setting): Devices {
  return new Reader(setting).read();
}

class Reader {
  private readonly plugins = new Map<string, Plugin>();
  private readonly steps: TimedStep[] = [];
  /** The devices of each pod, by its UID. */
  private readonly taken = new Map<string, string[]>();
  private served: Micros | null = null;

  constructor(private readonly setting: Setting) {}

  read(): Devices {
    const { logs } = this.setting.seen;
    for (const line of logs) this.allocated(line);
    for (const line of logs) this.counted(line);
    for (const [i, line] of logs.entries()) this.take(line, i);
    const plugins = [...this.plugins.values()].flatMap(({ resource, ids, first }) => {
      if (!first) return [];
      const devices = ids.map((id) => (first.unhealthy.includes(id) ? { id, health: 'Unhealthy' } : id));
      const after = first.registersAfter;
      return [{ resource, devices, ...(after !== REGISTERS && { registersAfter: seconds(after) }) } as Json];
    });
    return { plugins, steps: this.steps };
  }

  /** Learns the ids of the devices that a pod got. */
  private allocated({ msg, kv }: RecordOf<'log'>): void {
    if (msg !== 'Making allocation request for device plugin') return;
    const plugin = this.plugin(textOf(kv.resourceName));
    const got = Array.isArray(kv.devices) ? kv.devices.map(textOf) : [];
    for (const id of got) if (plugin && id !== '' && !plugin.ids.includes(id)) plugin.ids.push(id);
    for (const uid of this.uidsOf(textOf(kv.pod))) this.taken.set(uid, [...(this.taken.get(uid) ?? []), ...got]);
  }
  /** Learns the greatest number of devices of a resource. */
  private counted({ msg, kv }: RecordOf<'log'>): void {
    if (msg !== 'Processed device updates for resource') return;
    const plugin = this.plugin(textOf(kv.resourceName));
    for (let n = 0; plugin && plugin.ids.length < (numberOf(kv.totalCount) ?? 0); n++)
      if (!plugin.ids.includes(`device-${n}`)) plugin.ids.push(`device-${n}`);
  }
  private uidsOf(pod: string): string[] {
    return [...this.setting.seen.pods.values()].flatMap((one) => (one.pod === pod ? [one.uid] : []));
  }
  private plugin(resource: string): Plugin | null {
    if (!resource.includes('/')) return null;
    const one = this.plugins.get(resource);
    if (one) return one;
    const made: Plugin = { resource, ids: [], unhealthy: new Set(), connected: false, since: 0, first: null };
    this.plugins.set(resource, made);
    return made;
  }

  private take(line: RecordOf<'log'>, i: number): void {
    const { msg, kv, time } = line;
    if (msg === 'Starting device plugin registration server') {
      this.served = time;
      // A plug-in registers at a new kubelet by itself.
      for (const plugin of this.plugins.values()) plugin.connected = false;
      return;
    }
    const plugin = this.plugin(textOf(kv.resourceName) || textOf(kv.resource));
    if (!plugin) return;
    switch (msg) {
      case 'Got registration request from device plugin with resource': {
        const isNew = this.served !== null;
        if (!plugin.first) {
          const after = this.served === null ? REGISTERS : Math.max(0, time - this.served);
          plugin.first = { unhealthy: [], registersAfter: after };
        } else if (!isNew || plugin.since > (this.served as Micros)) this.step(line, { run: 'start' }, -REGISTERS);
        plugin.connected = true;
        plugin.since = time;
        return;
      }
      case 'Device plugin disconnected':
      case 'Endpoint became unhealthy':
        if (plugin.connected) this.step(line, { run: 'stop' });
        plugin.connected = false;
        return;
      case 'Processed device updates for resource':
        this.update(plugin, line, i);
        return;
    }
  }

  private update(plugin: Plugin, line: RecordOf<'log'>, i: number): void {
    const [total, healthy] = [numberOf(line.kv.totalCount) ?? 0, numberOf(line.kv.healthyCount) ?? 0];
    const before = plugin.unhealthy.size;
    const ill = Math.max(0, total - healthy);
    if (total !== plugin.ids.length || ill === before) return;
    const changed =
      ill > before ? this.turnedIll(plugin, ill - before, i) : [...plugin.unhealthy].slice(0, before - ill);
    for (const id of changed)
      if (ill > before) plugin.unhealthy.add(id);
      else plugin.unhealthy.delete(id);
    // The state with which a plug-in connects the first time is not a change.
    if (plugin.first?.unhealthy.length === 0 && before === 0 && line.time - plugin.since <= FIRST)
      plugin.first = { ...plugin.first, unhealthy: changed };
    else this.step(line, ill > before ? { unhealthy: changed } : { healthy: changed });
  }

  /** The devices that turned unhealthy: those of the pods that the kubelet then syncs for it, else free ones. */
  private turnedIll(plugin: Plugin, count: number, i: number): string[] {
    const next = this.setting.seen.logs
      .slice(i + 1, i + 4)
      .find(({ msg }) => msg === 'Container Manager: forwarding resource update');
    const uids = Array.isArray(next?.kv.pods) ? next.kv.pods.map(textOf) : [];
    const well = (id: string) => plugin.ids.includes(id) && !plugin.unhealthy.has(id);
    const used = new Set([...this.taken.values()].flat());
    const own = uids.flatMap((uid) => this.taken.get(uid) ?? []);
    const order = [...own, ...[...plugin.ids].sort((a, b) => Number(used.has(a)) - Number(used.has(b)))];
    return [...new Set(order.filter(well))].slice(0, count);
  }

  private step(line: RecordOf<'log'>, change: { readonly [field: string]: Json }, shift: Micros = 0): void {
    const resource = textOf(line.kv.resourceName) || textOf(line.kv.resource);
    this.steps.push({
      at: Math.max(0, this.setting.toTwin(line.time) + shift),
      do: { devicePlugin: { resource, ...change } as Json },
      why: because(this.setting, line.time, `${resource}: ${line.msg}`, line.seq),
    });
  }
}

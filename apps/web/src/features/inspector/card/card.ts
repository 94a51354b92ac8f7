/**
 * Describes the selection as people ask about it: its state, since when, what it waits for, and what comes next. Pure.
 */
import type { Micros, NodeState, PodView, WorkerView } from '@syncloop/core/trace';
import type { MessageKey } from '../../../i18n/index.js';
import type { Part, Selection } from '../../../page/ui-store.js';
import { channelFor, keyOfChannel } from '../../../run/loop.js';
import { killsUnderWay, podKillingChannel } from '../../../run/pod-killer.js';
import { silentSources } from '../../../run/sources.js';
import { containerNamed } from '../../../selection/subject.js';
import { itemLabel, seconds, shortPod } from '../../../units/text.js';
import type { en } from './en.js';

/** A text with its parameters; a parameter may be a text itself. */
export interface Line {
  readonly key: MessageKey & keyof typeof en;
  readonly params?: { readonly [name: string]: string | number | Line };
}
export interface Card {
  /** Sentences on how it is. */
  readonly state: readonly Line[];
  /** Null if that is not known, or is not a question. */
  readonly since: Micros | null;
  /** Null: nothing. */
  readonly waits: Line | null;
  readonly next: Line | null;
}

const line = (key: Line['key'], params?: Line['params']): Line => (params ? { key, params } : { key });
const time = (at: Micros): string => `${seconds(at)} s`;
const joined = (names: readonly string[], most = 4): string =>
  names.slice(0, most).join(', ') + (names.length > most ? ', …' : '');
const inBrackets = (text: string): string => (text === '' ? '' : ` (${text})`);

/**
 * Returns the card; null for a part that is gone, and for a record, whose sentence is enough. `phaseSince`: since when
 * a pod has its phase.
 */
export function cardOf(state: NodeState, selection: Selection, phaseSince: Micros | null = null): Card | null {
  switch (selection.kind) {
    case 'pod': {
      const pod = state.pods[selection.uid];
      return pod ? podCard(pod, phaseSince) : null;
    }
    case 'container':
      return containerCard(state, selection.id);
    case 'sandbox':
      return sandboxCard(state, selection.id);
    case 'channel':
      return channelCard(state, selection.name);
    case 'goroutine':
      return goroutineCard(state, selection.id);
    case 'record':
      return null;
    case 'part':
      return partCard(state, selection.part);
  }
}

// --- pods and what they run

type Backoff = PodView['backoffs'][string];
const running = (backoffs: readonly Backoff[]): Backoff | undefined => backoffs.find((b) => b.active);
const backoffLine = (b: Backoff): Line => line('card.wait.backoff', { container: b.container, t: time(b.until) });

function podCard(pod: PodView, since: Micros | null): Card {
  const { worker } = pod;
  const backoff = running(Object.values(pod.backoffs));
  const ended = !worker || worker.state === 'finished' || worker.state === 'removed';
  return {
    state: [
      pod.phase === ''
        ? line('card.pod.none')
        : line('card.pod.phase', { phase: pod.phase, reason: inBrackets(pod.reason) }),
      ...(pod.desired ? [] : [line('card.pod.unwanted')]),
      worker ? line(`card.worker.${worker.state}`) : line('card.worker.none'),
    ],
    since,
    waits: ended
      ? null
      : worker.working || worker.waitsForNewerThan !== null
        ? workWait(worker)
        : backoff
          ? backoffLine(backoff)
          : line('card.wait.update'),
    next: worker && worker.due !== null ? line('card.next.due', { t: time(worker.due) }) : null,
  };
}

const WORK = { sync: 'SyncPod', terminating: 'SyncTerminatingPod', terminated: 'SyncTerminatedPod' } as const;
const workWait = (worker: WorkerView): Line =>
  worker.waitsForNewerThan !== null
    ? line('card.wait.cache', { t: time(worker.waitsForNewerThan) })
    : line('card.wait.work', { fn: WORK[worker.workType] });

function containerCard(state: NodeState, id: string): Card | null {
  const c = containerNamed(state, id);
  if (!c) return null;
  const pod = state.pods[c.uid];
  const backoff = running(Object.values(pod?.backoffs ?? {}).filter((b) => b.container === c.name));
  const code = c.exitCode === null ? '' : ` (${c.exitCode})`;
  return {
    state: [
      c.state === 'exited'
        ? line('card.container.exited', { code, reason: inBrackets(c.reason) })
        : line(`card.container.${c.state}`),
      ...(c.attempt > 0 ? [line('card.container.restarts', { n: c.attempt + 1 })] : []),
    ],
    since: c.since,
    waits: backoff && c.state !== 'running' ? backoffLine(backoff) : null,
    next: pod?.worker && pod.worker.due !== null ? line('card.next.due', { t: time(pod.worker.due) }) : null,
  };
}

function sandboxCard(state: NodeState, id: string): Card | null {
  const sandbox = state.sandboxes[id];
  if (!sandbox) return null;
  const names = Object.values(state.containers)
    .filter((c) => c.sandbox === id && c.state !== 'removed')
    .map((c) => c.name);
  const worker = state.pods[sandbox.uid]?.worker;
  return {
    state: [
      sandbox.state === 'ready'
        ? line('card.sandbox.ready', { ip: inBrackets(sandbox.ip) })
        : line(`card.sandbox.${sandbox.state}`),
      ...(names.length > 0 ? [line('card.sandbox.holds', { names: joined(names) })] : []),
    ],
    since: sandbox.since,
    waits: null,
    next: worker && worker.due !== null ? line('card.next.due', { t: time(worker.due) }) : null,
  };
}

// --- goroutines and channels

/** Tickers of the loop, by the channel on which they tick. */
const PERIODS: Readonly<Partial<Record<string, Micros>>> = { syncCh: 1_000_000, housekeepingCh: 2_000_000 };

function channelCard(state: NodeState, name: string): Card | null {
  const key = keyOfChannel(name);
  const c =
    Object.values(state.channels)
      .filter((x) => x.name === name)
      .sort((a, b) => b.id - a.id)[0] ??
    (key && channelFor(state, key));
  if (!c) return null;
  const names = (ids: readonly number[]) => joined(ids.map((g) => state.goroutines[g]?.name ?? `goroutine ${g}`));
  const first = c.items[0];
  const period = key === undefined ? undefined : PERIODS[key];
  return {
    state: [
      c.closed
        ? line('card.channel.closed')
        : c.cap === 0
          ? line('card.channel.unbuffered')
          : c.items.length === 0
            ? line('card.channel.empty', { cap: c.cap })
            : line('card.channel.holds', { n: c.items.length, cap: c.cap }),
    ],
    since: c.lastTime > 0 ? c.lastTime : null,
    waits:
      c.senders.length > 0
        ? line('card.channel.senders', { names: names(c.senders.map((s) => s.g)) })
        : c.receivers.length > 0
          ? line('card.channel.receivers', { names: names(c.receivers) })
          : null,
    next: first
      ? line('card.channel.takes', { item: itemLabel(first.item) || name })
      : period !== undefined
        ? line('card.channel.tick', { t: time(c.lastTime + period) })
        : null,
  };
}

/** The list of its channels below the card shows what it waits for. */
function goroutineCard(state: NodeState, id: number): Card | null {
  const g = state.goroutines[id];
  if (!g) return null;
  const [, type, pod, container] = /^probe (\w+) (.+)\/([^/]+)$/.exec(g.name) ?? [];
  const probe =
    type === undefined
      ? undefined
      : Object.values(Object.values(state.pods).findLast((p) => p.pod === pod)?.probes ?? {}).find(
          (p) => p.probeType === type && p.container === container,
        );
  const until = g.wait?.until;
  return {
    state: [
      line(`card.goroutine.${g.state}`),
      ...(type === undefined
        ? []
        : [
            probe && probe.outcome !== ''
              ? line('card.probe.is', {
                  type: probe.probeType,
                  container: probe.container,
                  outcome: probe.outcome,
                  run: probe.run ?? '–',
                  result: probe.result || '–',
                })
              : line('card.probe.none'),
          ]),
    ],
    since: g.since,
    waits: null,
    next: until === undefined ? null : line('card.goroutine.until', { t: time(until) }),
  };
}

// --- parts

const RELIST: Micros = 1_000_000;

function partCard(state: NodeState, part: Part): Card {
  const plain = (...lines: readonly Line[]): Card => ({ state: lines, since: null, waits: null, next: null });
  switch (part) {
    case 'loop':
      return loopCard(state);
    case 'pleg': {
      const { relists, lastRelist, transitions } = state.pleg;
      if (relists === 0) return plain(line('card.pleg.none'));
      return {
        state: [line('card.pleg.lists', { n: relists, m: transitions.length })],
        since: lastRelist,
        waits: null,
        next: line('card.pleg.next', { t: time(lastRelist + RELIST) }),
      };
    }
    case 'cri': {
      const flying = Object.values(state.cri.inFlight);
      const { calls: n, errors: m } = state.cri;
      const [oldest] = flying;
      return {
        ...plain(oldest ? line('card.cri.busy', { k: flying.length, n, m }) : line('card.cri.idle', { n, m })),
        since: oldest?.since ?? null,
        waits: oldest ? line('card.cri.answer', { names: joined(flying.map((c) => c.method)) }) : null,
      };
    }
    case 'status': {
      const pods = Object.values(state.pods).filter((p) => p.statusVersion > 0);
      const m = pods.filter((p) => p.phase === 'Running').length;
      return plain(line('card.status.is', { n: pods.length, m }));
    }
    case 'probes': {
      const probes = Object.values(state.pods).flatMap((p) => Object.values(p.probes));
      const m = probes.filter((p) => p.outcome !== '' && p.outcome !== 'success').length;
      return plain(line('card.probes.is', { n: probes.length, m }));
    }
    case 'podKiller': {
      const channel = podKillingChannel(state);
      if (!channel) return plain(line('card.podKiller.none'));
      return plain(line('card.podKiller.is', { n: killsUnderWay(state).length, m: channel.items.length }));
    }
    case 'podConfig': {
      const sources = Object.values(state.sources);
      const silent = silentSources(state);
      const n = Object.values(state.pods).filter((p) => p.desired).length;
      const heard = sources.length > 0 && silent.length === 0;
      return {
        ...plain(line(heard ? 'card.config.ready' : 'card.config.waits', { n })),
        waits: silent.length > 0 ? line('card.config.source', { names: joined(silent) }) : null,
      };
    }
    case 'source-file':
    case 'source-http':
    case 'source-api': {
      const source = state.sources[part.slice('source-'.length)];
      if (!source) return plain(line('card.source.none'));
      const [error] = source.errors;
      const wants = line('card.source.wants', { n: source.pods.length });
      return plain(wants, ...(error ? [line('card.source.errors', { error })] : []));
    }
    case 'images': {
      const images = Object.values(state.images);
      const pulled = images.filter((i) => i.state === 'pulling').map((i) => i.image);
      return {
        ...plain(line('card.images.is', { n: images.filter((i) => i.state === 'present').length })),
        waits: pulled.length > 0 ? line('card.images.pull', { names: joined(pulled) }) : null,
      };
    }
    default:
      return nodeCard(state, part);
  }
}

function loopCard(state: NodeState): Card {
  const { loop } = state;
  const g = state.goroutines[loop.g];
  const ready = Object.values(state.channels)
    .filter((c) => loop.cases.includes(c.name) && (c.items.length > 0 || c.senders.length > 0))
    .map((c) => c.name);
  const next = ready.length > 0 ? line('card.loop.ready', { names: joined(ready) }) : null;
  const n = loop.iteration;
  const base = { since: g?.since ?? null, next };
  switch (loop.phase) {
    case 'off':
      return { state: [line('card.loop.off')], since: null, waits: null, next: null };
    case 'waiting':
      return { ...base, state: [line('card.loop.waiting', { n })], waits: line('card.loop.channels') };
    case 'handling': {
      const { handler } = loop;
      const on = line('card.loop.handling', { channel: loop.cases[loop.chosen] ?? '', n });
      return { ...base, state: [on, ...(handler ? [line('card.loop.handler', { handler })] : [])], waits: null };
    }
    case 'backoff': {
      const errors = [...state.runtime.errors, state.runtime.networkError].filter(Boolean).join('; ');
      const until = g?.wait?.until;
      return {
        ...base,
        state: [line('card.loop.backoff', { errors })],
        waits: null,
        next: until === undefined ? null : line('card.goroutine.until', { t: time(until) }),
      };
    }
  }
}

const MANAGER: Readonly<Partial<Record<Part, string>>> = {
  oom: 'oomWatcher',
  shutdown: 'shutdownManager',
  stats: 'resourceAnalyzer',
};

function nodeCard(state: NodeState, part: Part): Card {
  const { node, api } = state;
  const card = (first: Line, since: Micros | null = null, waits: Line | null = null): Card => ({
    state: [first],
    since,
    waits,
    next: null,
  });
  switch (part) {
    case 'managers': {
      const all = Object.values(node.managers);
      const n = all.filter((m) => m.state === 'started' || m.state === 'done').length;
      return card(line('card.managers.is', { n, m: all.filter((m) => m.state === 'failed').length }));
    }
    case 'node': {
      const ready = node.conditions.Ready;
      if (!ready) return card(line('card.node.unknown'));
      const how =
        ready.status === 'True' ? line('card.node.ready') : line('card.node.notReady', { reason: ready.reason });
      return card(line('card.node.is', { state: how }), ready.since);
    }
    case 'lease':
      return node.lease
        ? card(line('card.lease.is', { n: node.lease.renewals }), node.lease.lastRenewal)
        : card(line('card.lease.none'));
    case 'apiServer': {
      const flying = Object.values(api.inFlight);
      return card(
        line('card.api.is', { n: api.requests, m: api.errors }),
        null,
        flying.length > 0
          ? line('card.api.answer', { names: joined(flying.map((r) => `${r.verb} ${r.resource}`)) })
          : null,
      );
    }
    case 'volumes': {
      const all = Object.values(state.pods).flatMap((p) =>
        Object.values(p.volumes).map((v) => ({
          name: `${shortPod(p.pod)}/${v.volume}`,
          mounted: v.state === 'mounted',
        })),
      );
      const missing = all.filter((v) => !v.mounted).map((v) => v.name);
      return card(
        line('card.volumes.is', { n: all.length - missing.length, m: all.length }),
        null,
        missing.length > 0 ? line('card.volumes.waits', { names: joined(missing) }) : null,
      );
    }
    case 'eviction': {
      const { conditions } = state.eviction;
      return card(
        conditions.length > 0 ? line('card.eviction.is', { names: joined(conditions) }) : line('card.eviction.none'),
      );
    }
    case 'cgroups':
      return card(line('card.cgroups.is', { n: Object.keys(state.cgroups).length }));
    case 'devices': {
      const all = Object.values(node.devices).flatMap((r) => r.devices);
      if (all.length === 0) return card(line('card.devices.none'));
      const n = all.filter((d) => d.allocated).length;
      return card(line('card.devices.is', { n, m: all.length, k: all.filter((d) => !d.healthy).length }));
    }
    default: {
      const manager = node.managers[MANAGER[part] ?? ''];
      return manager ? card(line(`card.manager.${manager.state}`), manager.since) : card(line('card.manager.none'));
    }
  }
}

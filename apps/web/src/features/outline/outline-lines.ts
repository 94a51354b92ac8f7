/**
 * The graph as lines of text: the same parts, in the same order, from the desired state round to the way back. Pure.
 */
import type { NodeState } from '@syncloop/core/trace';
import type { Translate } from '../../i18n/index.js';
import { CHANNELS, HANDLERS, INPUT_SINCE } from '../../run/loop.js';
import { hasPodKiller, POD_KILLING_CHANNEL } from '../../run/pod-killer.js';
import { updateConstant } from '../../run/source-names.js';
import { duration, seconds } from '../../units/text.js';
import {
  actionText,
  channelPart,
  containerText,
  criPart,
  handlersPart,
  type LaneIndex,
  type LanePart,
  laneIndex,
  laneOrder,
  lanePart,
  plegPart,
  podConfigPart,
  podKillerPart,
  probeRows,
  selectPart,
  sourcePart,
  statusRows,
  stepName,
  type Tick,
} from '../graph/index.js';
import { aroundLines } from './outline-around.js';
import { line, type OutlineLine } from './outline-line.js';

export type { OutlineLine } from './outline-line.js';

/** More pods than this begin folded. */
const UNFOLDED_PODS = 8;

/** Returns all lines. `deep`: whether the lines below a line of that id are wanted; pods have many. */
export function outlineLines(
  state: NodeState,
  t: Translate,
  deep: (id: string, open: boolean) => boolean,
): OutlineLine[] {
  const index = laneIndex(state);
  return [
    sources(state, t),
    channels(state, t),
    loop(state, t),
    ...pods(state, t, index, deep),
    ...podKiller(state, t),
    ...back(state, t),
    aroundLines(state, t),
  ];
}

const at = (t: Translate, time: number): string => t('time.s', { n: seconds(time) });

function sources(state: NodeState, t: Translate): OutlineLine {
  const config = podConfigPart(state);
  const count = (n: number) => (n === 1 ? t('graph.pods1') : t('graph.podsN', { n }));
  return line('sources', t('outline.sources'), {
    children: [
      ...(['file', 'http', 'api'] as const).map((name) => {
        const s = sourcePart(state, name);
        return line(`source/${name}`, t('outline.source', { name }), {
          note: s.unknown
            ? t('graph.unknown')
            : !s.configured
              ? t('graph.notConfigured')
              : [s.seen ? count(s.pods) : t('graph.waitingForList'), ...s.errors],
          bad: s.errors.length > 0,
          selection: { kind: 'part', part: `source-${name}` },
        });
      }),
      line('podConfig', 'PodConfig', {
        note: [
          count(config.pods),
          ...(config.ready
            ? [t('graph.sourcesReady')]
            : config.unknown || !config.any
              ? []
              : [t('graph.sourcesWait', { names: config.waitsFor.join(', ') })]),
        ],
        selection: { kind: 'part', part: 'podConfig' },
      }),
    ],
  });
}

function channels(state: NodeState, t: Translate): OutlineLine {
  return line('channels', t('outline.channels'), {
    children: CHANNELS.map((key) => {
      const c = channelPart(state, key);
      return line(`channel/${key}`, c.name, {
        note: c.absent
          ? [t('graph.sinceVersion', { version: INPUT_SINCE[key] ?? '' })]
          : [
              c.count > 0 ? t('outline.items', { n: c.count, cap: c.cap }) : t('outline.empty'),
              c.senders > 0 && t('graph.senders', { n: c.senders }),
            ],
        selection: { kind: 'channel', name: key },
        children: c.items.map((item) =>
          line(`channel/${key}/${item.seq}`, item.label || `#${item.seq}`, {
            selection: { kind: 'record', seq: item.seq },
          }),
        ),
      });
    }),
  });
}

function loop(state: NodeState, t: Translate): OutlineLine {
  const s = selectPart(state);
  const h = handlersPart(state);
  const phase = {
    off: 'graph.off',
    waiting: 'graph.waiting',
    handling: 'graph.handling',
    backoff: 'graph.backoff',
  } as const;
  return line('loop', t('outline.loop'), {
    children: [
      line('select', t('outline.select'), {
        note: [
          t('graph.iteration', { n: s.iteration }),
          t(phase[s.phase]),
          ...s.ready.map((i) => `${CHANNELS[i] ?? ''} ${t(i === s.chosen ? 'outline.chosen' : 'outline.ready')}`),
          ...s.errors,
        ],
        bad: s.errors.length > 0,
        selection: { kind: 'part', part: 'loop' },
      }),
      ...HANDLERS.map((name, i) =>
        line(`handler/${name}`, name, { note: i === h.running && [t('graph.handling'), h.args] }),
      ),
    ],
  });
}

function pods(
  state: NodeState,
  t: Translate,
  index: LaneIndex,
  deep: (id: string, open: boolean) => boolean,
): OutlineLine[] {
  const order = laneOrder(state);
  const open = order.length <= UNFOLDED_PODS;
  const workers: OutlineLine[] = [];
  const node: OutlineLine[] = [];
  for (const uid of order) {
    const part = lanePart(state, uid, index);
    if (!part) continue;
    const id = `worker/${uid}`;
    workers.push(
      line(id, part.pod, {
        note: [
          part.phase || t('graph.phaseNone'),
          part.state !== '' && t(`state.${part.state as 'sync'}`),
          doing(t, part),
        ],
        bad: part.error !== '',
        selection: { kind: 'pod', uid },
        open,
        parent: true,
        children: deep(id, open) ? work(t, part) : [],
      }),
    );
    if (part.sandbox || part.waiting.length > 0) node.push(sandbox(t, part, open));
  }
  return [
    line('workers', t('outline.workers'), { note: order.length === 0 && t('outline.noPods'), children: workers }),
    line('node', t('outline.node'), { note: node.length === 0 && t('outline.noSandboxes'), children: node }),
  ];
}

function doing(t: Translate, part: LanePart): string {
  if (part.newerThan !== null) return t('outline.wait', { t: at(t, part.newerThan) });
  if (part.working) return t('lane.working', { fn: part.syncFn });
  return part.due === null ? '' : t('outline.due', { t: at(t, part.due) });
}

function newest(ticks: readonly Tick[]): Tick | undefined {
  let best: Tick | undefined;
  for (const tick of ticks) if (tick.seq > (best?.seq ?? 0)) best = tick;
  return best;
}

/** Such as `update (SyncPodUpdate, pendingUpdate)`. */
const pendingText = ({ pending, pendingField }: LanePart): string =>
  `${pending} (${[updateConstant(pending), pendingField].filter(Boolean).join(', ')})`;

/** Returns the lines of a pod's worker, in the order of its lane. */
function work(t: Translate, part: LanePart): OutlineLine[] {
  const { uid } = part;
  const lines: OutlineLine[] = [];
  if (part.pending !== '') lines.push(line(`worker/${uid}/pending`, t('outline.pending', { what: pendingText(part) })));
  if (part.error !== '')
    lines.push(line(`worker/${uid}/error`, t('outline.error', { error: part.error }), { bad: true }));
  const tracks = [
    [part.syncFn, part.sync],
    [part.runtimeFn, part.runtime],
    [`startContainer ${part.startContainer}`.trim(), part.start],
  ] as const;
  for (const [i, [fn, ticks]] of tracks.entries()) {
    if (i === 1 && part.plan) {
      const what = part.actions?.map((a) => actionText(t, a)).join(' · ') || t('lane.actionsNone');
      lines.push(line(`worker/${uid}/plan`, t('outline.plan', { what })));
    }
    const step = newest(ticks);
    if (step)
      lines.push(
        line(
          `worker/${uid}/steps/${i}`,
          t(step.now ? 'outline.steps' : 'outline.stepsDone', { fn, n: step.n, name: stepName(t, step.name) }),
          { selection: { kind: 'record', seq: step.seq } },
        ),
      );
  }
  const [call] = part.calls;
  if (call) lines.push(callLine(t, `worker/${uid}/call`, call, call.method));
  return lines;
}

interface CallLike {
  readonly seq: number;
  readonly since: number;
  readonly took: number | null;
  readonly error: string;
}
function callLine(t: Translate, id: string, call: CallLike, text: string): OutlineLine {
  return line(id, text, {
    note: [
      call.took === null ? t('outline.open', { t: at(t, call.since) }) : t('outline.took', { t: duration(call.took) }),
      call.error !== '' && t('outline.failed', { error: call.error }),
    ],
    bad: call.error !== '',
    selection: { kind: 'record', seq: call.seq },
  });
}

function sandbox(t: Translate, part: LanePart, open: boolean): OutlineLine {
  const { uid, sandbox: s } = part;
  const until = (b: { readonly until: number }) => t('lane.backoff', { t: at(t, b.until) });
  return line(`node/${uid}`, part.pod, {
    note: s ? [`${t('lane.sandbox')}: ${t(`state.${s.state}`)}`, s.ip] : t('lane.noSandbox'),
    selection: s ? { kind: 'sandbox', id: s.id } : { kind: 'pod', uid },
    open,
    children: [
      ...(s?.containers ?? []).map((c) =>
        line(`node/${uid}/${c.name}`, c.name, {
          note: [
            containerText(t, c),
            c.reason,
            c.restarts > 0 && t('lane.restarts', { n: c.restarts }),
            c.backoff !== null && until(c.backoff),
          ],
          bad: c.state === 'exited' && c.exitCode !== 0,
          selection: { kind: 'container', id: c.id },
        }),
      ),
      ...part.waiting.map((w) =>
        line(`node/${uid}/${w.of}/${w.container}`, w.container, { note: [w.of, until(w)], bad: true }),
      ),
    ],
  });
}

/** The lines of the pod killer, in versions that have it. */
function podKiller(state: NodeState, t: Translate): OutlineLine[] {
  if (!hasPodKiller(state)) return [];
  const { cap, count, items, kills } = podKillerPart(state, () => undefined);
  return [
    line('podKiller', t('outline.podKiller'), {
      note: [
        `${POD_KILLING_CHANNEL}: ${count > 0 ? t('outline.items', { n: count, cap }) : t('outline.empty')}`,
        kills.length === 0 && t('podKiller.none'),
      ],
      selection: { kind: 'part', part: 'podKiller' },
      children: [
        ...kills.map((k) =>
          line(`podKiller/${k.id}`, t('podKiller.kills', { pod: k.pod }), {
            selection: { kind: 'goroutine', id: k.id },
          }),
        ),
        ...items.map((item) =>
          line(`podKiller/item/${item.seq}`, t('podKiller.waits', { pod: item.pod }), {
            selection: { kind: 'record', seq: item.seq },
          }),
        ),
      ],
    }),
  ];
}

/** Returns the lines of CRI calls, and of the way back: PLEG, status, probes. */
function back(state: NodeState, t: Translate): OutlineLine[] {
  const cri = criPart(state);
  const pleg = plegPart(state);
  const cri1 = (c: (typeof cri.rows)[number]) => callLine(t, `cri/${c.seq}`, c, `${c.method} ${c.who}`.trim());
  return [
    line('cri', t('outline.cri'), {
      note: t('outline.calls', { n: cri.calls, failed: cri.errors }),
      selection: { kind: 'part', part: 'cri' },
      children: [...cri.rows, ...cri.looks].map(cri1),
    }),
    line('pleg', t('outline.pleg'), {
      note: [t('pleg.relists', { n: pleg.relists }), t('pleg.last', { t: at(t, pleg.last) })],
      selection: { kind: 'part', part: 'pleg' },
      children: pleg.rows.map((r) =>
        line(`pleg/${r.seq}`, r.sandbox ? `${r.pod} (${t('lane.sandbox')})` : `${r.pod}/${r.name}`, {
          note: [t('outline.transition', { old: r.old, next: r.new }), r.event],
          selection: { kind: 'record', seq: r.seq },
        }),
      ),
    }),
    line('status', t('outline.status'), {
      selection: { kind: 'part', part: 'status' },
      children: statusRows(state).map((r) =>
        line(`status/${r.uid}`, r.pod, {
          note: [r.phase, r.reason, t('outline.version', { n: r.version })],
          selection: { kind: 'pod', uid: r.uid },
        }),
      ),
    }),
    line('probes', t('outline.probes'), {
      selection: { kind: 'part', part: 'probes' },
      note: probeRows(state).length === 0 && t('probes.none'),
      children: probeRows(state).map((r) =>
        line(`probe/${r.key}`, `${r.type} ${r.container}`, {
          note: [
            r.outcome,
            r.run !== null && r.threshold !== null && t('outline.runs', { n: r.run, threshold: r.threshold }),
            r.result,
          ],
          bad: r.result === 'Failure',
          selection: { kind: 'pod', uid: r.uid },
        }),
      ),
    }),
  ];
}

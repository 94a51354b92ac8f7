/** The names that the fields of a breakpoint may have. */
import { rpcNames } from '@syncloop/core/cri';
import type { BreakpointKind } from '@syncloop/core/debug';
import type { NodeState, TraceRecord } from '@syncloop/core/trace';
import { HANDLERS } from '../../../run/loop.js';
import { shortPod } from '../../../units/text.js';

const CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready', 'PodScheduled'];
const EVENTS = ['ContainerStarted', 'ContainerDied', 'ContainerRemoved', 'ContainerChanged', 'PodSync'];
const MOST = 120;

/** Returns the names that a field may have, from the state and from what has happened (`records`, the newest first). */
export function namesFor(
  on: BreakpointKind,
  field: string,
  state: NodeState,
  records: Iterable<TraceRecord>,
): string[] {
  switch (`${on}.${field}`) {
    case 'channel.name':
    case 'select.channel':
      return sorted(Object.values(state.channels).map((c) => c.name));
    case 'wait.name':
      return sorted([
        ...Object.values(state.channels).map((c) => c.name),
        ...Object.values(state.goroutines).map((g) => g.wait?.name ?? ''),
      ]);
    case 'select.goroutine':
    case 'wait.goroutine':
      return sorted(Object.values(state.goroutines).map((g) => g.name));
    case 'handler.name':
      return [...HANDLERS, 'handleProbeSync'];
    case 'cri.method':
      return [...rpcNames, '*Sandbox*'];
    case 'condition.type':
      return CONDITIONS;
    case 'pleg-event.type':
      return EVENTS;
    case 'config-op.source':
      return sorted(Object.keys(state.sources));
  }
  if (field === 'container') return sorted(Object.values(state.containers).map((c) => c.name));
  const found = new Set<string>();
  for (const r of records) {
    const name = nameIn(r, `${on}.${field}`);
    if (name !== undefined && name.length <= 200) found.add(name);
    if (found.size >= MOST) break;
  }
  return sorted(found);
}
function nameIn(r: TraceRecord, field: string): string | undefined {
  switch (field) {
    case 'function.name':
      return r.kind === 'enter' ? r.fn : undefined;
    case 'step.fn':
      return r.kind === 'step' || r.kind === 'call-step' ? r.fn : undefined;
    case 'line.file':
      return r.kind === 'part-line' ? r.file : undefined;
    case 'line.line':
      return r.kind === 'part-line' ? String(r.line) : undefined;
    case 'line.fn':
      return r.kind === 'part-line' && r.fn !== '' ? r.fn : undefined;
    case 'step.step':
      return r.kind === 'step' || r.kind === 'call-step' ? r.name : undefined;
    case 'kube-event.reason':
      return r.kind === 'kube-event' ? r.reason : undefined;
    case 'log.message':
      return r.kind === 'log' ? r.msg : undefined;
    case 'decision.rule':
      return r.kind === 'decision' ? r.rule : undefined;
    case 'decision.verdict':
      return r.kind === 'decision' ? r.verdict : undefined;
    default:
      return undefined;
  }
}
const sorted = (names: Iterable<string>): string[] =>
  [...new Set(names)]
    .filter((n) => n !== '')
    .sort()
    .slice(0, MOST);
export const podNames = (state: NodeState): string[] => sorted(Object.values(state.pods).map((p) => shortPod(p.pod)));

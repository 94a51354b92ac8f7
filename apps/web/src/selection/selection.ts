/** The values of a selection that the inspector shows, and which records are about it. */
import { type Json, type NodeState, placeOf, type TraceRecord } from '@syncloop/core/trace';
import type { Selection } from '../page/ui-store.js';
import { channelFor, keyOfChannel } from '../run/loop.js';
import { isOfPodKiller, killsUnderWay, podKillerGoroutine, podKillingChannel } from '../run/pod-killer.js';
import { shortId, shortPod } from '../units/text.js';
import { aboutNodePart, nodePartOf } from './selection-node.js';

/** The name to show for a selection. */
export function nameOf(state: NodeState, selection: Selection, record: TraceRecord | undefined): string {
  switch (selection.kind) {
    case 'pod':
      return shortPod(state.pods[selection.uid]?.pod ?? selection.uid);
    case 'channel':
      return selection.name;
    case 'goroutine':
      return state.goroutines[selection.id]?.name ?? `goroutine ${selection.id}`;
    case 'container':
      return containerOf(state, selection.id)?.name ?? shortId(selection.id);
    case 'sandbox':
      return shortPod(state.sandboxes[selection.id]?.pod ?? '') || shortId(selection.id);
    case 'record':
      return `${record?.kind ?? ''} #${selection.seq}`;
    case 'part':
      return selection.part;
  }
}

/** Returns a container by id, or by `uid/name` if its id was not known. */
function containerOf(state: NodeState, id: string) {
  return (
    state.containers[id] ??
    Object.values(state.containers).find((c) => `${c.uid}/${c.name}` === id && c.state !== 'removed')
  );
}

function channelOf(state: NodeState, name: string) {
  const key = keyOfChannel(name);
  const exact = Object.values(state.channels)
    .filter((c) => c.name === name)
    .sort((a, b) => b.id - a.id)[0];
  return exact ?? (key ? channelFor(state, key) : undefined) ?? state.channels[name];
}

/**
 * Returns the values of the selection, as JSON; null when it is gone. It shares nothing with the state, which goes on
 * changing.
 */
export function valuesOf(state: NodeState, selection: Selection, record: TraceRecord | undefined): Json {
  const copy = (value: unknown): Json =>
    value === undefined || value === null ? null : (structuredClone(value) as Json);
  switch (selection.kind) {
    case 'pod':
      return copy(state.pods[selection.uid]);
    case 'channel':
      return copy(channelOf(state, selection.name));
    case 'goroutine':
      return copy(state.goroutines[selection.id]);
    case 'container':
      return copy(containerOf(state, selection.id));
    case 'sandbox': {
      const sandbox = state.sandboxes[selection.id];
      return sandbox
        ? copy({ ...sandbox, containers: Object.values(state.containers).filter((c) => c.sandbox === sandbox.id) })
        : null;
    }
    case 'record':
      return copy(record);
    case 'part':
      return copy(partOf(state, selection.part));
  }
}

function partOf(state: NodeState, part: Extract<Selection, { kind: 'part' }>['part']): unknown {
  switch (part) {
    case 'loop':
      return { ...state.loop, goroutine: state.goroutines[state.loop.g] };
    case 'pleg':
      return { ...state.pleg, transitions: [...state.pleg.transitions].reverse() };
    case 'cri':
      return {
        calls: state.cri.calls,
        errors: state.cri.errors,
        inFlight: Object.values(state.cri.inFlight),
        recent: [...state.cri.recent].reverse(),
        runtime: state.runtime,
      };
    case 'status':
      return Object.fromEntries(
        Object.values(state.pods).map((p) => [p.pod, { version: p.statusVersion, status: p.status }]),
      );
    case 'probes':
      return Object.fromEntries(Object.values(state.pods).map((p) => [p.pod, p.probes]));
    case 'podKiller':
      return {
        channel: podKillingChannel(state) ?? null,
        kills: killsUnderWay(state),
        goroutine: state.goroutines[podKillerGoroutine(state)] ?? null,
      };
    case 'podConfig':
      return state.sources;
    case 'source-file':
      return state.sources.file;
    case 'source-http':
      return state.sources.http;
    case 'source-api':
      return state.sources.api;
    case 'images':
      return state.images;
    default:
      return nodePartOf(state, part);
  }
}

/** A test for the records that are about a selection. */
export function about(state: NodeState, selection: Selection): (record: TraceRecord) => boolean {
  switch (selection.kind) {
    case 'pod': {
      const { uid } = selection;
      const workers = new Set(
        Object.values(state.goroutines)
          .filter((g) => g.uid === uid)
          .map((g) => g.id),
      );
      return (r) =>
        ('uid' in r && r.uid === uid) ||
        ('pods' in r && Array.isArray(r.pods) && r.pods.some((p) => p.uid === uid)) ||
        (r.kind === 'enter' && workers.has(r.g)) ||
        (r.kind === 'kube-event' && r.object.uid === uid);
    }
    case 'channel': {
      const id = channelOf(state, selection.name)?.id ?? -1;
      return (r) => ('chan' in r && r.chan === id) || (r.kind === 'select' && r.cases[r.chosen] === id);
    }
    case 'goroutine':
      return (r) => r.g === selection.id || (r.kind === 'goroutine-start' && r.id === selection.id);
    case 'container': {
      const c = containerOf(state, selection.id);
      const id = c?.id ?? selection.id;
      return (r) =>
        ('id' in r && r.id === id) ||
        ('container' in r && (r.container === id || (r.container === c?.name && 'uid' in r && r.uid === c?.uid))) ||
        (r.kind === 'pleg-event' && r.data === id);
    }
    case 'sandbox':
      return (r) => ('id' in r && r.id === selection.id) || ('sandbox' in r && r.sandbox === selection.id);
    case 'record': {
      const { seq } = selection;
      return (r) =>
        r.seq === seq ||
        r.cause === seq ||
        r.span === seq ||
        (r.kind === 'cri-return' && r.call === seq) ||
        (r.kind === 'exit' && r.of === seq);
    }
    case 'part':
      return aboutPart(state, selection.part);
  }
}

function aboutPart(
  state: NodeState,
  part: Extract<Selection, { kind: 'part' }>['part'],
): (record: TraceRecord) => boolean {
  switch (part) {
    case 'loop':
      return (r) => r.g === state.loop.g && (r.kind === 'select' || r.kind === 'enter' || r.kind === 'log');
    case 'pleg':
    case 'cri':
    case 'status':
    case 'probes':
    case 'images':
      return (r) => placeOf(r) === part;
    case 'podKiller': {
      const chan = podKillingChannel(state)?.id ?? -1;
      const own = new Set(Object.values(state.goroutines).flatMap((g) => (isOfPodKiller(g.name) ? [g.id] : [])));
      return (r) => own.has(r.g) || ('chan' in r && r.chan === chan);
    }
    case 'podConfig':
      return (r) => r.kind === 'source' || placeOf(r) === part;
    case 'source-file':
    case 'source-http':
    case 'source-api': {
      const source = part.slice('source-'.length);
      return (r) => 'source' in r && r.source === source;
    }
    default:
      return aboutNodePart(part);
  }
}

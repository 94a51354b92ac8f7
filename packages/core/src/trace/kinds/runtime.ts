/** Records of the container runtime: the kubelet's calls, and what it sees there. */
import { aboutPod, observedContainers, texts } from './common.js';
import { boolean, flag, json, maybe, micros, number, object, seq, text, word } from './field.js';
import { kind } from './kind.js';

const LISTINGS =
  /^(List|Version|Status|RuntimeConfig|ImageFsInfo|ImageStatus|ContainerStats|ContainerStatus|PodSandboxStatus)/;
/** Returns true for a CRI call that only looks. The PLEG makes such calls all the time. */
export const isListing = (method: string): boolean => LISTINGS.test(method);

/** The pod, sandbox and container of a call, as far as they are known. */
const subject = { uid: maybe(text), sandbox: maybe(text), container: maybe(text) };

export const runtime = {
  'cri-call': kind(
    { method: text, request: json, ...subject },
    {
      touches: ['cri', 'images'],
      importance: (r) => (isListing(r.method) ? 0 : 2),
      place: 'cri',
      mark: ['actual', 'none'],
    },
  ),
  'cri-return': kind(
    {
      call: seq,
      method: text,
      response: maybe(json),
      error: maybe(object({ code: number, details: text }, '{code, details}')),
      /** Absent if the call's begin is not known. */
      took: maybe(micros),
      ...subject,
    },
    {
      touches: ['cri', 'sandboxes', 'containers', 'images'],
      importance: (r) => (r.error ? 3 : isListing(r.method) ? 0 : 2),
      place: 'cri',
      mark: ['actual', 'none'],
      failed: (r) => r.error !== undefined,
    },
  ),
  relist: kind(
    {
      /** The number of pods, and of those that have changed. Absent in an observed run if no source reports it. */
      pods: maybe(number),
      changed: maybe(number),
      scope: word<'global' | 'pod'>(),
    },
    { touches: ['pleg'], importance: (r) => ((r.changed ?? 0) > 0 ? 2 : 1), place: 'pleg', mark: ['actual', 'ring'] },
  ),
  'pleg-transition': kind(
    {
      id: text,
      /** The name of the container. This, `sandbox` and `old` are absent if no source reports them. */
      name: maybe(text),
      sandbox: maybe(boolean),
      old: maybe(text),
      new: text,
      exitCode: maybe(number),
      ...aboutPod,
    },
    {
      touches: ['pleg'],
      importance: 3,
      place: 'pleg',
      mark: ['actual', 'diamond'],
      failed: (r) => (r.exitCode ?? 0) !== 0,
    },
  ),
  'pleg-event': kind(
    {
      type: text,
      data: text,
      /** The name of the container; empty for a sandbox; absent if no source reports whose event it is. */
      name: maybe(text),
      dropped: maybe(flag),
      ...aboutPod,
    },
    {
      touches: ['pleg'],
      // These records of the PLEG make the loop act.
      importance: (r) => (r.type === 'ContainerDied' ? 4 : 3),
      place: 'pleg',
      mark: ['message', 'diamond'],
      failed: (r) => r.dropped === true,
    },
  ),
  cache: kind(
    {
      op: word<'set' | 'delete'>(),
      /** The time that the entry stands for: a field of its own, not the record's time. */
      modified: micros,
      sandboxes: observedContainers,
      containers: observedContainers,
      error: maybe(text),
      ...aboutPod,
    },
    {
      touches: ['pods', 'sandboxes', 'containers'],
      importance: 1,
      place: 'pleg',
      mark: ['actual', 'ring'],
      failed: (r) => r.error !== undefined,
    },
  ),
  'runtime-state': kind(
    { errors: texts, networkError: maybe(text), backoff: maybe(micros) },
    {
      touches: ['runtime', 'loop'],
      importance: 2,
      place: 'runtimeUp',
      mark: ['actual', 'dot'],
      failed: (r) => r.errors.length > 0 || r.networkError !== undefined,
    },
  ),
};

/** Records of goroutines and channels. */
import { isAdmitted, maybeAboutPod, numbers, wait } from './common.js';
import { boolean, flag, json, jsonMap, list, maybe, number, object, seq, text, word } from './field.js';
import { kind, type Place } from './kind.js';

const HANDLERS = /^(Handle\w+|handleProbeSync|SyncPod|SyncTerminatingPod|SyncTerminatedPod)$/;

export const kernel = {
  'goroutine-start': kind(
    {
      id: number,
      name: text,
      parent: number,
      process: text,
      /** The part of the kubelet in which it works. Absent: in none that the graph shows. */
      place: maybe(word<Place>()),
      /** The pod for which it works, if `place` is a column of a pod's lane. */
      uid: maybe(text),
    },
    { touches: ['goroutines', 'channels'], importance: 0, place: null, mark: ['plain', 'ring'] },
  ),
  'goroutine-end': kind(
    { id: number, panic: maybe(object({ error: text, stack: list('texts', text) })), killed: maybe(flag) },
    {
      touches: ['goroutines', 'channels', 'loop'],
      importance: (r) => (r.panic ? 3 : 0),
      place: null,
      mark: ['plain', 'ring'],
      failed: (r) => r.panic !== undefined,
    },
  ),
  wait: kind({ on: wait }, { touches: ['loop'], importance: 0, place: null, mark: ['time', 'none'] }),
  'chan-make': kind(
    {
      chan: number,
      name: text,
      cap: number,
      /** Nobody tells what is put into it: how full it is stays unknown. Only in an observed run. */
      unseen: maybe(flag),
    },
    { touches: ['channels', 'sources'], importance: 0, place: null, mark: ['plain', 'none'] },
  ),
  send: kind(
    { chan: number, item: json, len: number },
    { touches: ['channels'], importance: 1, place: null, mark: ['message', 'up'] },
  ),
  receive: kind(
    {
      chan: number,
      item: json,
      ok: boolean,
      /** Items left. Absent in an observed run, if no source says it. */
      len: maybe(number),
      /** Nobody got it: a stopped or reset timer took back its unread tick. */
      discarded: maybe(flag),
    },
    { touches: ['channels'], importance: 1, place: null, mark: ['message', 'down'] },
  ),
  close: kind({ chan: number }, { touches: ['channels'], importance: 0, place: null, mark: ['message', 'cross'] }),
  select: kind(
    {
      /** Channel ids in source order; 0 is a nil channel. */
      cases: numbers,
      /** Positions in `cases`. Absent in an observed run: which other cases were ready, no source says so. */
      ready: maybe(numbers),
      /** Position in `cases`; -1 is the default case. */
      chosen: number,
    },
    {
      touches: ['loop'],
      // The loop's own has five to eight cases, by version; the small ones of other goroutines are plumbing.
      importance: (r) => (r.cases.length >= 5 ? 2 : 1),
      place: null,
      mark: ['plain', 'ring'],
    },
  ),
  enter: kind(
    { fn: text, args: maybe(json) },
    {
      // It may be the end of a worker's wait in GetNewerThan.
      touches: ['startup', 'loop', 'pods'],
      importance: (r) => (HANDLERS.test(r.fn) ? 2 : 1),
      place: null,
      mark: ['plain', 'none'],
    },
  ),
  exit: kind(
    { of: seq, fn: text, error: maybe(text), result: maybe(json) },
    {
      touches: ['startup', 'loop'],
      importance: (r) => (r.error === undefined ? 0 : 1),
      place: null,
      mark: ['plain', 'none'],
      failed: (r) => r.error !== undefined,
    },
  ),
  /**
   * A step within a call of the loop or of the runtime manager, with what it found: numbers of what is there, lists
   * of what is out of place. `n` counts from 1 in the order of the version's own list (`trace/call-steps.ts`).
   * Housekeeping records a step only if it has found something else than the last time.
   */
  'call-step': kind(
    { fn: text, n: number, name: text, found: jsonMap, container: maybe(text), ...maybeAboutPod },
    {
      touches: [],
      importance: (r) => (isAdmitted(r) ? 2 : 1),
      place: (r) => (r.fn === 'startContainer' ? 'pod/runtime' : null),
      mark: ['plain', 'dot'],
    },
  ),
  deadlock: kind(
    { waits: list('waits', object({ g: number, name: text, on: wait })) },
    { touches: [], importance: 3, place: null, mark: ['failure', 'cross'] },
  ),
};

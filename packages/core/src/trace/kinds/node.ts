/** Records of the node: what the kubelet reports about it and does for it. */
import { evictionSignals, maybeAboutPod, texts } from './common.js';
import { boolean, json, list, map, maybe, micros, number, object, text, word } from './field.js';
import { kind } from './kind.js';

/** True for a condition of a node that is as it should be: Ready is true, the others, such as pressure, are false. */
export const isNodeConditionWell = ({ type, status }: { readonly type?: string; readonly status?: string }): boolean =>
  status === (type === 'Ready' ? 'True' : 'False');

export const node = {
  /** The eviction manager's measurements and actions. Amounts are bytes, inodes or processes. */
  eviction: kind(
    {
      /**
       * `signals`: what is left of what, when it has changed. `conditions`: the node's, when they change. `reclaim`:
       * dead containers or unused images are removed first; `reclaimed`: and that was enough. `rank`: the pods, the
       * first to go first. `evict`: one has to go. `evicted`: it is dead, or could not be killed. `cleaned`: its
       * remains are gone, or were waited for in vain.
       */
      phase: word<'signals' | 'conditions' | 'reclaim' | 'reclaimed' | 'rank' | 'evict' | 'evicted' | 'cleaned'>(),
      signals: maybe(evictionSignals),
      conditions: maybe(texts),
      /** The signal that is acted for, and the resource that it is short of. */
      signal: maybe(text),
      resource: maybe(text),
      what: maybe(word<'containers' | 'images'>()),
      ranked: maybe(
        list(
          'pods',
          object({ pod: text, uid: text, priority: maybe(number), usage: maybe(number), request: maybe(number) }),
        ),
      ),
      gracePeriodSeconds: maybe(number),
      message: maybe(text),
      error: maybe(text),
      ...maybeAboutPod,
    },
    {
      touches: ['eviction'],
      importance: 3,
      place: 'eviction',
      mark: ['decision', 'diamond'],
      failed: (r) => r.phase === 'evict' || r.error !== undefined,
    },
  ),
  /**
   * A request to the API server, and its answer: two records of one id. A watch has a third, when it ends. The records
   * never hold what a request carries.
   */
  api: kind(
    {
      id: number,
      phase: word<'request' | 'response' | 'end'>(),
      verb: text,
      resource: text,
      subresource: maybe(text),
      namespace: maybe(text),
      name: maybe(text),
      /** HTTP's; a response without one means that the request did not get there. */
      code: maybe(number),
      error: maybe(text),
      took: maybe(micros),
    },
    {
      touches: ['api'],
      importance: 1,
      place: 'apiServer',
      mark: ['message', 'tick'],
      failed: (r) => r.error !== undefined,
    },
  ),
  /** A cgroup was made, set or removed by the kubelet; `config` is what was set: bytes, shares, microseconds. */
  cgroup: kind(
    { op: word<'create' | 'update' | 'destroy'>(), path: text, config: maybe(json) },
    { touches: ['cgroups'], importance: 1, place: 'cgroups', mark: ['actual', 'tick'] },
  ),
  /**
   * A part of the kubelet begins its work, ends it, or could not begin; or a step of the start that is over at once is
   * `done`. By upstream's names: statusManager, ContainerLogsDir...
   */
  manager: kind(
    { name: text, state: word<'started' | 'done' | 'stopped' | 'failed'>(), detail: maybe(text) },
    {
      touches: ['node'],
      importance: 1,
      place: 'managers',
      mark: ['plain', 'tick'],
      failed: (r) => r.state === 'failed',
    },
  ),
  /** The devices of one resource as the device manager knows them, whenever they change. */
  devices: kind(
    {
      resource: text,
      /** `stopped`: the plug-in went, its resource stays for five minutes. */
      endpoint: word<'connected' | 'stopped' | 'removed'>(),
      devices: list(
        'devices',
        /** `uid`: of the pod that has it; none while it is only being allocated. */
        object({ id: text, healthy: boolean, allocated: boolean, uid: maybe(text) }),
      ),
    },
    {
      touches: ['node'],
      importance: 2,
      place: 'devices',
      mark: ['actual', 'ring'],
      failed: (r) => r.endpoint !== 'connected' || r.devices.some((d) => d.allocated && !d.healthy),
    },
  ),
  /** A condition of the node as the kubelet reports it, whenever it changes. */
  'node-condition': kind(
    { type: text, status: word<'True' | 'False' | 'Unknown'>(), reason: text, message: text },
    {
      touches: ['node'],
      importance: 3,
      place: 'node',
      mark: ['actual', 'square'],
      failed: (r) => !isNodeConditionWell(r),
    },
  ),
  'node-status': kind(
    {
      /** `set`: what the node is and has, when that changes. The others are about the API server. */
      op: word<'set' | 'registered' | 'reported' | 'failed'>(),
      node: text,
      addresses: maybe(list('addresses', object({ type: text, address: text }))),
      capacity: maybe(map(text)),
      allocatable: maybe(map(text)),
      error: maybe(text),
    },
    {
      touches: ['node'],
      importance: 1,
      place: 'node',
      mark: ['actual', 'ring'],
      failed: (r) => r.op === 'failed',
    },
  ),
  /** The lease that shows the cluster that this node lives. */
  'node-lease': kind(
    { op: word<'created' | 'renewed' | 'failed'>(), name: text, error: maybe(text) },
    { touches: ['node'], importance: 1, place: 'lease', mark: ['time', 'ring'], failed: (r) => r.op === 'failed' },
  ),
};

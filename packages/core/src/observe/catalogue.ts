/** What lines of a kubelet's log prove: by message, with the fields that say it. The versions differ in data only. */
import type { Json, RecordBody } from '../trace/index.js';
import type { LogEntry } from './evidence/index.js';
import type { PodIdentities } from './identity.js';
import { podName } from './identity.js';
import { goList, goStruct } from './log/go-values.js';

/** What a line says; `waitsFor` are pods whose UIDs it needs, and lines after it may tell. */
export interface Proof {
  readonly waitsFor: readonly string[];
  /** Asked once, when all is known or will not be. Null: it proves nothing after all. */
  make(pods: PodIdentities): RecordBody | null;
}
type Reader = (entry: LogEntry) => Proof | null;

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type ConfigOp = 'ADD' | 'UPDATE' | 'REMOVE' | 'RECONCILE' | 'DELETE';

/** PodConfig's operation as syncLoopIteration reads it from configCh. */
const podConfig =
  (op: ConfigOp): Reader =>
  ({ fields }) => {
    const list = goList(fields.pods);
    const source = text(fields.source);
    if (!list || source === '') return null;
    const names = list.map(podName).filter((name) => name !== '');
    return {
      waitsFor: names,
      // A pod whose UID nobody tells goes by its name.
      make: (pods) => ({
        kind: 'pod-config',
        source,
        op,
        pods: names.map((pod) => ({ pod, uid: pods.uid(pod) ?? pod })),
      }),
    };
  };

/** A PodLifecycleEvent as every version prints it. */
export function lifecycleEvent(value: Json | undefined): { uid: string; type: string; data: string } | null {
  const event = isObject(value) ? value : typeof value === 'string' ? goStruct(value) : null;
  const [uid, type, data] = [event?.ID, event?.Type, event?.Data];
  return typeof uid === 'string' && typeof type === 'string' && uid !== ''
    ? { uid, type, data: typeof data === 'string' ? data : '' }
    : null;
}
const plegEvent: Reader = ({ fields }) => {
  const event = lifecycleEvent(fields.event);
  return (
    event && {
      waitsFor: [],
      make: (pods) => ({
        kind: 'pleg-event',
        type: event.type,
        data: event.data,
        name: '',
        pod: podName(fields.pod) || (pods.name(event.uid) ?? ''),
        uid: event.uid,
      }),
    }
  );
};

/** What the event recorder's own log line says; `reason` and `message` are those of the Event. */
const kubeEvent: Reader = ({ fields }) => {
  const name = podName(fields.object);
  const kind = text(fields.kind);
  const reason = text(fields.reason);
  const type = text(fields.type);
  if (name === '' || kind === '' || reason === '' || (type !== 'Normal' && type !== 'Warning')) return null;
  const slash = name.indexOf('/');
  return {
    waitsFor: kind === 'Pod' ? [name] : [],
    make: (pods) => ({
      kind: 'kube-event',
      object: {
        kind,
        namespace: slash < 0 ? '' : name.slice(0, slash),
        name: name.slice(slash + 1),
        uid: (kind === 'Pod' ? pods.uid(name) : undefined) ?? '',
        fieldPath: text(fields.fieldPath),
      },
      type,
      reason,
      message: text(fields.message),
    }),
  };
};

/** By message. Rows of the fidelity list 4 in brackets. */
const CATALOGUE: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  // [4:L-20], [4:L-21]
  ['SyncLoop ADD', podConfig('ADD')],
  ['SyncLoop UPDATE', podConfig('UPDATE')],
  ['SyncLoop REMOVE', podConfig('REMOVE')],
  ['SyncLoop DELETE', podConfig('DELETE')],
  ['SyncLoop RECONCILE', podConfig('RECONCILE')],
  // [4:L-22], [4:L-23]
  ['SyncLoop (PLEG): event for pod', plegEvent],
  ['SyncLoop (PLEG): pod does not exist, ignore irrelevant event', plegEvent],
  // [4:4.9]
  ['Event occurred', kubeEvent],
]);

/** What an entry proves; null where it is only a line of the log. */
export const proofOf = (entry: LogEntry): Proof | null =>
  entry.structured ? (CATALOGUE.get(entry.msg)?.(entry) ?? null) : null;

/** Learns from an entry which UID goes with which name, whatever else it says. */
export function learnFrom({ fields, msg }: LogEntry, pods: PodIdentities): void {
  const pod = podName(fields.pod);
  const uid = text(fields.podUID);
  if (pod !== '' && uid !== '') pods.learn(pod, uid);
  else if (pod !== '' && msg.startsWith('SyncLoop (PLEG)')) pods.learn(pod, lifecycleEvent(fields.event)?.uid ?? '');
}

/** Writes what a line reports as trouble: a record of the kind `symptom`, with its facts under stable names. */
import { isObject } from '@syncloop/core/base';
import { innermost, startReason } from '@syncloop/core/debug/findings';
import type { Json, Seq, SymptomCode } from '@syncloop/core/trace';
import { type Cause, causeOf, isHarmless, isUid, unquoted } from '../catalogue/causes.js';
import type { Found } from '../catalogue/index.js';
import type { LogEntry } from '../evidence/index.js';
import { containerId, podName, uidInName } from '../identity.js';
import { ELLIPSIS } from '../log/go-values.js';
import type { RecordWriter } from '../record-writer.js';
import { eventTrouble, type Trouble } from './event-troubles.js';

export type { Trouble };

import { containerNameOf, numberOf, podList, text } from './fields.js';
import { conditionOf, NODE_EVENTS } from './node.js';

/** The pod that a line is about, as far as it says so. */
interface About {
  readonly pod: string;
  /** Its name alone. */
  readonly name: string;
  readonly uid: string;
  readonly container: string;
}

/** Names of fields and of the facts that they are. What has no entry is not a fact. */
const FACTS: { readonly [field: string]: string } = {
  image: 'image',
  imageRef: 'image',
  resource: 'resource',
  resourceName: 'resource',
  signal: 'signal',
  available: 'available',
  threshold: 'threshold',
  quantity: 'threshold',
  volumeName: 'volume',
  volume: 'volume',
  plugin: 'plugin',
  node: 'node',
  path: 'path',
  output: 'output',
  probe: 'probe',
  method: 'method',
  delay: 'delay',
  durationBeforeRetry: 'delay',
  elapsed: 'elapsed',
  endpoint: 'endpoint',
  address: 'endpoint',
  reason: 'reason',
  message: 'message',
  nodeCondition: 'message',
  oldPodUID: 'oldUID',
  newPodUID: 'newUID',
  lifecycle: 'hook',
  usage: 'available',
  highThreshold: 'threshold',
};
const NUMBERS: { readonly [field: string]: string } = {
  numErrs: 'count',
  count: 'count',
  wanted: 'wanted',
  amountToFree: 'wanted',
  exitCode: 'exitCode',
};
const IDS: { readonly [field: string]: string } = {
  containerID: 'containerID',
  containerId: 'containerID',
  podSandboxID: 'sandboxID',
  podSandboxId: 'sandboxID',
  sandboxID: 'sandboxID',
};
const LONGEST = 2_000;
/** A key and a text of JSON, whether or not Go quoted it. */
const QUOTED_KEY = /"[\w.-]+\\*": ?\\*"/;

/** `name_namespace(uid)` in a text. */
const FULL_NAME = /([a-z0-9][-a-z0-9.]*)_([a-z0-9][-a-z0-9]*)\(([0-9a-f][-0-9a-f]{30,35})\)/;
/** `pod "name" (UID: "uid")`, as messages about volumes have it. */
const SHORT_NAME = /pod \\?"([a-z0-9][-a-z0-9.]*)\\?" \(UID: /;
const UID_IN_TEXT =
  /\(UID: \\?"([0-9a-f-]{32,36})\\?"\)|pods\/([0-9a-f]{8}-[0-9a-f-]{27})\/|Orphaned pod \\?"([0-9a-f-]{32,36})/i;
/** A pod's UID where others name a container: `failed to "KillPodSandbox" for "UID"`. */
const WRAPPED_UID = /^\[?failed to "\w+" for "([0-9a-f-]{32,36})" with /;
/** `name_namespace` without a UID. */
const HALF_NAME = /\bpods? "([a-z0-9][-a-z0-9.]*)_([a-z0-9][-a-z0-9]*)"/;
const NAMED = /for pod \\?"([a-z0-9][-a-z0-9]*)\\?"\/\\?"([a-z0-9][-a-z0-9.]*)\\?"/;

function aboutOf({ fields }: Found, error: string, msg: string): About {
  const named = fields.pod;
  let pod = podName(named);
  let uid = text(fields.podUID) || uidInName(named);
  const container = text(fields.containerName) || containerNameOf(fields.container);
  const { podName: only, podNamespace } = fields;
  if (pod === '' && typeof only === 'string' && typeof podNamespace === 'string') pod = `${podNamespace}/${only}`;
  if (pod === '' && uid === '') {
    const inText = `${error}\n${msg}`;
    const full = FULL_NAME.exec(inText);
    const short = full ? null : NAMED.exec(inText);
    const half = full || short ? null : HALF_NAME.exec(inText);
    if (full) [pod, uid] = [`${full[2]}/${full[1]}`, full[3] as string];
    else if (short) pod = `${short[1]}/${short[2]}`;
    if (half) pod = `${half[2]}/${half[1]}`;
    if (uid === '') uid = WRAPPED_UID.exec(error)?.[1] ?? '';
    if (uid === '') uid = UID_IN_TEXT.exec(inText)?.slice(1).find(Boolean) ?? '';
  }
  if (pod === uid || isUid(pod)) [pod, uid] = ['', uid || pod];
  // A name whose end is not in the log still tells the pods apart.
  if (pod === '' && uid === '' && typeof named === 'string' && named.endsWith(ELLIPSIS)) pod = named;
  // A text with other signs than a pod's name is not a name.
  if (!/^[^\s/"]+\/[^\s/"]+$/.test(pod)) pod = '';
  const name = pod === '' && uid !== '' ? (SHORT_NAME.exec(`${error}\n${msg}`)?.[1] ?? '') : '';
  return { pod, name, uid, container };
}

/** The facts that a line's fields are. */
function factsOf(fields: Found['fields']): { [name: string]: Json } {
  const facts: { [name: string]: Json } = {};
  for (const [field, value] of Object.entries(fields)) {
    const fact = Object.hasOwn(FACTS, field) ? FACTS[field] : undefined;
    if (fact !== undefined) {
      const found = typeof value === 'number' ? String(value) : text(value);
      if (found !== '') facts[fact] = found.slice(0, LONGEST);
      continue;
    }
    const number = Object.hasOwn(NUMBERS, field) ? NUMBERS[field] : undefined;
    const id = Object.hasOwn(IDS, field) ? IDS[field] : undefined;
    if (number !== undefined) {
      const found = numberOf(value);
      if (found !== undefined) facts[number] = found;
    } else if (id !== undefined) {
      const found = containerId(value);
      if (found !== '') facts[id] = found;
    }
  }
  return facts;
}

const CONDITIONS: { readonly [resource: string]: string } = {
  memory: 'MemoryPressure',
  'ephemeral-storage': 'DiskPressure',
  nodefs: 'DiskPressure',
  imagefs: 'DiskPressure',
  inodes: 'DiskPressure',
  pids: 'PIDPressure',
};
const RESOURCES: readonly (readonly [RegExp, string])[] = [
  [/^(?:allocatable)?memory/i, 'memory'],
  [/inodes/i, 'inodes'],
  [/fs\.|ephemeral|disk|fs$/i, 'ephemeral-storage'],
  [/^pids?\b/i, 'pids'],
];

/** Facts of one code that other facts imply. */
function completed(code: SymptomCode, facts: { [name: string]: Json }, found: Found, error: string): void {
  const { fields } = found;
  if (code.startsWith('volume-') || code === 'config-missing') volumeFacts(facts, error);
  if (code === 'orphaned-pod') {
    const count = /total of (\d+) errors/.exec(error)?.[1];
    if (count) facts.count ??= Number(count);
  }
  if (code === 'certificate-invalid') facts.reason ??= /expired/.test(error) ? 'expired' : 'other';
  if (code === 'kubelet-cannot-start') facts.reason ??= startReason(error)?.reason ?? 'other';
  if (code === 'probe-failed') {
    const kind = text(fields.probeType).toLowerCase();
    if (kind) facts.probe = kind;
    facts.output ??= error;
  }
  if (code === 'oom-kill' && isObject(fields.event)) {
    const { ProcessName, Constraint } = fields.event;
    if (text(ProcessName)) facts.process = text(ProcessName);
    if (text(Constraint)) facts.constraint = text(Constraint);
  }
  if (code === 'eviction-threshold' || code === 'pressure') {
    const resource = RESOURCES.find(([words]) => words.test(text(facts.resource) || text(facts.signal)))?.[1];
    if (resource) facts.resource = resource;
    if (resource && code === 'pressure') facts.condition ??= CONDITIONS[resource] ?? '';
  }
  // The end of a long list may not be in the log.
  if (code === 'eviction-ranking')
    facts.pods = (podList(fields.pods) ?? podList(text(fields.pods).replace(/,[^,]*$/, '')) ?? [])
      .map(({ pod }) => pod)
      .slice(0, 100);
  if (code === 'node-not-ready') Object.assign(facts, conditionOf(fields.condition));
  if (code === 'network-not-ready') facts.reason ??= /reason:(\w+)/.exec(error)?.[1] ?? 'NetworkPluginNotReady';
  if (code === 'image-gc-failed') {
    const bytes =
      /wanted to free (\d+) bytes, but freed (\d+) bytes|[Aa]ttempted to free (\d+) bytes, but only found (\d+) bytes/.exec(
        error,
      );
    if (bytes) [facts.wanted, facts.freed] = [Number(bytes[1] ?? bytes[3]), Number(bytes[2] ?? bytes[4])];
  }
}

function volumeFacts(facts: { [name: string]: Json }, error: string): void {
  const name = /for volume \\?"([^"\\]+)\\?"/.exec(error)?.[1];
  if (name) facts.volume ??= name;
  if (/VolumesInUse/.test(error)) facts.reason = 'not-in-use';
  else if (/context deadline exceeded|timed out waiting|timeout expired/.test(error)) facts.reason ??= 'timed-out';
}

/** Codes of a volume's operations, by the words of their errors. */
function volumeCode(error: string): SymptomCode {
  if (
    /(?:Unmount|Detach|Unmap)\w*(?:\.\w+)? (?:failed|failed for)|^Error: Unmount|UnmountVolume|UnmountDevice|DetachVolume|TearDown failed|^"?(?:Unmount|Detach|Unmap)/.test(
      error,
    )
  )
    return 'volume-not-released';
  return /AttachVolume|VerifyControllerAttachedVolume|not (?:yet |been )?(?:added to the list of VolumesInUse|in use|attached)|Multi-Attach|WaitForAttach|[Cc]ould not find attached|[Cc]annot find (?:Lun|disk)|[Ff]ailed to attach (?:disk|volume)|attach(?:ment)? timeout|attached to another/.test(
    error,
  )
    ? 'volume-not-attached'
    : 'volume-not-mounted';
}

/** Files that only ask the API server, whichever message they log. */
const ASKS_API = /^(?:reflector|controller|event|event_broadcaster|request|round_trippers|certificate_manager)\.go$/;

/** The trouble that a line of a kubelet reports; null if it reports none. */
export function troubleOf(found: Found, entry: LogEntry): Trouble | null {
  const { row, fields } = found;
  const { says } = row;
  if (says.is === 'kube-event') return eventTrouble(fields);
  if (says.is === 'node-event') return nodeEvent(fields);
  if (says.is === 'runtime-status') return runtimeStatus(fields);
  const symptom = row.symptom ?? (says.is === 'volume-failed' ? { code: 'volume-not-mounted' as const } : undefined);
  if (!symptom) return null;
  const raw = errorOf(found, entry);
  const error = unquoted(raw);
  // An error that a healthy kubelet logs, too, is not harmless if the kubelet exits because of it.
  const harmless =
    symptom.code !== 'kubelet-cannot-start' &&
    isHarmless(error) &&
    !error.startsWith('failed to "') &&
    !error.startsWith('[failed to "');
  const family =
    says.is === 'volume-failed' ? 'volume' : (row.family ?? (ASKS_API.test(entry.file) ? 'api' : 'runtime'));
  const cause: Cause | null = symptom.fixed || harmless ? null : causeOf(error, family);
  const kills = symptom.code === 'kill-failed' && cause?.code === 'call-timed-out';
  let code = kills ? 'kill-failed' : (cause?.code ?? symptom.code);
  if (code === null || (harmless && !symptom.fixed)) return null;
  if (family === 'volume' && code === 'volume-not-mounted' && !cause) code = volumeCode(error || entry.msg);
  const about = aboutOf(found, error, entry.msg);
  const facts: { [name: string]: Json } = {
    ...(error && { error: error.slice(0, LONGEST) }),
    ...factsOf(fields),
    ...symptom.facts,
    ...cause?.facts,
  };
  if (says.is === 'call-failed') facts.method ??= says.method;
  completed(code, facts, found, error);
  // Redaction finds a secret by the quotes of its key, so the text stays whole.
  if (QUOTED_KEY.test(raw)) facts.error = raw.slice(0, LONGEST);
  else if (typeof facts.error === 'string' && code !== 'kubelet-cannot-start') facts.error = innermost(facts.error);
  const container = cause?.container ?? about.container;
  return {
    code,
    ...(symptom.healed && { healed: true }),
    ...(about.pod && { pod: about.pod }),
    ...(about.uid && { uid: about.uid }),
    ...(about.name && { name: about.name }),
    ...(container && !isUid(container) && { container }),
    facts,
  };
}

/** The text of a line's error: its field, else the whole line of a part that has no row for it. */
function errorOf({ row, fields }: Found, { msg, structured }: LogEntry): string {
  const error = fields.err ?? fields.error ?? fields.networkReady ?? fields.containerMessage;
  if (typeof error === 'string' && error !== '')
    return row.area && msg !== 'Unhandled Error' ? `${msg}: ${error}` : error.replace(/^[ :]+/, '');
  if (Array.isArray(error)) return error.join(', ');
  if (isObject(error)) return JSON.stringify(error);
  return row.area || (!structured && fields.output === undefined) ? msg : '';
}

const NOT_READY = /(?<type>Runtime|Network)Ready(?:=false|","status":false),?"? ?(?:"?reason"?:"?(?<reason>[^,"\s]*))?/;
/** "Container runtime status": a condition of the runtime that is not met. */
function runtimeStatus(fields: Found['fields']): Trouble | null {
  const status =
    isObject(fields.status) || Array.isArray(fields.status) ? JSON.stringify(fields.status) : text(fields.status);
  const { type, reason } = NOT_READY.exec(status)?.groups ?? {};
  if (!type) return null;
  const message = /message"?:"?(.*?)(?:[,"\]}]|$)/.exec(status.slice(status.indexOf(`${type}Ready`)))?.[1];
  const facts = { ...(reason && { reason }), ...(message && { error: message.slice(0, LONGEST) }) };
  return { code: type === 'Network' ? 'network-not-ready' : 'runtime-down', facts };
}

function nodeEvent(fields: Found['fields']): Trouble | null {
  const known = NODE_EVENTS[text(fields.event)];
  if (!known) return null;
  const { type, status } = known;
  const node = text(fields.node).replace(/^"|"$/g, '');
  const facts = { ...(node && { node }), reason: text(fields.event) };
  if (type === 'Ready') return { code: 'node-not-ready', healed: status === 'True', facts };
  return { code: 'pressure', healed: status === 'False', facts: { ...facts, condition: type } };
}

/** Writes the record of a trouble. The pod is completed from earlier lines. */
export function writeTrouble(
  trouble: Trouble,
  program: string,
  writer: RecordWriter,
  uidOf: (pod: string) => string | undefined,
): Seq {
  const { code, healed, container, facts } = trouble;
  const uid = trouble.uid ?? (trouble.pod === undefined ? undefined : uidOf(trouble.pod));
  const pod = trouble.pod ?? (uid === undefined ? undefined : writer.pods.name(uid)) ?? trouble.name;
  return writer.write({
    kind: 'symptom',
    code,
    state: healed ? 'healed' : 'failing',
    program,
    ...(container && { container }),
    ...(pod && { pod }),
    ...(uid && { uid }),
    facts,
  });
}

/**
 * The one place where secrets are taken out of records before they leave the process: in streams, in recordings and in
 * the log. What holds one is known by where it stands: environments, registry credentials, headers, annotations but for
 * a kubelet's own, data of secrets and config maps, and what containers and their commands wrote. Whatever is left is
 * looked at for what has the look of a secret: values with a name that says so, tokens, private keys, URLs.
 */
import { base64Decode, parseCutJson, parseShallowJson } from '../base/index.js';
import { redacted } from '../cri/redact.js';
import type { Json, RecordOf, TraceRecord } from '../trace/index.js';
import { probeWords } from './container-output.js';
import { isSecretValue } from './named-values.js';
import { scrubText } from './scrub.js';
import { type NameKind, nameKind } from './secret-names.js';

type Fields = { readonly [key: string]: Json | undefined };

/** AuthConfig's fields that are secret. */
const authFields = new Set(['password', 'auth', 'identityToken', 'registryToken', 'username']);
/** The fields of ExecSync's answer. */
const outputs = new Set(['stdout', 'stderr']);
/** Fields that hold a credential wherever they stand; the last two are what device plug-ins give containers. */
const credentials = new Set([
  ...['token', 'bearerToken', 'password', 'authorization', 'clientKeyData', 'client-key-data'],
  ...['envValue', 'annotationValue'],
]);
/** Lists of `{key, value}` or `{name, value}` whose values are secret. */
const pairLists = new Set(['envs', 'env', 'Env', 'httpHeaders', 'headers']);
const maps = new Set(['Secret', 'ConfigMap']);
const mapFields = new Set(['data', 'stringData', 'binaryData']);

/** Annotations of kubelet and runtime. Others are a user's: kubectl keeps whole manifests in one. */
const ownAnnotation =
  /^(kubernetes\.io\/config\.|io\.kubernetes\.(container|pod|cri|cri-containerd)\.|container\.(seccomp|apparmor)\.)/;

const probeEvent = /^((?:Liveness|Readiness|Startup) probe (?:failed|warning|errored)[^:]*: )([\s\S]*)$/;
/** Lines of the log whose `message` is what a hook's command printed. */
const hookLog = /^Exec lifecycle hook /;
/** Reasons with which a message of a terminated container is the runtime's or the kubelet's own. */
const runtimeReasons = new Set(['StartError', 'ContainerCannotRun', 'ContainerStatusUnknown', 'RunContainerError']);
/** Shorter values of an environment are words like "1" and "yes", and stand everywhere. */
const shortestValue = 5;

/** Values that are known to be secret: values of Secrets, tokens, credentials. */
export interface SecretValues {
  /** The value without any of them in its texts; names of fields are left. */
  withoutAll(value: Json): Json;
}

/** The record without secrets. Copies only what it changes; never changes the record itself. */
export function redactRecord(record: TraceRecord): TraceRecord {
  return redactKind(redactValue(record as unknown as Json, '') as unknown as TraceRecord);
}

/**
 * Returns the record without what this kubelet knows to be secret, and without values in the places of secrets; the
 * output of probes, hooks and commands stays. So does the node's own log, which has what upstream's has.
 */
export function redactKnown(record: TraceRecord, known: SecretValues): TraceRecord {
  const made = redactValue(record as unknown as Json, '', true) as unknown as TraceRecord;
  const kept = made.kind === 'log' ? withoutSentHeaders(withoutGiven(made)) : withoutUnknownFields(made);
  // Whatever is secret, a record stays one of its kind.
  return { ...(known.withoutAll(kept as unknown as Json) as object), kind: record.kind } as TraceRecord;
}

const withoutSentHeaders = (record: RecordOf<'log'>): TraceRecord => ({
  ...record,
  msg: record.msg.replace(sentHeaders, `$1${redacted}`),
  kv: withoutHeaders(record.kv),
});

/** Lines in which stands what device plug-ins give containers, by fields. upstream: cm/devicemanager/pod_devices.go */
const givenByPlugins: ReadonlyMap<string, readonly string[]> = new Map([
  ['Environment variable has conflicting setting', ['expected', 'got']],
  ['Annotation has conflicting setting', ['expected', 'got']],
  // A plug-in's whole answer, in the logs of other kubelets.
  ['Get checkpoint entry', ['allocated']],
]);
function withoutGiven(record: RecordOf<'log'>): RecordOf<'log'> {
  const fields = (givenByPlugins.get(record.msg) ?? []).filter((name) => record.kv[name] !== undefined);
  if (fields.length === 0) return record;
  return { ...record, kv: { ...record.kv, ...Object.fromEntries(fields.map((name) => [name, redacted])) } };
}

/** Takes out what is secret only in records of one kind. */
function redactKind(record: TraceRecord): TraceRecord {
  switch (record.kind) {
    case 'probe':
      return probeWords.test(record.output) ? record : { ...record, output: redacted };
    case 'kube-event': {
      const message = eventMessage(record.message);
      return message === record.message ? record : { ...record, message };
    }
    case 'log': {
      const given = withoutGiven(record);
      if (given !== record) return given;
      const msg = isKeyLine(record) ? redacted : withoutAnswer(record.msg);
      if (msg !== record.msg) return { ...record, msg };
      const texts = withoutHeaders(record.kv);
      if (texts !== record.kv) return { ...record, kv: texts };
      const answered = withoutBody(record);
      if (answered !== record) return answered;
      const { output, message } = record.kv;
      const own = typeof output !== 'string' || probeWords.test(output);
      const said = typeof message !== 'string' ? message : hookLog.test(record.msg) ? redacted : eventMessage(message);
      if (own && said === message) return record;
      return {
        ...record,
        kv: { ...record.kv, ...(!own && { output: redacted }), ...(said !== message && { message: said }) },
      };
    }
    default:
      return withoutUnknownFields(record);
  }
}

function withoutUnknownFields(record: TraceRecord): TraceRecord {
  switch (record.kind) {
    case 'cri-call':
      return withUnknown(record, 'request');
    case 'cri-return':
    case 'runtime-answer':
      return withUnknown(record, 'response');
    case 'container-event':
      return withUnknown(record, 'event');
    default:
      return record;
  }
}

function withUnknown(record: TraceRecord, field: string): TraceRecord {
  const value = (record as unknown as Fields)[field];
  const made = value === undefined ? value : withoutUnknown(value);
  return made === value ? record : ({ ...record, [field]: made } as TraceRecord);
}

/**
 * Fields of another kubelet's messages that this program does not know stand under numbers: nobody knows what they
 * hold.
 */
function withoutUnknown(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const made = items.map(withoutUnknown);
    return made.some((one, i) => one !== items[i]) ? made : value;
  }
  let out: Record<string, Json | undefined> | null = null;
  for (const [name, one] of Object.entries(value as Fields)) {
    const made = /^\d+$/.test(name) ? redacted : one === undefined ? one : withoutUnknown(one);
    if (made === one) continue;
    out ??= { ...(value as Fields) };
    out[name] = made;
  }
  return out ?? value;
}

/** Lines in which a probe's answer stands, or the headers that were sent. upstream: pkg/probe exec.go, http.go */
const answers =
  /^(Exec probe response: |HTTP-Probe Headers: |Probe (?:succeeded|terminated redirects) for \S+, Response: |Probe failed for \S+ with request headers )[\s\S]+$/;
/** The headers that a probe sends, before what came back. */
const sentHeaders = /^(HTTP-Probe Headers: |Probe failed for \S+ with request headers ).+?(?=, response body: |$)/s;
const withoutAnswer = (msg: string): string =>
  msg === 'Exec probe response: ""' ? msg : msg.replace(answers, `$1${redacted}`);

/** The names under which log lines have the answer to a probe. */
const bodies = ['body', 'response', 'responseBody', 'start-of-body', 'stdout', 'stderr'];
function withoutBody(record: RecordOf<'log'>): RecordOf<'log'> {
  const fields = bodies.filter((name) => {
    const value = record.kv[name];
    return typeof value === 'string' && value !== redacted && !probeWords.test(value);
  });
  if (fields.length === 0 || !/probe|hook|exec/i.test(record.msg)) return record;
  return { ...record, kv: { ...record.kv, ...Object.fromEntries(fields.map((name) => [name, redacted])) } };
}

/**
 * A line of base64 and nothing else, as keys have them between their first line and their last: of a log each line is a
 * record.
 */
const keyLine =
  /^\s*(?=[A-Za-z0-9+/]*[a-z])(?=[A-Za-z0-9+/]*[A-Z])(?:(?=[A-Za-z0-9+/]*\d)[A-Za-z0-9+/]{16,80}|(?:[A-Za-z0-9+/]{4}){0,20}(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==))\s*$/;
/** A variable's value in YAML, below its name. */
const valueLine = /^\s*value: ?[^\s[]/;
function isKeyLine({ msg, kv }: RecordOf<'log'>): boolean {
  for (const _ in kv) return false;
  return (msg.length >= 6 && msg.length <= 100 && keyLine.test(msg)) || valueLine.test(msg);
}

/** The headers of a probe, whose names say enough. */
function withoutHeaders(kv: Fields): Fields {
  const { headers } = kv;
  if (headers === undefined || headers === null || headers === '' || headers === 'null' || headers === '[]') return kv;
  let value: Json = headers;
  try {
    if (typeof headers === 'string') value = parseShallowJson(headers) as Json;
  } catch {
    return { ...kv, headers: redacted };
  }
  const made = Array.isArray(value)
    ? redactItems(value as readonly Json[], true)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.keys(value).map((name) => [name, redacted]))
      : redacted;
  return { ...kv, headers: typeof headers === 'string' ? JSON.stringify(made) : made };
}

/** True for JSON as text, such as the patch of a status. */
const isJsonText = (text: string): boolean => {
  const first = text.charCodeAt(0);
  return (first === 123 && text[1] === '"') || (first === 91 && text.startsWith('[{"'));
};
function jsonText(text: string, said: boolean): string {
  let value: Json;
  // A value that is nested too deep to be looked at does not stay.
  let cut: boolean;
  try {
    ({ value, cut } = parseCutJson(text) as { readonly value: Json; readonly cut: boolean });
  } catch {
    return text;
  }
  const made = redactValue(value, '', said);
  return made === value && !cut ? text : JSON.stringify(made);
}

function eventMessage(message: string): string {
  const [, head = '', said = ''] = probeEvent.exec(message) ?? [];
  if (head !== '') return probeWords.test(said) ? message : `${head}${redacted}`;
  return message;
}

/** The fields next to an environment in which `$(NAME)` has been replaced by the variable's value. */
const expanded = new Set(['command', 'args', 'mounts', 'workingDir']);

/** The values of an environment that may also appear elsewhere, longest first. */
function valuesOf(envs: readonly Json[]): readonly string[] {
  const values = envs
    .map((env) => (env as Fields | null)?.value)
    .filter((value): value is string => typeof value === 'string')
    // The CRI has bytes there, which are base64 in JSON.
    .flatMap((value) => [value, base64Decode(value)])
    .filter((value) => value.length >= shortestValue);
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

function without(values: readonly string[], value: Json): Json {
  if (typeof value === 'string') return values.reduce((text, secret) => text.replaceAll(secret, redacted), value);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => without(values, item));
  if (typeof value !== 'object' || value === null) return value;
  const made = Object.entries(value as Fields).map(([k, v]) => [k, v === undefined ? v : without(values, v)]);
  return Object.fromEntries(made) as Fields;
}

// Every record passes here, most of them with nothing to hide: plain loops that allocate nothing then.

/** @param said what containers and their commands said stays */
function redactValue(value: Json, key: string, said = false): Json {
  // A name that stands twice is read once, so what looks whole is looked at as text, too.
  if (typeof value === 'string') return scrubText(isJsonText(value) ? jsonText(value, said) : value, said);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return redactItems(value as readonly Json[], pairLists.has(key), said);
  const fields = value as Fields;
  if (key === 'annotations') return redactAnnotations(fields);
  return redactFields(fields, key, said);
}

function redactItems(items: readonly Json[], pairs: boolean, said = false): readonly Json[] {
  let out: Json[] | null = null;
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Json;
    const made = pairs ? redactPair(item) : redactValue(item, '', said);
    if (made === item) continue;
    out ??= [...items];
    out[i] = made;
  }
  return out ?? items;
}

function redactFields(fields: Fields, key: string, said: boolean): Fields {
  const ofMap = typeof fields.kind === 'string' && maps.has(fields.kind);
  const { envs } = fields;
  const values = Array.isArray(envs) ? valuesOf(envs as readonly Json[]) : [];
  let out: Record<string, Json | undefined> | null = null;
  for (const name in fields) {
    let field = fields[name];
    if (field === undefined || field === '') continue;
    if (values.length > 0 && expanded.has(name)) field = without(values, field);
    const made =
      isSecret(key, name, field, said) || (ofMap && mapFields.has(name))
        ? redacted
        : !said && name === 'message' && saidByContainer(key, fields)
          ? redacted
          : redactValue(field, name, said);
    if (made === fields[name]) continue;
    out ??= { ...fields };
    out[name] = made;
  }
  return out ?? fields;
}

/** Returns true if field `name` of the map at `key` is secret. */
function isSecret(key: string, name: string, field: Json, said: boolean): boolean {
  if (key === 'auth' && authFields.has(name)) return true;
  if (typeof field !== 'string') return isSecretMap(name, field);
  // Under `info` is the runtime's own dump of a container, as JSON in a text: the whole environment is in it.
  if (key === 'info' && field.startsWith('{')) return true;
  const kind = fieldKind(name);
  if (kind === 'none') return false;
  return kind === 'output' ? !said : kind === 'credential' || isSecretValue(field, kind, name);
}

type FieldKind = NameKind | 'output' | 'credential';
/** Names of fields are few; those of a stranger's log are forgotten beyond that. */
const MOST_NAMES = 4096;
const fieldKinds = new Map<string, FieldKind>();
function fieldKind(name: string): FieldKind {
  const before = fieldKinds.get(name);
  if (before !== undefined) return before;
  const kind = outputs.has(name) ? 'output' : credentials.has(name) ? 'credential' : nameKind(name);
  if (fieldKinds.size >= MOST_NAMES) fieldKinds.clear();
  fieldKinds.set(name, kind);
  return kind;
}

/**
 * Returns true for a map of texts, as a driver of volumes is given its secrets; an object of Kubernetes has other
 * fields.
 */
function isSecretMap(name: string, field: Json): boolean {
  if (typeof field !== 'object' || field === null || !name.endsWith('ecrets') || Array.isArray(field)) return false;
  const fields = field as Fields;
  if ('name' in fields || 'namespace' in fields || 'kind' in fields || 'key' in fields) return false;
  const values = Object.values(fields);
  return values.length > 0 && values.every((value) => typeof value === 'string');
}

/** The `message` of a container that has ended is what it wrote to its termination log, or the end of its log. */
const saidByContainer = (key: string, { reason, exitCode }: Fields): boolean =>
  key === 'terminated' && exitCode !== undefined && !runtimeReasons.has(String(reason));

/** Redacts `{key, value}` as in CRI, or `{name, value}` as in a pod: names are not secrets. */
function redactPair(item: Json): Json {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return redacted;
  const { value } = item as Fields;
  return typeof value === 'string' && value !== '' ? { ...(item as Fields), value: redacted } : item;
}

function redactAnnotations(annotations: Fields): Fields {
  let out: Record<string, Json | undefined> | null = null;
  for (const name in annotations) {
    const value = annotations[name];
    if (value === undefined || value === '' || ownAnnotation.test(name)) continue;
    out ??= { ...annotations };
    out[name] = redacted;
  }
  return out ?? annotations;
}

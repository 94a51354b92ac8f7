/** Any text of manifests as what the simulated node can run. */
import { base64Decode, isObject } from '../../base/index.js';
import {
  checkManifest,
  cleanPod,
  type DroppedField,
  looksObserved,
  ManifestText,
  type Problem,
  parsePath,
  pathText,
  type References,
} from '../../manifest/index.js';
import { yamlText } from '../document/yaml-text.js';
import { podOfController, replicasOf, templateOf } from './controllers.js';
import { documentsOf, field, type Loose, listOf, type PlacedObject, textOf } from './documents.js';
import type { Note, NoteCode } from './notes.js';

export interface WorkloadOptions {
  readonly nodeName: string;
  /** The node has an API server: pods that refer to objects go there. */
  readonly api: boolean;
  /**
   * How a ConfigMap or Secret is treated that a pod needs and the text does not have: made-up values and empty folders
   * replace it (default), or it is missing, as in a cluster that does not have it. Needs `api`.
   */
  readonly absent?: 'pretend' | 'missing';
}

/** A pod of a pasted text. */
export interface WorkloadPod {
  readonly name: string;
  readonly namespace: string;
  /** Named after the pod. */
  readonly file: string;
  /** The manifest as this node can run it. */
  readonly text: string;
  /** It goes to the API server: it refers to objects that a static pod may not. */
  readonly api: boolean;
  /** The object that it was made of. */
  readonly origin: { readonly kind: string; readonly name: string };
  /** The object as JSON, before anything was left out. */
  readonly pod: Loose;
  readonly dropped: readonly DroppedField[];
}

/** A ConfigMap or Secret of a pasted text. */
export interface WorkloadObject {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly namespace: string;
  readonly value: Loose;
}

/** The result of reading a text. */
export interface Workload {
  /**
   * `pod`: one manifest of a pod, which is applied as it is written. `workload`: something else that has pods.
   * `nothing`: it has none.
   */
  readonly kind: 'pod' | 'workload' | 'nothing';
  readonly pods: readonly WorkloadPod[];
  readonly objects: readonly WorkloadObject[];
  /** In the order of the text. */
  readonly notes: readonly Note[];
  /** All of them at once, each where it is in the text. */
  readonly problems: readonly Problem[];
  /** It is what kubectl prints of a cluster: a scenario can be made of it. */
  readonly observed: boolean;
}

const objectKinds: readonly string[] = ['ConfigMap', 'Secret'];

/** Reads what somebody pasted. Throws nothing, whatever the text is. */
export function readWorkload(text: string, options: WorkloadOptions): Workload {
  return new WorkloadReader(text, options).read();
}

class WorkloadReader {
  private readonly notes: Note[] = [];
  private readonly problems: Problem[] = [];
  private readonly objects: WorkloadObject[] = [];
  private readonly pods: WorkloadPod[] = [];
  private readonly texts = new Map<string, ManifestText>();
  /** Names of pods by the object that they use: `ConfigMap default/web`. */
  private readonly users = new Map<string, string[]>();

  constructor(
    private readonly text: string,
    private readonly options: WorkloadOptions,
  ) {}

  read(): Workload {
    const { text } = this;
    const documents = documentsOf(text);
    this.notes.push(...documents.notes);
    this.problems.push(...documents.problems);
    const rest: PlacedObject[] = [];
    const placed = new Map<WorkloadObject, PlacedObject>();
    for (const o of documents.objects) {
      const object = objectOf(o.value);
      if (object) {
        this.objects.push(object);
        placed.set(object, o);
      } else rest.push(o);
    }
    if (documents.objects.length + this.notes.length + this.problems.length === 0) this.note('empty', 0, {}, true);
    for (const o of rest) this.take(o);
    for (const [object, o] of placed) {
      const from = this.placeOf(o);
      const pods = this.users.get(keyOf(object.kind, object.namespace, object.name));
      const { kind, name } = object;
      if (pods) this.note('object', from, { kind, name, pods: pods.join(', ') });
      else this.note('unused', from, { kind, name });
    }
    this.notes.sort((a, b) => a.from - b.from || rank(a) - rank(b));
    this.problems.sort((a, b) => a.from - b.from);
    const { pods, objects, notes, problems } = this;
    const kind = this.onePod(documents.objects) ? 'pod' : pods.length > 0 ? 'workload' : 'nothing';
    return { kind, pods, objects, notes, problems, observed: looksObserved(text) };
  }

  /** Returns true for a single Pod that needs no change: it is applied as it stands, with its comments. */
  private onePod(objects: readonly PlacedObject[]): boolean {
    const [first] = objects;
    return (
      objects.length === 1 &&
      first?.path.length === 0 &&
      first.value.kind === 'Pod' &&
      this.pods.every((p) => p.dropped.length === 0 && !p.api) &&
      this.notes.length === 0
    );
  }

  private note(code: NoteCode, from: number, params: Record<string, string>, refusal = false): void {
    this.notes.push({ code, params, from, refusal });
  }

  private take(o: PlacedObject): void {
    const { value } = o;
    const from = this.placeOf(o);
    const kind = textOf(value.kind);
    const name = textOf(field(value.metadata, 'name')) || textOf(field(value.metadata, 'generateName'));
    const group = textOf(value.apiVersion);
    if (kind === '') {
      this.note(unknownSort(value), from, {}, true);
      return;
    }
    if (group.startsWith('syncloop.dev/')) {
      this.note('scenario', from, {}, true);
      return;
    }
    if (kind === 'Kustomization' || kind === 'Component') {
      this.note('kustomize', from, {}, true);
      return;
    }
    if (kind === 'Pod') {
      this.takePod(o, value, [], name);
      return;
    }
    const template = templateOf(value);
    if (!template) {
      const code = generated.includes(kind) ? 'notGenerated' : 'leftOut';
      this.note(code, from, { kind, name: name || '-', apiVersion: group });
      return;
    }
    const [made, ...others] = Array.from({ length: replicasOf(value) }, (_, i) => podOfController(value, template, i));
    if (!made) return;
    if (name === '') this.missing(o, ['metadata', 'name']);
    if (made.pod.spec === undefined) this.missing(o, [...template, 'spec']);
    if (name === '' || made.pod.spec === undefined) return;
    const pod = this.takePod(o, made.pod, template, name);
    if (pod === null) return;
    const more = others.map((other) => this.takeReplica(o, other.pod, name));
    const params = { kind, name, pod: [pod, ...more].join(', '), fields: made.leftOut.join(', ') };
    const many = more.length > 0 ? 'Many' : '';
    this.note(made.leftOut.length > 0 ? `controller${many}` : `controllerOnly${many}`, from, params);
    if (made.claims.length > 0) this.note('claims', from, { name, claims: made.claims.join(', ') });
  }

  /** The pod's name; null if it does not run here. */
  private takePod(o: PlacedObject, pod: Loose, template: readonly (string | number)[], name: string): string | null {
    const kind = textOf(o.value.kind);
    const from = this.placeOf(o);
    const origin = { kind, name };
    if (forWindows(pod.spec)) {
      this.note('windows', from, { kind, name });
      return null;
    }
    const namespace = textOf(field(pod.metadata, 'namespace')) || 'default';
    const { known, unknown } = this.references(pod, namespace);
    const missing = this.options.api && this.options.absent === 'missing' && unknown.length > 0;
    // A controller is an object of the API server, and so are its pods.
    const api = this.options.api && (known.length > 0 || missing || kind !== 'Pod');
    const observed = template.length === 0 && hasClusterFields(pod);
    const own = textOf(field(pod.metadata, 'name')) || name.replace(/-+$/, '');
    // A pod that needs nothing from elsewhere is applied as it is written.
    const asItIs = kind === 'Pod' && !observed && known.length + unknown.length === 0 && !refersToMore(pod.spec);
    this.check(o, pod, template, asItIs);
    const cleaned = asItIs
      ? { name: own, text: o.path.length === 0 ? withLineEnds(o.text) : yamlText(pod), dropped: [] }
      : cleanPod(pod, this.cleaning(namespace, api));
    const file = this.freeFile(cleaned.name || 'pod');
    this.pods.push({ ...cleaned, namespace, file, api, origin, pod });
    for (const ref of known) {
      const key = keyOf(ref.kind, namespace, ref.name);
      this.users.set(key, [...(this.users.get(key) ?? []), cleaned.name]);
    }
    const names = (refs: readonly Reference[]) => refs.map((r) => `${r.kind} ${r.name}`).join(', ');
    if (known.length > 0) this.note(api ? 'references' : 'inline', from, { pod: cleaned.name, objects: names(known) });
    if (unknown.length > 0)
      this.note(missing ? 'missing' : 'absent', from, { pod: cleaned.name, objects: names(unknown) });
    return cleaned.name;
  }

  /** Another pod of a controller. But for its name it is the first, so nothing more is noted about it. */
  private takeReplica(o: PlacedObject, pod: Loose, name: string): string {
    const notes = this.notes.length;
    const problems = this.problems.length;
    const made = this.takePod(o, pod, [], name) ?? '';
    const last = this.pods.pop();
    if (last) this.pods.push({ ...last, dropped: [] });
    this.notes.length = notes;
    this.problems.length = problems;
    return made;
  }

  private freeFile(name: string): string {
    let file = `${name}.yaml`;
    for (let n = 2; this.pods.some((p) => p.file === file); n++) file = `${name}-${n}.yaml`;
    return file;
  }

  private cleaning(namespace: string, api: boolean): References {
    return {
      found: api ? 'keep' : 'inline',
      data: (kind, name) => {
        const found = this.object(kind, namespace, name);
        if (found) return dataOf(found);
        return api && this.options.absent === 'missing' ? {} : null;
      },
    };
  }
  private object(kind: string, namespace: string, name: string): WorkloadObject | null {
    return this.objects.find((o) => o.kind === kind && o.name === name && o.namespace === namespace) ?? null;
  }

  /** ConfigMaps and Secrets that a pod refers to, those of the text and others; not the ones that may be absent. */
  private references(pod: Loose, namespace: string): { known: Reference[]; unknown: Reference[] } {
    const known: Reference[] = [];
    const unknown: Reference[] = [];
    for (const ref of referencesOf(pod.spec)) {
      const there = this.object(ref.kind, namespace, ref.name) !== null;
      const into = there ? known : unknown;
      if (there || !ref.optional) if (!into.some((r) => r.kind === ref.kind && r.name === ref.name)) into.push(ref);
    }
    return { known, unknown };
  }

  // --- problems --------------------------------------------------------------------------------------------------

  private manifest(o: PlacedObject): ManifestText {
    const key = `${o.from}`;
    const known = this.texts.get(key);
    if (known) return known;
    const made = new ManifestText(o.text);
    this.texts.set(key, made);
    return made;
  }

  /** The offset at which an object begins: its document, or its item of a list. */
  private placeOf(o: PlacedObject): number {
    return o.path.length === 0 ? o.from : this.manifest(o).rangeOf(o.path).from + o.from;
  }

  private missing(o: PlacedObject, path: readonly (string | number)[]): void {
    const range = this.manifest(o).rangeOf([...o.path, ...path]);
    this.problems.push({
      from: range.from + o.from,
      to: range.to + o.from,
      severity: 'error',
      code: 'required',
      params: { field: pathText(path) },
      path: pathText([...o.path, ...path]),
    });
  }

  /** Adds the pod's problems, each at its place in the controller's manifest. */
  private check(o: PlacedObject, pod: Loose, template: readonly (string | number)[], asItIs: boolean): void {
    const { nodeName } = this.options;
    // References that are replaced or dropped are reported with the fields that are left out.
    const reportedElsewhere = ({ code, severity }: Problem) =>
      code === 'reference' || (!asItIs && (severity === 'info' || code === 'noPlugin'));
    if (o.path.length === 0 && template.length === 0) {
      const found = checkManifest(o.text, { file: 'pod.yaml', nodeName });
      for (const p of found)
        if (!reportedElsewhere(p)) this.problems.push({ ...p, from: p.from + o.from, to: p.to + o.from });
      return;
    }
    const manifest = this.manifest(o);
    for (const problem of checkManifest(JSON.stringify(pod), { file: 'pod.yaml', nodeName })) {
      if (reportedElsewhere(problem)) continue;
      const path = parsePath(problem.path);
      const inside = path[0] === 'spec' || (path[0] === 'metadata' && path[1] !== 'name');
      const place = [...o.path, ...(inside ? template : []), ...path];
      const key = problem.code === 'unknown' || problem.code === 'unknownNear' || problem.code === 'twice';
      const range = manifest.rangeOf(place, key);
      this.problems.push({
        ...problem,
        from: range.from + o.from,
        to: range.to + o.from,
        path: pathText(place),
      });
    }
  }
}

/** Sorts notes: the fate of an object comes before the notes on its pod. */
const rank = ({ code }: Note): number =>
  code === 'tabs' ? 0 : code.startsWith('controller') ? 1 : code === 'claims' ? 2 : 3;

/** Kinds of other projects that make pods without a template. */
const generated = [
  'Workflow',
  'CronWorkflow',
  'PipelineRun',
  'TaskRun',
  'Cluster',
  'Prometheus',
  'Alertmanager',
  'Kafka',
];

/** Guesses what a map without a kind is. */
function unknownSort(value: Loose): NoteCode {
  const services = field(value, 'services');
  if (isObject(services) && Object.values(services).some((s) => isObject(s) && ('image' in s || 'build' in s)))
    return 'compose';
  if ('resources' in value && Array.isArray(value.resources)) return 'kustomize';
  if ('replicaCount' in value || (isObject(value.image) && 'repository' in value.image)) return 'values';
  return 'noKind';
}

const keyOf = (kind: string, namespace: string, name: string): string => `${kind} ${namespace}/${name}`;

function objectOf(value: Loose): WorkloadObject | null {
  const kind = textOf(value.kind);
  const name = textOf(field(value.metadata, 'name'));
  if (!objectKinds.includes(kind) || name === '' || value.apiVersion !== 'v1') return null;
  const namespace = textOf(field(value.metadata, 'namespace')) || 'default';
  return { kind: kind as WorkloadObject['kind'], name, namespace, value };
}

/** The data of a ConfigMap or Secret as texts. */
function dataOf({ kind, value }: WorkloadObject): Readonly<Record<string, string>> {
  const out: [string, string][] = [];
  for (const [key, text] of Object.entries(isObject(value.data) ? value.data : {}))
    out.push([key, kind === 'Secret' ? decoded(textOf(text)) : textOf(text)]);
  for (const [key, text] of Object.entries(isObject(value.stringData) ? value.stringData : {}))
    out.push([key, textOf(text)]);
  return Object.fromEntries(out);
}
function decoded(text: string): string {
  try {
    return base64Decode(text.trim());
  } catch {
    return '';
  }
}

interface Reference {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly optional: boolean;
}

function referencesOf(spec: unknown): Reference[] {
  const out: Reference[] = [];
  const add = (kind: Reference['kind'], name: unknown, holder: unknown) => {
    if (typeof name === 'string' && name !== '') out.push({ kind, name, optional: field(holder, 'optional') === true });
  };
  const pair = (holder: unknown, configMap: string, secret: string) => {
    add('ConfigMap', field(field(holder, configMap), 'name'), field(holder, configMap));
    add('Secret', field(field(holder, secret), 'name'), field(holder, secret));
  };
  for (const list of ['initContainers', 'containers'])
    for (const c of listOf(field(spec, list))) {
      for (const e of listOf(field(c, 'env'))) pair(field(e, 'valueFrom'), 'configMapKeyRef', 'secretKeyRef');
      for (const e of listOf(field(c, 'envFrom'))) pair(e, 'configMapRef', 'secretRef');
    }
  for (const v of listOf(field(spec, 'volumes'))) {
    add('ConfigMap', field(field(v, 'configMap'), 'name'), field(v, 'configMap'));
    add('Secret', field(field(v, 'secret'), 'secretName'), field(v, 'secret'));
    const sources = listOf(field(field(v, 'projected'), 'sources'));
    // The volume of a service account's token goes as a whole.
    if (sources.some((s) => field(s, 'serviceAccountToken') !== undefined)) continue;
    for (const s of sources) pair(s, 'configMap', 'secret');
  }
  return out;
}

/** Returns true if a spec has references besides ConfigMaps and Secrets that a static pod may not have. */
function refersToMore(spec: unknown): boolean {
  return (
    textOf(field(spec, 'serviceAccountName')) !== '' ||
    textOf(field(spec, 'serviceAccount')) !== '' ||
    listOf(field(spec, 'imagePullSecrets')).length > 0 ||
    listOf(field(spec, 'volumes')).some((v) =>
      ['persistentVolumeClaim', 'ephemeral', 'csi', 'glusterfs'].some((k) => field(v, k) !== undefined),
    )
  );
}

function hasClusterFields(pod: Loose): boolean {
  const status = pod.status;
  return (
    (isObject(status) && Object.keys(status).length > 0) ||
    ['managedFields', 'resourceVersion', 'ownerReferences', 'creationTimestamp', 'uid'].some(
      (k) => (field(pod.metadata, k) ?? null) !== null,
    )
  );
}

function forWindows(spec: unknown): boolean {
  const selector = field(spec, 'nodeSelector');
  return (
    field(field(spec, 'os'), 'name') === 'windows' ||
    field(selector, 'kubernetes.io/os') === 'windows' ||
    field(selector, 'beta.kubernetes.io/os') === 'windows'
  );
}

const withLineEnds = (text: string): string => text.replaceAll('\r\n', '\n');

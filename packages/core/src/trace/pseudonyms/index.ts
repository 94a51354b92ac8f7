/**
 * Pseudonyms: a recording without the names of its owner's node. All records are looked at first, and then written with
 * each name replaced, the same by the same; names that Kubernetes has in every cluster stay.
 */
import type { RecordingInfo } from '../recording/header.js';
import type { Json, TraceRecord } from '../records.js';
import type { NodeState } from '../state/state.js';
import { Ids } from './ids.js';
import { categoryOf, isLabels, keysAre, type Place, type Role, roleOf } from './roles.js';
import { Scanner } from './scanner.js';
import { commonLabels, commonWords, isOwnKey, wellKnownNames } from './words.js';

/** Texts that precede a container's name, even if the name is also an ordinary word. */
const CONTAINER_TEXTS = [
  ...['container ', 'Container ', 'container: ', 'container=', 'containerName="', 'status: ['],
  ...['containers{', 'initContainers{', 'ephemeralContainers{', 'Name:'],
  // Unquoted, and within a text that is quoted once.
  ...['', '\\'].flatMap((quote) => [`Name${quote}":${quote}"`, `name${quote}":${quote}"`, `for ${quote}"`]),
];

const HOST_IN_TEXT = /(?:https?:\/\/|\blookup )([A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9])/g;
const OBJECT_IN_TEXT = /\b(configmap|secret|persistentvolumeclaim|serviceaccount) \\*"([a-z0-9][a-z0-9.-]*)\\*"/g;
const WITH_NAMESPACE =
  /\b(configmap|secret|persistentvolumeclaim|serviceaccount)s? \\*"?([a-z0-9][a-z0-9.-]*)\/([a-z0-9][a-z0-9.-]*)/g;
/** A reflector of one object. */
const REFLECTOR = /object-\\*"([^"\\]+)\\*"\/\\*"([^"\\]+)\\*"/g;
/** A manifest is called as what is in it. */
const MANIFEST_IN_TEXT = /(?:^|\/)([A-Za-z0-9][A-Za-z0-9._-]*)\.(?:ya?ml|json)\b/g;
/** Environment that a kubelet makes of a service. */
const OF_SERVICE = /^([A-Z][A-Z0-9_]*?)_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_\w+)?)$/;

/** Values within one another; deeper ones, in a hostile file, are left out. */
const DEEPEST = 200;
const TOO_DEEP = '… (too deep)';
/** Nodes of one recording whose static pods are looked for. */
const MOST_NODES = 16;

/** A key that is a field's name: it stays. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;
const OWN = { configurable: true, enumerable: true, writable: true };
/** The meaning of an object's keys. */
type KeyRole = 'field' | 'label' | 'image' | 'volume';

/** Learns names with `look`, and replaces them with `record`, `info` and `state` after that. */
export class Pseudonyms {
  private readonly categories = new Map<string, string>();
  private readonly hosts = new Set<string>();
  private readonly images = new Set<string>();
  private readonly pods = new Set<string>();
  /** Keys of fields: whoever has such a name has it where a field says that it is a name. */
  private words = new Set<string>(commonWords);
  /** The keys of each object, and whether they are fields for certain. */
  private readonly shapes = new Map<string, boolean>();
  /** Values and keys of labels, and files. */
  private readonly others = new Map<string, string>();
  private depth = 0;
  private readonly ids = new Ids();
  private made: { readonly names: ReadonlyMap<string, string>; readonly scanner: Scanner } | null = null;
  /** Most texts of a run are the same as others. */
  private readonly texts = new Map<string, string>();

  /** Takes the names of a record. */
  look(record: TraceRecord): void {
    this.made = null;
    this.walk(record as unknown as Json, null, false);
  }

  lookAtInfo(info: RecordingInfo): void {
    this.made = null;
    if (info.node !== '') this.learn('node', info.node);
  }

  lookAtState(state: NodeState): void {
    this.made = null;
    this.walk(state as unknown as Json, { key: '', object: {}, above: null }, false);
  }

  /** The record with pseudonyms; its kind, its times and what it refers to are as before. */
  record(record: TraceRecord): TraceRecord {
    return this.walk(record as unknown as Json, null, true) as unknown as TraceRecord;
  }

  /** Drops the run of a simulation: that would have the names, and would not be this run without them. */
  info<I extends RecordingInfo>({ run: _, ...info }: I): Omit<I, 'run'> {
    const { node, title } = info;
    return { ...info, title: this.text(title), node: node === '' ? '' : this.nameOf(node) };
  }

  state(state: NodeState): NodeState {
    return this.walk(state as unknown as Json, { key: '', object: {}, above: null }, true) as unknown as NodeState;
  }

  /** Counts the names of each category that are replaced: "pod" 2. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const made of new Set(this.pseudonyms.names.values())) {
      const category = /^([A-Za-z]+)[-_]\d+$/.exec(made)?.[1];
      if (category) counts.set(category, (counts.get(category) ?? 0) + 1);
    }
    return counts;
  }

  // ---------------------------------------------------------------------------------------------------------- walking

  /** `above` null: a record itself. Replaces, or learns and returns the value as it is. */
  private walk(value: Json, above: Place | null, replacing: boolean, element = false): Json {
    if (typeof value === 'string') {
      if (!above) return value;
      if (replacing) return this.replaced(value, above);
      this.learnValue(value, above);
      return value;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (this.depth > DEEPEST) return replacing ? TOO_DEEP : value;
    this.depth++;
    const made = this.walkInto(value, above, replacing, element);
    this.depth--;
    return made;
  }

  private walkInto(value: object, above: Place | null, replacing: boolean, element: boolean): Json {
    if (Array.isArray(value)) {
      const made = value.map((one) => this.walk(one, above && { ...above, element: true }, replacing, true));
      return (replacing ? made : value) as Json;
    }
    const object = value as { readonly [key: string]: Json };
    const keys = Object.keys(object);
    const schema = above === null || above.key === 'kv' || above.key === '';
    const keyRole: KeyRole = isLabels(above) ? 'label' : (!element && above && keysAre(above.key)) || 'field';
    const shape = keys.join(' ');
    if (!replacing && keyRole === 'field') this.shapes.set(shape, schema || (this.shapes.get(shape) ?? false));
    const named = replacing && !schema && areNames(keys, this.pseudonyms.names);
    const made: { [key: string]: Json } = {};
    for (const [key, inner] of Object.entries(object)) {
      const now = this.walk(inner, { key, object, above }, replacing);
      if (!replacing) this.learnKey(key, keyRole);
      // Keys are own ones, whatever they are.
      else Object.defineProperty(made, named ? this.nameOf(key) : this.key(key, keyRole), { ...OWN, value: now });
    }
    return (replacing ? made : value) as Json;
  }

  private learnKey(key: string, role: KeyRole): void {
    if (role === 'image') this.learnImage(key);
    else if (role === 'volume') this.learn(role, key);
    else if (role === 'label' && !isOwnKey(key) && !commonLabels.has(key)) this.learn(role, key);
    else if (!IDENTIFIER.test(key)) this.learnText(key);
  }

  private key(key: string, role: KeyRole): string {
    if (role === 'image') return this.image(key);
    if (role === 'volume') return this.nameOf(key);
    if (role === 'label') return isOwnKey(key) || commonLabels.has(key) ? key : this.nameOf(key);
    return IDENTIFIER.test(key) && !/^[0-9a-f]{32}$/.test(key) ? key : this.text(key);
  }

  private learnValue(value: string, place: Place): void {
    const role = roleOf(value, place);
    if (value === '' || role.is === 'keep') return;
    if (role.is === 'name') this.learn(role.category, value);
    else if (role.is === 'pod') this.learnPod(value);
    else if (role.is === 'image') this.learnImage(value);
    else if (role.is === 'host') this.hosts.add(value);
    else this.learnText(value);
    const { key, object, above } = place;
    // A watch's: the object's kind, and its name with its namespace.
    if (key === 'name' && typeof object.object === 'string') {
      const [namespace, name] = value.split('/');
      if (namespace && name) {
        this.learn('namespace', namespace);
        this.learn(categoryOf(object.object.toLowerCase()), name);
      }
    }
    // The pod that a sandbox or an object of the API is.
    if (key === 'name' && typeof object.namespace === 'string' && (above?.key === 'metadata' || 'kind' in object))
      if (role.is === 'name' && role.category === 'pod') this.pods.add(`${object.namespace}/${value}`);
    if (key === 'uid' && !/^([0-9a-f]{32}|[0-9a-f]{8}-)/.test(value)) this.learn('uid', value);
    if (key === 'key' && above?.key === 'envs') {
      const [, service] = OF_SERVICE.exec(value) ?? [];
      if (service !== undefined && service !== 'KUBERNETES') this.learn('SERVICE', service);
    }
    this.ids.learn(value);
  }

  private replaced(value: string, place: Place): string {
    const role: Role = place.key === 'uid' ? { is: 'text' } : roleOf(value, place);
    if (role.is === 'keep' || value === '') return value;
    if (role.is === 'name' || role.is === 'host') return this.nameOf(value);
    if (role.is === 'pod' && /^[a-z0-9.-]+(\/[a-z0-9.-]+)?$/.test(value))
      return value.split('/').map(this.nameOf).join('/');
    return role.is === 'image' ? this.image(value) : this.text(value);
  }

  // --------------------------------------------------------------------------------------------------------- learning

  private learn(category: string, name: string): void {
    if (isWellKnown(name) || this.categories.has(name)) return;
    // A name that turns out to be an object's name is not counted among these.
    if (!['value', 'label', 'manifest'].includes(category)) this.categories.set(name, category);
    else if (!/^(true|false|\d*)$/.test(name) && !commonWords.has(name)) this.others.set(name, category);
  }

  private learnPod(pod: string): void {
    const [, namespace, name] = /^([a-z0-9.-]+)\/([a-z0-9.-]+)$/.exec(pod) ?? [];
    const [, older, of] = /^([a-z0-9.-]+)_([a-z0-9.-]+)\(/.exec(pod) ?? [];
    if (namespace && name) {
      this.learn('namespace', namespace);
      this.learn('pod', name);
      this.pods.add(pod);
    } else if (older && of) this.learnPod(`${of}/${older}`);
    else if (/^[a-z0-9.-]+$/.test(pod)) this.learn('pod', pod);
    else this.learnText(pod);
  }

  private learnImage(image: string): void {
    const { repository } = partsOf(image);
    if (repository !== '' && !isOwnImage(repository)) this.images.add(repository);
  }

  private learnText(text: string): void {
    for (const [, found] of text.matchAll(HOST_IN_TEXT)) if (found && !/^[\d.]+$/.test(found)) this.hosts.add(found);
    for (const [, name] of text.matchAll(MANIFEST_IN_TEXT)) if (name) this.learn('manifest', name);
    for (const [, kind = '', name = ''] of text.matchAll(OBJECT_IN_TEXT)) this.learn(categoryOf(kind), name);
    for (const [, kind = '', namespace = '', name = ''] of text.matchAll(WITH_NAMESPACE)) {
      this.learn('namespace', namespace);
      this.learn(categoryOf(kind), name);
    }
    for (const [, namespace = '', name = ''] of text.matchAll(REFLECTOR)) {
      this.learn('namespace', namespace);
      this.learn('object', name);
    }
    this.ids.learn(text);
  }

  // -------------------------------------------------------------------------------------------------------- replacing

  private get pseudonyms() {
    this.made ??= this.make();
    return this.made;
  }

  private readonly nameOf = (name: string): string =>
    isWellKnown(name) ? name : (this.pseudonyms.names.get(name) ?? this.text(name));

  private text(text: string): string {
    const before = this.texts.get(text);
    if (before !== undefined) return before;
    const made = this.pseudonyms.scanner.replace(text, (rest) => this.ids.replace(rest));
    if (this.texts.size > 20_000) this.texts.clear();
    if (text.length < 2_000) this.texts.set(text, made);
    return made;
  }

  private image(image: string): string {
    const { repository, rest } = partsOf(image);
    const made = this.pseudonyms.names.get(repository);
    return made === undefined ? this.text(image) : made + this.ids.replace(rest);
  }

  private make() {
    this.texts.clear();
    const names = new Map<string, string>();
    const numbers = new Map<string, number>();
    const next = (category: string) => {
      const n = (numbers.get(category) ?? 0) + 1;
      numbers.set(category, n);
      return `${category}${category === 'SERVICE' ? '_' : '-'}${n}`;
    };
    const of = (category: string, name: string): string => {
      if (isWellKnown(name)) return name;
      const known = names.get(name);
      if (known !== undefined) return known;
      const made = next(category);
      names.set(name, made);
      return made;
    };
    const all = [...this.categories];
    const nodes = all.flatMap(([name, category]) => (category === 'node' ? [name] : []));
    for (const node of nodes) {
      const made = of('node', node);
      // Its first label, too: that is what it is called if there is no domain.
      const short = node.split('.')[0] as string;
      if (short !== node && !/^\d+$/.test(short) && !names.has(short)) names.set(short, made);
    }
    const hosts = nodes.slice(0, MOST_NODES);
    for (const [name, category] of all) {
      // A static pod is its manifest's name and the node's.
      const node = category === 'pod' ? hosts.find((one) => name.endsWith(`-${one}`)) : undefined;
      const base = node && name.slice(0, -node.length - 1);
      if (node && base) names.set(name, `${of('pod', base)}-${of('node', node)}`);
      else of(category, name);
    }
    for (const host of this.hosts)
      if (!names.has(host) && !isWellKnown(host) && host !== 'k8s.io') hostOf(host, names, next);
    for (const repository of this.images) imageOf(repository, names, of);
    for (const [value, category] of this.others) of(category, value);
    this.words = new Set(commonWords);
    for (const [shape, certain] of this.shapes) {
      const keys = shape.split(' ');
      if (certain || !areNames(keys, names)) for (const key of keys) if (IDENTIFIER.test(key)) this.words.add(key);
    }
    return { names, scanner: this.scannerOf(names) };
  }

  private scannerOf(names: ReadonlyMap<string, string>): Scanner {
    const scanner = new Scanner();
    for (const [name, made] of names) {
      if (!this.isWord(name)) scanner.add(name, made);
      else if (this.categories.get(name) === 'container' || this.categories.get(name) === 'pod')
        for (const before of CONTAINER_TEXTS) scanner.add(before + name, before + made);
    }
    for (const pod of this.pods) {
      const [namespace = '', name = ''] = pod.split('/', 2);
      const of = (one: string) => names.get(one) ?? one;
      if (!this.isWord(name) && (isWellKnown(namespace) || !this.isWord(namespace))) continue;
      for (const joint of ['/', '_']) scanner.add(`${namespace}${joint}${name}`, `${of(namespace)}${joint}${of(name)}`);
      scanner.add(`${name}_${namespace}`, `${of(name)}_${of(namespace)}`);
    }
    return scanner;
  }

  /** True if a name looks like other words of a text: then it is replaced only where it must be a name. */
  private isWord(name: string): boolean {
    return (
      name.length < 3 || /^[0-9a-f]*$/.test(name) || (/^\d/.test(name) && !/[a-z]/i.test(name)) || this.words.has(name)
    );
  }
}

/** True if an object maps names, for example of containers, to values: then it has no keys but these. */
const areNames = (keys: readonly string[], names: ReadonlyMap<string, string>): boolean =>
  keys.every((key) => names.has(key)) && keys.some((key) => !commonWords.has(key));

const isWellKnown = (name: string): boolean => name === '' || wellKnownNames.has(name);

/** True for images of Kubernetes' own registry. */
const isOwnImage = (repository: string): boolean => repository.startsWith('registry.k8s.io/');

/** Returns `registry/path` and `:tag@digest` of an image; no repository if it is only a digest. */
function partsOf(image: string): { readonly repository: string; readonly rest: string } {
  const path = image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  const repository = /^(sha256|[0-9a-f]{64})$/.test(path) || !/^[A-Za-z0-9]/.test(path) ? '' : path;
  return { repository, rest: image.slice(repository.length) };
}

/**
 * Makes the pseudonyms of an image's registry and of the rest; that of docker.io stays, for an image is the same
 * without it.
 */
function imageOf(repository: string, names: Map<string, string>, of: (category: string, name: string) => string): void {
  const [first = '', ...others] = repository.split('/');
  const isRegistry = others.length > 0 && /[.:]|^localhost$/.test(first);
  const path = isRegistry ? others.join('/') : repository;
  const inLibrary = isRegistry && first === 'docker.io' && path.startsWith('library/');
  const image = inLibrary ? `library/${of('image', path.slice('library/'.length))}` : of('image', path);
  if (!isRegistry) return;
  const registry = isWellKnown(first) ? first : of('registry', first);
  names.set(repository, `${registry}/${image}`);
}

/** Gives a host the pseudonym of its node. */
function hostOf(host: string, names: Map<string, string>, next: (category: string) => string): void {
  const node = names.get(host.split('.')[0] as string);
  if (/(^|\.)(cluster\.local|svc|k8s\.io|kubernetes\.io|docker\.io)$/.test(host)) return;
  names.set(host, node ? `${node}.test` : `${next('host')}.test`);
}

/** Controllers, and the pod that each would make. */
import { FNV32_OFFSET, fnv32aText, isObject } from '../../base/index.js';
import { field, type Loose, listOf, textOf } from './documents.js';

/** The pod of a controller's template. */
export interface MadePod {
  /** A Pod as JSON, with the template's labels and the controller's. */
  readonly pod: Loose;
  /** The path of the pod's metadata and spec in the controller's manifest; empty if the object is a Pod itself. */
  readonly template: readonly (string | number)[];
  /** Fields of the controller that mean nothing without it. */
  readonly leftOut: readonly string[];
  /** Names of volumeClaimTemplates. */
  readonly claims: readonly string[];
}

/** upstream: apimachinery pkg/util/rand alphanums, which spell no words. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const hash = (text: string): number => fnv32aText(text, FNV32_OFFSET) >>> 0;
/** upstream: rand.SafeEncodeString */
const encoded = (text: string): string => [...text].map((c) => alphabet[c.charCodeAt(0) % alphabet.length]).join('');
/** The five letters behind a generated name, the same for the same text. */
function suffix(text: string): string {
  let n = hash(`suffix ${text}`);
  let out = '';
  for (let i = 0; i < 5; i++) {
    out += alphabet[n % alphabet.length];
    n = Math.floor(n / alphabet.length);
  }
  return out;
}
/** upstream: names.SimpleNameGenerator leaves room for what it puts behind. */
const longestBase = 58;

/** The path of each kind's template; other kinds that have spec.template with containers are accepted as well. */
const jobTemplate = ['spec', 'jobTemplate', 'spec', 'template'];
const usual = ['spec', 'template'];

const at = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((v, key) => field(v, String(key)), value);

/** Kinds whose pods are made from a template. */
export const controllers: readonly string[] = [
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'PodTemplate',
];

/** The path of the object's pod template; null if it has none. */
export function templateOf(object: Loose): readonly string[] | null {
  const kind = textOf(object.kind);
  if (kind === 'CronJob') return jobTemplate;
  if (kind === 'PodTemplate') return ['template'];
  if (controllers.includes(kind)) return usual;
  return isObject(at(object, [...usual, 'spec'])) && Array.isArray(at(object, [...usual, 'spec', 'containers']))
    ? usual
    : null;
}

/** Kinds that keep up a number of pods. */
const replicated = ['Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet'];
/** The most pods of one controller that are made here. */
export const mostReplicas = 20;

/** The number of pods that a controller asks for; at least one, as there would be nothing to see. */
export function replicasOf(object: Loose): number {
  const n = at(object, ['spec', 'replicas']);
  if (!replicated.includes(textOf(object.kind)) || typeof n !== 'number') return 1;
  return Math.min(Math.max(Math.floor(n), 1), mostReplicas);
}

/** The pod that a controller would make of its template, under the name that it would give its `ordinal`th. */
export function podOfController(object: Loose, template: readonly string[], ordinal = 0): MadePod {
  const kind = textOf(object.kind);
  const own =
    textOf(field(object.metadata, 'name')) || textOf(field(object.metadata, 'generateName')).replace(/-+$/, '');
  const namespace = field(object.metadata, 'namespace');
  const { name, labels, annotations, spec: more } = identity(kind, own, object, ordinal);
  const metadata = at(object, [...template, 'metadata']);
  const spec = at(object, [...template, 'spec']);
  const claims = listOf(at(object, ['spec', 'volumeClaimTemplates'])).map((c) => textOf(at(c, ['metadata', 'name'])));
  const volumes = [
    ...listOf(field(spec, 'volumes')).filter((v) => !claims.includes(textOf(field(v, 'name')))),
    ...claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: `${claim}-${name}` } })),
  ];
  const allLabels = { ...(field(metadata, 'labels') as object), ...labels };
  const allAnnotations = { ...(field(metadata, 'annotations') as object), ...annotations };
  const onTop = kind === 'CronJob' ? at(object, ['spec', 'jobTemplate', 'spec']) : object.spec;
  return {
    template,
    claims,
    leftOut: [
      ...(kind === 'CronJob' ? Object.keys((object.spec as object | undefined) ?? {}) : []),
      ...(isObject(onTop) ? Object.keys(onTop) : []),
    ].filter(
      (key) =>
        !['template', 'jobTemplate', 'selector', 'volumeClaimTemplates'].includes(key) &&
        !(key === 'replicas' && at(object, ['spec', 'replicas']) === replicasOf(object)),
    ),
    pod: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        ...(namespace !== undefined && { namespace }),
        ...(Object.keys(allLabels).length > 0 && { labels: allLabels }),
        ...(Object.keys(allAnnotations).length > 0 && { annotations: allAnnotations }),
      },
      ...(isObject(spec)
        ? { spec: { ...more, ...spec, ...(volumes.length > 0 && { volumes }) } }
        : spec !== undefined && { spec }),
    },
  };
}

interface Identity {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Loose;
}

/** Name and labels as the controller gives them. upstream: pkg/controller */
function identity(kind: string, own: string, object: Loose, ordinal: number): Identity {
  if (own === '') return { name: '', labels: {} };
  const namespace = textOf(field(object.metadata, 'namespace')) || 'default';
  const key = `${kind} ${namespace}/${own}`;
  const generated = (base: string) =>
    `${base.slice(0, longestBase)}-${suffix(`${key} ${base}${ordinal > 0 ? ` ${ordinal}` : ''}`)}`;
  switch (kind) {
    case 'Deployment': {
      const template = encoded(String(hash(key)));
      return { name: generated(`${own}-${template}`), labels: { 'pod-template-hash': template } };
    }
    case 'DaemonSet':
      return {
        name: generated(own),
        labels: { 'controller-revision-hash': encoded(String(hash(key))), 'pod-template-generation': '1' },
      };
    case 'StatefulSet': {
      const index = (Number(at(object, ['spec', 'ordinals', 'start']) ?? 0) || 0) + ordinal;
      const name = `${own}-${index}`;
      const service = textOf(at(object, ['spec', 'serviceName']));
      return {
        name,
        labels: {
          'apps.kubernetes.io/pod-index': String(index),
          'controller-revision-hash': `${own}-${encoded(String(hash(key)))}`.slice(0, 63),
          'statefulset.kubernetes.io/pod-name': name,
        },
        spec: { hostname: name, ...(service !== '' && { subdomain: service }) },
      };
    }
    case 'Job':
      return jobIdentity(own, object.spec, generated);
    case 'CronJob':
      // The Job is named by the minute it was due.
      return jobIdentity(
        `${own}-${29_000_000 + (hash(key) % 900_000)}`,
        at(object, ['spec', 'jobTemplate', 'spec']),
        generated,
      );
    default:
      return { name: generated(own), labels: {} };
  }
}

function jobIdentity(job: string, spec: unknown, generated: (base: string) => string): Identity {
  const labels = { 'batch.kubernetes.io/job-name': job, 'job-name': job };
  if (field(spec, 'completionMode') !== 'Indexed') return { name: generated(job), labels };
  const index = 'batch.kubernetes.io/job-completion-index';
  return { name: generated(`${job}-0`), labels: { ...labels, [index]: '0' }, annotations: { [index]: '0' } };
}

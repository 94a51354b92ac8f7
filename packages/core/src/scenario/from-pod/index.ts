import type { Container, PodSpec } from '../../api/types.js';
import { parseReference } from '../../mock/images/images.js';
import { ScenarioError } from '../document/errors.js';
import { parseScenario } from '../document/parse.js';
import { scenarioAPIVersion } from '../document/scenario.js';
import { yamlText } from '../document/yaml-text.js';
import { type ObservedPod, readObjects } from './objects.js';
import { cleanSpec } from './spec.js';
import { type Item, type Story, tellStory } from './story.js';

export interface ScenarioFromPodOptions {
  /** Default: the name of the first pod. */
  readonly name?: string;
  /** Default: 1. */
  readonly seed?: number;
}

/** Annotations that say where a pod came from, and others that mean nothing here. */
const droppedAnnotations =
  /^(kubectl\.kubernetes\.io\/|kubernetes\.io\/config\.|cni\.projectcalico\.org\/|k8s\.v1\.cni\.cncf\.io\/|k8s\.ovn\.org\/|openshift\.io\/|deprecated\.daemonset)/;

/**
 * A scenario, as YAML, out of what `kubectl get pods,events -o yaml` prints: pods, alone or in a List, with events
 * if there are some. Programs stand in for what the containers did, as their statuses and events tell it; what the
 * node does not have is left out, and comments say so. Throws a ScenarioError if the text has no pod that could run.
 */
export function scenarioFromPod(text: string, options: ScenarioFromPodOptions = {}): string {
  const { pods, others } = readObjects(text);
  const first = pods[0] as ObservedPod;
  const name = options.name ?? nameOf(first.name);
  const sections: string[] = [];
  const expect: Item[] = [];
  const images = new Map<string, { story: Story; container: Container; pod: ObservedPod }[]>();
  let anyApi = false;
  for (const pod of pods) {
    const story = tellStory(pod);
    const { spec, notes } = cleanSpec(pod, story.keepsRefs, story.keepsVolumes);
    withPrograms(spec, story);
    for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
      const users = images.get(container.image ?? '') ?? [];
      users.push({ story, container, pod });
      images.set(container.image ?? '', users);
    }
    anyApi ||= !pod.static;
    sections.push(
      comment([`${pod.namespace}/${pod.name}${pod.static ? ', a static pod' : ''}`, ...notes, ...story.notes], 4),
      steps(story.before),
      steps([{ apply: manifestOf(pod, spec) }]),
      steps(story.after),
    );
    expect.push(...story.expect);
  }
  const { present, registry } = imagesOf(images);
  const out = [
    `apiVersion: ${scenarioAPIVersion}\nkind: Scenario\n`,
    yamlText({ metadata: { name, title: { en: `As ${first.name} was`, zh: `重现 ${first.name}` } } }),
    ...(others.length > 0 ? [comment([`left out: ${others.join(', ')}`], 0)] : []),
    'spec:\n',
    indent(
      yamlText({
        ...(options.seed !== undefined && { seed: options.seed }),
        node: { fileCheckFrequency: '1s', ...(anyApi && { apiServer: true }) },
        ...(present.length > 0 && { images: present }),
        ...(registry.length > 0 && { registry }),
      }),
      2,
    ),
    '  steps:\n',
    ...sections,
    steps([{ wait: '2s' }]),
    ...(expect.length > 0 ? [yamlText({ expect: unique(expect) })] : []),
  ].join('');
  try {
    parseScenario(out, `${name}.yaml`);
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    throw new ScenarioError(`the pod cannot be made a scenario: ${error.message}`);
  }
  return out;
}

const nameOf = (pod: string): string => pod.replaceAll('.', '-').slice(0, 63).replace(/-+$/, '') || 'pod';

function withPrograms(spec: PodSpec, story: Story): void {
  for (const c of [...spec.containers, ...(spec.initContainers ?? [])]) {
    const command = story.commands.get(c.name);
    if (!command) continue;
    c.command = [...command];
    delete c.args;
    // The stand-in has no folder but its own.
    delete c.workingDir;
  }
}

/** The images that are on the node, and those in the registry; others exist nowhere. */
function imagesOf(images: ReadonlyMap<string, { story: Story; container: Container; pod: ObservedPod }[]>): {
  present: Item[];
  registry: Item[];
} {
  const present: Item[] = [];
  const registry: Item[] = [];
  for (const [ref, users] of images) {
    if (!parseReference(ref)) continue;
    const answer = users.map((u) => u.story.answers.get(ref)).find((a) => a !== undefined);
    if (answer !== undefined) {
      registry.push({ ref, answer });
      continue;
    }
    if (users.some((u) => u.story.absent.has(ref))) continue;
    const events = users.flatMap((u) => u.pod.events).filter((e) => e.message.includes(`"${ref}"`));
    const size = Number(/Image size: (\d+) bytes/.exec(events.map((e) => e.message).join('\n'))?.[1] ?? 0);
    // Programs of a real image that must not be root are not.
    const nonRoot = users.some(({ container, pod }) => {
      const own = { ...pod.spec.securityContext, ...container.securityContext };
      return own.runAsNonRoot === true && own.runAsUser === undefined;
    });
    const image = {
      ref,
      ...(size > 0 && size < 2 ** 40 && { size }),
      ...(nonRoot && { user: '65532' }),
      programs: 'busybox',
    };
    registry.push({ ...image, answer: 'serve' });
    const pulled = events.some((e) => e.reason === 'Pulling' || /Successfully pulled/.test(e.message));
    if (!pulled) present.push(image);
  }
  return { present, registry };
}

function manifestOf(pod: ObservedPod, spec: PodSpec): object {
  const annotations = Object.fromEntries(Object.entries(pod.annotations).filter(([k]) => !droppedAnnotations.test(k)));
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: pod.name,
      namespace: pod.namespace,
      ...(Object.keys(pod.labels).length > 0 && { labels: pod.labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec,
  };
  return pod.static ? manifest : { to: 'api', manifest };
}

const unique = (list: readonly Item[]): Item[] => {
  const seen = new Set<string>();
  return list.filter((item) => {
    const key = JSON.stringify(item);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
};

const indent = (text: string, n: number): string => text.replace(/^(?=.)/gm, ' '.repeat(n));
const steps = (list: readonly Item[]): string => (list.length === 0 ? '' : indent(yamlText(list), 4));
const comment = (lines: readonly string[], n: number): string =>
  lines.map((line) => `${' '.repeat(n)}# ${line.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 300)}\n`).join('');

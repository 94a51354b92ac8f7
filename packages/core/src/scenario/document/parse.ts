import { messageOf } from '../../base/index.js';
import type { KubeletConfig } from '../../kubelet/config.js';
import { availableEras, defaultEra } from '../../kubelet/era/index.js';
import { parseThresholdConfig } from '../../kubelet/eviction/thresholds.js';
import { signals } from '../../kubelet/eviction/types.js';
import { validateFeatureGates } from '../../kubelet/features.js';
import { erasOfPart, type PartName } from '../../kubelet/parts/index.js';
import {
  about,
  anyText,
  atLeast,
  custom,
  duration,
  flag,
  list,
  matching,
  object,
  oneOf,
  optional,
  Reader,
  record,
  refine,
  type Schema,
  type Shape,
  text,
  texts,
  whole,
} from '../../shape/index.js';
import { generatedSource, YamlSource } from './document.js';
import { readingScenario } from './errors.js';
import { scenarioGroups } from './groups.js';
import { instant } from './instant.js';
import { contentName } from './name.js';
import { calls, lives } from './parse-container-scripts.js';
import { devicePlugins } from './parse-devices.js';
import { expectationSchema, expectedList, pattern } from './parse-expectation.js';
import { images, registry } from './parse-image.js';
import { machine } from './parse-machine.js';
import { parts } from './parse-parts.js';
import { parseStep, stepSchema } from './parse-steps.js';
import { runSection } from './run-section.js';
import {
  firstScenarioAPIVersion,
  type LocalText,
  type RecordPattern,
  type Scenario,
  scenarioAPIVersion,
} from './scenario.js';

const second = 1_000_000;
const period = (least: number) => atLeast(least, duration);

/** Texts by signal, such as {memory.available: 100Mi}. Mistakes in them are reported when the node is made. */
const bySignal: Shape<Record<string, string>> = custom(
  { type: 'object', additionalProperties: { type: 'string' } },
  (r) => {
    const fields = r.fields(Object.keys(signals));
    return Object.fromEntries(
      Object.keys(fields).map((name) => {
        const text = r.at(name).string();
        return [name, text];
      }),
    );
  },
);
const shutdownByPriority = list(
  object({ priority: whole(-(2 ** 31), 2 ** 31 - 1), shutdownGracePeriodSeconds: whole(0, 86_400) }),
);
const percent = whole(0, 100);
const folder = matching(/^(\/[^/]{1,255})+$/, 'an absolute path such as /etc/kubernetes/manifests');
const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/**
 * Settings by the names that a KubeletConfiguration file has for them; `nodeName` stands for the flag
 * hostname-override.
 */
const settings = {
  nodeName: matching(/^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$/, 'a node name of small letters, digits, - and .'),
  emulatedVersion: about(
    'The version whose rules apply, as far as they are known to differ. Default: 1.36.',
    matching(/^1\.(2[1-9]|3[0-6])$/, 'a version from 1.21 to 1.36'),
  ),
  syncFrequency: about('Default: 1m.', period(second)),
  fileCheckFrequency: about('Default: 20s.', period(second / 10)),
  httpCheckFrequency: about('Default: 20s.', period(second / 10)),
  runtimeRequestTimeout: about('Default: 2m.', period(second / 10)),
  maxPods: about('Default: 110.', whole(0, 10_000)),
  cgroupDriver: about('Default: cgroupfs.', oneOf('cgroupfs', 'systemd')),
  cgroupsPerQOS: about('Default: true.', flag),
  clusterDNS: about('[] for none. Default: 10.96.0.10; in v1alpha1: none.', texts),
  clusterDomain: about('Default: cluster.local; in v1alpha1: none.', anyText),
  serializeImagePulls: about('Default: true.', flag),
  maxParallelImagePulls: whole(1, 1000),
  registryPullQPS: about('Default: 5.', whole(0, 10_000)),
  registryBurst: about('Default: 10.', whole(1, 10_000)),
  seccompDefault: about('Default: false.', flag),
  maxContainerRestartPeriod: about('Longest back-off between restarts. Default: 5m.', period(second)),
  constants: about(
    "Constants of the kubelet's source, to see what another value would do.",
    object({
      genericPlegRelistPeriod: optional(about('Default: 1s.', period(second / 10))),
      plegChannelCapacity: optional(about('Default: 1000.', whole(1, 100_000))),
      initialCrashLoopBackOff: optional(about('Default: 10s.', period(second / 10))),
    }),
  ),
  containerLogMaxSizeBytes: about('Default: 10 Mi.', whole(1024, 2 ** 40)),
  containerLogMaxFiles: about('Default: 5.', whole(2, 1000)),
  evictionHard: about(
    'Default: memory.available 100Mi, nodefs.available 10%, imagefs.available 15%, inodes 5%.',
    bySignal,
  ),
  evictionSoft: bySignal,
  evictionSoftGracePeriod: bySignal,
  evictionMinimumReclaim: bySignal,
  evictionPressureTransitionPeriod: about('Default: 5m.', duration),
  evictionMaxPodGracePeriod: about('Seconds. Default: 0.', whole(0, 86_400)),
  mergeDefaultEvictionSettings: about('Default: false.', flag),
  localStorageCapacityIsolation: about('Default: true.', flag),
  imageGCHighThresholdPercent: about('Default: 85.', percent),
  imageGCLowThresholdPercent: about('Default: 80.', percent),
  imageMinimumGCAge: about('Default: 2m.', duration),
  imageMaximumGCAge: about('0: images never become too old. Default: 0.', duration),
  shutdownGracePeriod: about('The time that all pods have in total when the node shuts down. Default: 0.', duration),
  shutdownGracePeriodCriticalPods: about('The part of it that is for critical pods. Default: 0.', duration),
  shutdownGracePeriodByPodPriority: shutdownByPriority,
  rootDirectory: about('Default: /var/lib/kubelet.', folder),
  podLogsDir: about('Default: /var/log/pods.', folder),
  staticPodPath: about('Default: /etc/kubernetes/manifests.', folder),
  staticPodURL: about(
    'A URL that pods are read from; the step manifestURL says what it serves. Default: none.',
    matching(/^https?:\/\/[a-z0-9.-]{1,253}(:\d{1,5})?(\/[^?#\s]*)?$/, 'a URL such as http://manifests.example/pods'),
  ),
  cgroupRoot: text,
  enforceNodeAllocatable: about('Default: pods.', texts),
  failCgroupV1: about('Do not start on a machine with cgroup v1. Default: true.', flag),
  kubeReserved: record(text),
  systemReserved: record(text),
  podsPerCore: about('Default: 0, which means no bound but maxPods.', whole(0, 10_000)),
  podPidsLimit: about('-1 means no limit. Default: -1.', whole(-1)),
  cpuCFSQuota: about('Default: true.', flag),
  cpuCFSQuotaPeriod: about('Default: 100ms.', duration),
  allowedUnsafeSysctls: texts,
  imagePullCredentialsVerificationPolicy: about(
    'Default: NeverVerifyPreloadedImages.',
    oneOf('NeverVerify', 'NeverVerifyPreloadedImages', 'NeverVerifyAllowlistedImages', 'AlwaysVerify'),
  ),
  preloadedImagesVerificationAllowlist: texts,
  registerNode: about('Default: true.', flag),
  registerWithTaints: list(object({ key: text, value: optional(anyText), effect: oneOf(...taintEffects) })) as Shape<
    KubeletConfig['registerWithTaints']
  >,
  nodeLabels: record(anyText),
  nodeStatusUpdateFrequency: about('Default: 10s.', period(second / 10)),
  nodeStatusReportFrequency: about('Default: 5m.', period(second / 10)),
  nodeStatusMaxImages: about('-1 for all. Default: 50.', whole(-1, 10_000)),
  nodeLeaseDurationSeconds: about('Default: 40.', whole(1, 86_400)),
  kubeAPIQPS: about('Default: 50.', whole(0, 100_000)),
  kubeAPIBurst: about('Default: 100.', whole(0, 100_000)),
  eventRecordQPS: about('Default: 50.', whole(0, 100_000)),
  eventBurst: about('Default: 100.', whole(0, 100_000)),
  featureGates: record(flag),
} satisfies { readonly [K in keyof KubeletConfig]?: Shape<KubeletConfig[K]> };
type Settings = { readonly [K in keyof typeof settings]?: KubeletConfig[K] };

/** The settings that every cluster's installer gives its nodes. A kubelet without them complains about each pod. */
const clusterDefaults: Settings = { clusterDNS: ['10.96.0.10'], clusterDomain: 'cluster.local' };

const node = object({
  ...(Object.fromEntries(Object.entries(settings).map(([k, s]) => [k, optional(s as Shape<unknown>)])) as object),
  apiServer: optional(about('The node belongs to a cluster: there is an API server. Default: false.', flag)),
});

const localText: Shape<LocalText> = custom(
  {
    anyOf: [
      { type: 'string', minLength: 1 },
      {
        type: 'object',
        properties: { en: text.schema, zh: text.schema },
        required: ['en'],
        additionalProperties: false,
      },
    ],
  },
  (r) => {
    if (typeof r.value === 'string') return { en: r.value, zh: r.value };
    const { en, zh = en } = object({ en: text, zh: optional(text) }).read(r);
    return { en, zh };
  },
);

/** The place of a scenario or a lesson within its group; the smallest number comes first. */
export const placeInGroup = about('Its position within the group.', whole(0, 10_000));

const metadata = object({
  name: contentName,
  group: optional(about('The group that lists it.', oneOf(...scenarioGroups))),
  order: optional(placeInGroup),
  title: optional(localText),
  summary: optional(localText),
});

/** `firstStep` stands for the record of whatever the scenario does first. */
const openAt: Shape<RecordPattern> = custom({ anyOf: [{ const: 'firstStep' }, pattern.schema] }, (r) => {
  if (r.value === 'firstStep') return { kind: 'input' };
  if (typeof r.value === 'string')
    throw r.error(`it is "${r.value.slice(0, 80)}"`, 'write firstStep, or a record as { kind: input }');
  return pattern.read(r);
});

const expect = optional(about('What must hold when the steps are over.', expectedList));
const spec = object({
  era: optional(about('The version of the kubelet that runs. Default: v1.36.', oneOf(...availableEras))),
  seed: optional(about('Default: 1.', whole(0, 2 ** 32 - 1))),
  startAt: optional(about('The wall clock at the start, to the microsecond. Default: 2026-01-01T00:00:00Z.', instant)),
  startKubelet: optional(
    about('false: the kubelet does not run before a step starts it, and the first step comes at once.', flag),
  ),
  continueOnError: optional(
    about('true: the steps go on after one that failed. Default: a failed step is the last.', flag),
  ),
  node: optional(node),
  machine: optional(about('The machine and its container runtime.', machine)),
  images: optional(images),
  registry: optional(registry),
  devicePlugins: optional(
    about(
      'Device plug-ins of the node; an empty list if steps add them. Default: the node cannot have any.',
      devicePlugins,
    ),
  ),
  parts: optional(
    about('Code in place of parts of the kubelet, by the name of the part. It needs an interpreter.', parts),
  ),
  lives: optional(about('What containers do, whatever their images and commands are.', lives)),
  calls: optional(about('How long calls to the runtime take, and how they fail.', calls)),
  openAt: optional(
    about(
      'A session that opens the scenario begins after the decision of the first such record. Default: before the start.',
      openAt,
    ),
  ),
  steps: list(custom({ $ref: '#/$defs/step' }, parseStep)),
});

/** Gates of an older version are checked when its kubelet is made, whose code may not be there yet. */
const specWithGates = refine(spec, ({ era = defaultEra, node: settings, parts: replaced }, r) => {
  for (const part of Object.keys(replaced ?? {}) as PartName[]) {
    const eras = erasOfPart(part);
    if (eras.includes(era)) continue;
    throw r
      .at('parts')
      .at(part)
      .error(`${part} of ${era} cannot be replaced`, `set era to ${eras.join(' or ')}, or leave the part out`);
  }
  const { featureGates = {} } = (settings ?? {}) as Settings;
  const [wrong] = era === defaultEra ? validateFeatureGates(featureGates) : [];
  if (wrong === undefined) return;
  const name = Object.keys(featureGates).find((n) => wrong.includes(n));
  const gates = r.at('node').at('featureGates');
  throw (name === undefined ? gates : gates.at(name)).error(wrong, 'leave it out', name !== undefined);
});

const scenarioFile = object({
  apiVersion: oneOf(scenarioAPIVersion, firstScenarioAPIVersion),
  kind: oneOf('Scenario'),
  metadata,
  spec: specWithGates,
  expect,
  run: optional(about('What was done in the run that the scenario was made from.', runSection)),
});

/** The schema of a scenario, JSON Schema 2020-12. It is made of what reads one. */
export function scenarioSchema(): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Scenario',
    description: 'A simulated node and what happens to it.',
    ...scenarioFile.schema,
    $defs: { step: stepSchema, expectation: expectationSchema() },
  };
}

/**
 * A scenario from its YAML or JSON text. Throws a ScenarioError: `file:line:col: path: what is wrong; remedy`.
 * `file` is what messages call it.
 */
export function parseScenario(source: string, file = 'scenario.yaml'): Scenario {
  return readingScenario(() => {
    const yaml = new YamlSource(source, file);
    return scenarioOf(Reader.of(yaml.value, yaml), source, file);
  });
}

/**
 * A scenario from a document that this program generated: JSON of the same shape as a scenario's file. Strangers' texts
 * go through {@link parseScenario}, which limits them. `text` is what the scenario's file would be. Throws a
 * ScenarioError: `path: what is wrong; remedy`.
 */
export function generatedScenario(document: unknown, text: string): Scenario {
  return readingScenario(() => scenarioOf(Reader.of(document, generatedSource), text, ''));
}

function scenarioOf(root: Reader, source: string, file: string): Scenario {
  const read = scenarioFile.read(root);
  const { name, title = { en: read.metadata.name, zh: read.metadata.name } } = read.metadata;
  const { era, seed = 1, startAt, startKubelet = true, images: onNode = [], registry: answers = [], steps } = read.spec;
  const plugins = read.spec.devicePlugins ?? (steps.some((s) => s.action.verb === 'devicePlugin') ? [] : undefined);
  const { lives: living = [], calls: scripted = [], machine: onMachine = {}, openAt } = read.spec;
  const { apiServer = false, ...given } = (read.spec.node ?? {}) as Settings & { apiServer?: boolean };
  const config: Settings = { ...(read.apiVersion !== firstScenarioAPIVersion && clusterDefaults), ...given };
  const { imageGCHighThresholdPercent: high = 85, imageGCLowThresholdPercent: low = 80 } = config;
  if (low >= high)
    throw root
      .at('spec')
      .at('node')
      .error(`imageGCLowThresholdPercent, ${low}, must be less than imageGCHighThresholdPercent, ${high}`, 'lower it');
  try {
    parseThresholdConfig(config);
  } catch (error) {
    throw root.at('spec').at('node').error(messageOf(error), 'correct the eviction thresholds');
  }
  return {
    name,
    title,
    summary: read.metadata.summary ?? { en: '', zh: '' },
    ...(era && era !== defaultEra && { era }),
    seed,
    node: config,
    apiServer,
    ...(startAt !== undefined && { startAt }),
    startKubelet,
    ...(read.spec.continueOnError === true && { continueOnError: true }),
    ...(plugins && { devicePlugins: plugins }),
    ...(read.spec.parts && { parts: read.spec.parts }),
    lives: living,
    calls: scripted,
    machine: onMachine,
    images: onNode,
    registry: answers,
    steps,
    ...(openAt && { openAt }),
    expect: read.expect ?? [],
    ...(read.run && { run: read.run }),
    text: source,
    file,
  };
}

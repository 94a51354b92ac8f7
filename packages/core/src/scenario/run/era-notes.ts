import { parseManifest } from '../../api/yaml.js';
import type { KubeletConfig } from '../../kubelet/config.js';
import { type EraVersion, loadedEra } from '../../kubelet/era/index.js';
import type { FeatureConfig } from '../../kubelet/features.js';
import type { Action, LocalText, Scenario } from '../document/scenario.js';

/** Something of a scenario that a version of the kubelet cannot do. */
export interface EraNote {
  /** A field of a pod that it leaves out, a gate that it does not have, a step that has no effect. */
  readonly what: 'field' | 'gate' | 'step';
  /** The field, the gate, or the step: `startupProbe`, `EventedPLEG`, `shutdown`. */
  readonly name: string;
  /** The owner of the field: the pod by its name in the manifest, its container. */
  readonly pod?: string;
  readonly container?: string;
  /** Index of the first step of the scenario with it; absent: the node's configuration. */
  readonly step?: number;
  /** The first version that knows it, such as `v1.16`; absent if the gates of v1.36 do not show it. */
  readonly since?: string;
  /** The first version in which it works by default; absent if it does in none. */
  readonly on?: string;
  /** The gate that keeps it off in a version that knows it. */
  readonly gate?: string;
  readonly text: LocalText;
}

const asVersion = (minor: number) => `v1.${minor}`;

/** Steps that need a part of the kubelet that came later. */
const steps: readonly {
  readonly name: string;
  readonly since: number;
  readonly on: number;
  readonly is: (action: Action) => boolean;
  readonly text: LocalText;
}[] = [
  {
    name: 'shutdown',
    since: 20,
    on: 21,
    is: ({ verb }) => verb === 'shutdown' || verb === 'cancelShutdown',
    text: {
      en: 'the step shutdown: {version} does not hold up a shutdown of its node to end pods first; v{on} and later do',
      zh: '步骤 shutdown：{version} 不会为了先结束 Pod 而推迟节点关机；v{on} 起才会',
    },
  },
  {
    name: 'resize',
    since: 27,
    on: 33,
    is: (action) => action.verb === 'edit' && changesResources(action.patch),
    text: {
      en: 'the step edit of resources: {version} cannot resize a running container; v{on} and later do so by default',
      zh: '修改 resources 的步骤：{version} 不能就地调整运行中的容器；v{on} 起默认可以',
    },
  },
];

function changesResources(patch: object): boolean {
  const containers = (patch as { spec?: { containers?: unknown } | null }).spec?.containers;
  return Array.isArray(containers) && containers.some((c) => typeof c === 'object' && c !== null && 'resources' in c);
}

/**
 * Lists what `version`, which must be loaded, cannot do of a scenario, in the order of its steps. Empty: it can do all.
 */
export function eraNotes(scenario: Scenario, version: EraVersion): readonly EraNote[] {
  const { fields, config } = loadedEra(version).rules;
  if (!fields) return [];
  const gates: FeatureConfig = { featureGates: {}, ...scenario.node, ...config };
  const notes = new Map<string, EraNote>();
  const add = (key: string, note: EraNote) => {
    if (!notes.has(key)) notes.set(key, note);
  };
  for (const name of unknownGates(gates)) add(name, { what: 'gate', name, text: gateText(name, version) });
  for (const [step, { action }] of scenario.steps.entries()) {
    const minor = Number(version.slice('v1.'.length));
    for (const { name, since, on, is, text } of steps)
      if (minor < on && is(action) && !allowed(name, gates))
        add(name, {
          what: 'step',
          name,
          step,
          since: asVersion(since),
          on: asVersion(on),
          text: filled(text, { version, on: `1.${on}` }),
        });
    const said = podOf(action);
    if (!said) continue;
    for (const { field, container, since, on, gate, then } of fields.in(said.spec, gates)) {
      const note = {
        name: field,
        ...(said.pod !== undefined && { pod: said.pod }),
        ...(container !== undefined && { container }),
        since: asVersion(since),
        ...(on !== undefined && { on: asVersion(on) }),
        ...(gate !== undefined && { gate }),
      };
      add(`${said.pod} ${container} ${field}`, { what: 'field', step, ...note, text: fieldText(note, version, then) });
    }
  }
  return [...notes.values()];
}

const allowed = (name: string, { featureGates }: FeatureConfig): boolean =>
  featureGates[name === 'resize' ? 'InPlacePodVerticalScaling' : 'GracefulNodeShutdown'] === true;

const unknownGates = ({ featureGates, eraFeatures }: FeatureConfig): string[] =>
  Object.keys(featureGates).filter((name) => !/^All(Alpha|Beta)$/.test(name) && eraFeatures?.has(name) === false);

/** The configuration of a node without the gates that `version` does not have, with which it would not start. */
export function withKnownGates<C extends Partial<KubeletConfig>>(config: C, version: EraVersion): C {
  const { rules } = loadedEra(version);
  if (!config.featureGates || !rules.config) return config;
  const unknown = new Set(unknownGates({ featureGates: config.featureGates, ...rules.config }));
  const known = Object.entries(config.featureGates).filter(([name]) => !unknown.has(name));
  return { ...config, featureGates: Object.fromEntries(known) };
}

/** The spec, or the part of one, that a step brings, and whose it is. */
function podOf(action: Action): { readonly pod?: string; readonly spec: unknown } | null {
  if (action.verb === 'edit') return { pod: action.name, spec: (action.patch as { spec?: unknown }).spec };
  if (action.verb !== 'apply' && action.verb !== 'raw') return null;
  let manifest: unknown;
  try {
    manifest = parseManifest(action.text);
  } catch {
    return null;
  }
  const { kind, metadata, spec } = (manifest ?? {}) as {
    kind?: unknown;
    metadata?: { name?: unknown };
    spec?: unknown;
  };
  if (kind !== 'Pod') return null;
  return { ...(typeof metadata?.name === 'string' && { pod: metadata.name }), spec };
}

function fieldText(note: Omit<EraNote, 'what' | 'text'>, version: EraVersion, then?: LocalText): LocalText {
  const { name, pod, container, since, on, gate } = note;
  const owners = { en: [container && `container ${container}`, pod && `pod ${pod}`], zh: [pod && `Pod ${pod}`] };
  const whose = {
    en: [name, ...owners.en.filter((one) => one)].join(' of '),
    zh: `${[...owners.zh, container && `容器 ${container}`].filter((one) => one).join(' 中')} 的 ${name}`,
  };
  const later =
    on === undefined
      ? { en: 'no version has it on by default', zh: '至今没有版本默认启用' }
      : { en: `on by default since ${on}`, zh: `${on} 起默认启用` };
  if (gate !== undefined)
    return {
      en: `${whose.en}: ${version} has it behind the gate ${gate}, which is off, and ignores it; ${later.en}`,
      zh: `${whose.zh}：${version} 用特性门控 ${gate} 关着它，因此忽略；${later.zh}`,
    };
  return {
    en: `${whose.en}: ${version} does not know it and ignores it${then ? `, so ${then.en}` : ''}; known since ${since}`,
    zh: `${whose.zh}：${version} 不认识，因此忽略${then ? `，${then.zh}` : ''}；${since} 起才有`,
  };
}

const gateText = (name: string, version: EraVersion): LocalText => ({
  en: `the feature gate ${name}: ${version} does not have it; it is left out of the kubelet's configuration`,
  zh: `特性门控 ${name}：${version} 没有；已从 kubelet 的配置中去掉`,
});

const filled = (text: LocalText, values: Readonly<Record<string, string>>): LocalText => {
  const fill = (sentence: string) => sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return { en: fill(text.en), zh: fill(text.zh) };
};

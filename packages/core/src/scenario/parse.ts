import type { KubeletConfig } from '../kubelet/config.js';
import type { ImageSpecification, RegistryBehaviour } from '../mock/index.js';
import { SourceDocument } from './document.js';
import { parseStep, readImage, readRegistry } from './parse-steps.js';
import { Reader } from './reader.js';
import { type LocalText, type Scenario, scenarioAPIVersion } from './scenario.js';

/**
 * A scenario from its YAML or JSON text. Throws a ScenarioError: `file:line:col: path: what is wrong; remedy`.
 * `file` is what messages call it.
 */
export function parseScenario(text: string, file = 'scenario.yaml'): Scenario {
  const doc = new SourceDocument(text, file);
  const root = new Reader(doc, doc.value, []);
  root.fields(['apiVersion', 'kind', 'metadata', 'spec']);
  const version = root.at('apiVersion').string();
  if (version !== scenarioAPIVersion)
    throw root.at('apiVersion').error(`"${version}" is not a version that can be read; write ${scenarioAPIVersion}`);
  root.at('kind').oneOf(['Scenario']);

  const metadata = root.at('metadata');
  metadata.fields(['name', 'title', 'summary']);
  const name = metadata.at('name').string();
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    throw metadata.at('name').error(`"${name}" is no name; use small letters, digits and - only`);

  const spec = root.at('spec');
  spec.fields(['seed', 'node', 'images', 'registry', 'steps']);
  const title = metadata.maybe('title', localText) ?? { en: name, zh: name };
  return {
    name,
    title,
    summary: metadata.maybe('summary', localText) ?? { en: '', zh: '' },
    seed: spec.maybe('seed', (r) => r.integer(0, 2 ** 32 - 1)) ?? 1,
    node: spec.maybe('node', readNode) ?? {},
    images: spec.maybe('images', (r) => r.list().map((i): ImageSpecification => readImage(i))) ?? [],
    registry:
      spec.maybe('registry', (r) =>
        r.list().map((i): { ref: string; behaviour: RegistryBehaviour } => readRegistry(i)),
      ) ?? [],
    steps: spec.at('steps').list().map(parseStep),
    text,
    file,
  };
}

function localText(r: Reader): LocalText {
  if (typeof r.value === 'string') return { en: r.value, zh: r.value };
  r.fields(['en', 'zh']);
  const en = r.at('en').string();
  return { en, zh: r.maybe('zh', (z) => z.string()) ?? en };
}

const second = 1_000_000;

/** Settings by the names that a KubeletConfiguration file has for them; `nodeName` stands for the flag hostname-override. */
const settings: { readonly [K in keyof KubeletConfig]?: (r: Reader) => KubeletConfig[K] } = {
  nodeName: (r) => {
    const name = r.string();
    if (!/^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$/.test(name))
      throw r.error(`"${name}" is no node name; use small letters, digits, - and . only`);
    return name;
  },
  syncFrequency: (r) => period(r, second),
  fileCheckFrequency: (r) => period(r, second / 10),
  runtimeRequestTimeout: (r) => period(r, second / 10),
  maxPods: (r) => r.integer(0, 10_000),
  cgroupDriver: (r) => r.oneOf(['cgroupfs', 'systemd']),
  cgroupsPerQOS: (r) => r.boolean(),
  clusterDNS: (r) => r.strings(),
  clusterDomain: (r) => r.string(),
  serializeImagePulls: (r) => r.boolean(),
  maxParallelImagePulls: (r) => r.integer(1, 1000),
  registryPullQPS: (r) => r.integer(0, 10_000),
  registryBurst: (r) => r.integer(1, 10_000),
  seccompDefault: (r) => r.boolean(),
  maxContainerRestartPeriod: (r) => period(r, second),
  containerLogMaxSizeBytes: (r) => r.integer(1024, 2 ** 40),
  containerLogMaxFiles: (r) => r.integer(2, 1000),
  featureGates: (r) => {
    const gates = r.fields(typeof r.value === 'object' && r.value !== null ? Object.keys(r.value) : []);
    return Object.fromEntries(Object.keys(gates).map((name) => [name, r.at(name).boolean()]));
  },
};

function period(r: Reader, least: number): number {
  const d = r.duration();
  if (d < least) throw r.error(`want at least ${least / second}s`);
  return d;
}

function readNode(r: Reader): Partial<KubeletConfig> {
  r.fields(Object.keys(settings));
  return r.some<KubeletConfig>(settings);
}

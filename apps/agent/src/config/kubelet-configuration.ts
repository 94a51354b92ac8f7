/**
 * KubeletConfiguration files. What is not supported is accepted with a warning that names it, so that a node's own file
 * can be used as it is; a wrong type or value is an error.
 *
 * upstream: pkg/kubelet/apis/config/v1beta1, pkg/kubelet/kubeletconfig/configfiles
 */

import { dirname, resolve } from 'node:path';
import { parseDuration } from '@syncloop/core/base';
import { Second } from '@syncloop/core/kernel';
import { attempt, type Problem, problemsText, Reader, record } from '@syncloop/core/shape';
import { UsageError } from '../base/errors.js';
import { suggestion } from '../base/suggestion.js';
import { parseYAML } from '../base/yaml.js';
import { type AgentConfig, defaultAgentConfig } from './agent-config.js';
import { unsupportedFields } from './fields.js';
import { guardFields, guardProblem } from './guard-fields.js';
import { nodeFields } from './node-fields.js';
import {
  address,
  bool,
  duration,
  durationWithin,
  type Field,
  field,
  int,
  listOf,
  oneOf,
  orDefault,
  port,
  quantity,
  string,
} from './readers.js';
import { resourceFields, resourceProblem } from './resource-fields.js';
import { serverFields, serverPaths } from './server-fields.js';
import { tracingFields } from './tracing-fields.js';

/** The fields that this product acts on, by path. A number or duration of 0 means the default if upstream says so. */
const fields: Readonly<Record<string, Field>> = {
  ...guardFields,
  ...nodeFields,
  ...resourceFields,
  ...serverFields,
  ...tracingFields,
  staticPodPath: field(string, (c, v) => {
    c.kubelet.staticPodPath = v;
  }),
  staticPodURL: field(string, (c, v) => {
    c.kubelet.staticPodURL = v;
  }),
  podLogsDir: field(string, (c, v) => {
    if (v) c.kubelet.podLogsDir = v;
  }),
  syncFrequency: field(orDefault(duration), (c, v) => {
    c.kubelet.syncFrequency = v;
  }),
  fileCheckFrequency: field(orDefault(duration), (c, v) => {
    c.kubelet.fileCheckFrequency = v;
  }),
  httpCheckFrequency: field(orDefault(duration), (c, v) => {
    c.kubelet.httpCheckFrequency = v;
  }),
  runtimeRequestTimeout: field(orDefault(duration), (c, v) => {
    c.kubelet.runtimeRequestTimeout = v;
  }),
  nodeStatusUpdateFrequency: field(orDefault(duration), (c, v) => {
    c.kubelet.nodeStatusUpdateFrequency = v;
  }),
  maxPods: field(orDefault(int(0)), (c, v) => {
    c.kubelet.maxPods = v;
  }),
  cgroupDriver: field(oneOf('cgroupfs', 'systemd'), (c, v) => {
    c.kubelet.cgroupDriver = v;
  }),
  cgroupRoot: field(string, (c, v) => {
    c.kubelet.cgroupRoot = v;
  }),
  cgroupsPerQOS: field(bool, (c, v) => {
    c.kubelet.cgroupsPerQOS = v;
  }),
  clusterDNS: field(listOf(address, 'IP addresses'), (c, v) => {
    c.kubelet.clusterDNS = v;
  }),
  clusterDomain: field(string, (c, v) => {
    c.kubelet.clusterDomain = v;
  }),
  serializeImagePulls: field(bool, (c, v) => {
    c.kubelet.serializeImagePulls = v;
  }),
  maxParallelImagePulls: field(int(1), (c, v) => {
    c.kubelet.maxParallelImagePulls = v;
  }),
  registryPullQPS: field(int(0), (c, v) => {
    c.kubelet.registryPullQPS = v;
  }),
  registryBurst: field(orDefault(int(0)), (c, v) => {
    c.kubelet.registryBurst = v;
  }),
  seccompDefault: field(bool, (c, v) => {
    c.kubelet.seccompDefault = v;
  }),
  containerLogMaxSize: field(quantity, (c, v) => {
    c.kubelet.containerLogMaxSizeBytes = v;
  }),
  containerLogMaxFiles: field(int(2), (c, v) => {
    c.kubelet.containerLogMaxFiles = v;
  }),
  'crashLoopBackOff.maxContainerRestartPeriod': field(
    durationWithin(Second, 300 * Second, 'a duration from 1s to 300s'),
    (c, v) => {
      c.kubelet.maxContainerRestartPeriod = v;
    },
  ),
  featureGates: field(record(bool, 'a map from names of feature gates to true or false'), (c, v) => {
    c.kubelet.featureGates = { ...v };
  }),
  enableServer: field(bool, (c, v) => {
    c.enableServer = v;
  }),
  address: field(address, (c, v) => {
    c.address = v;
  }),
  port: field(orDefault(port), (c, v) => {
    c.port = v;
  }),
  readOnlyPort: field(port, (c, v) => {
    c.readOnlyPort = v;
  }),
  healthzPort: field(port, (c, v) => {
    c.healthzPort = v;
  }),
  healthzBindAddress: field(address, (c, v) => {
    c.healthzBindAddress = v;
  }),
  resolvConf: field(string, (c, v) => {
    c.resolvConf = v;
  }),
  containerRuntimeEndpoint: field(string, (c, v) => {
    if (v) c.containerRuntimeEndpoint = v;
  }),
  imageServiceEndpoint: field(string, (c, v) => {
    c.imageServiceEndpoint = v;
  }),
  'logging.verbosity': field(int(0), (c, v) => {
    c.verbosity = v;
  }),
};

/** Files and folders in the configuration that are taken as relative to its own file. */
const paths = ['staticPodPath', 'resolvConf', ...serverPaths];

/** Maps of which some fields are supported. */
const groups = new Set(
  Object.keys(fields).flatMap((path) => {
    const parts = path.split('.').slice(0, -1);
    return parts.map((_, i) => parts.slice(0, i + 1).join('.'));
  }),
);

/**
 * Reads a KubeletConfiguration. `warn` gets one sentence for each field that has no effect here. Throws a UsageError
 * that names file, line, column, field, and valid values.
 */
export function parseKubeletConfiguration(file: string, text: string, warn: (text: string) => void): AgentConfig {
  const doc = parseYAML(file, text);
  const config = defaultAgentConfig();
  const { value } = doc;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(
      `${doc.place()}: this is not a KubeletConfiguration: it must be a map of fields, with apiVersion and kind`,
    );
  }
  const { apiVersion, kind, ...given } = value as Record<string, unknown>;
  const must = (name: string, found: unknown, want: string) => {
    if (found === want) return;
    const what = found === undefined ? 'is missing' : `is ${JSON.stringify(found)}`;
    throw new UsageError(`${doc.place(name)}: ${name} ${what}: write ${name}: ${want}`);
  };
  must('kind', kind, 'KubeletConfiguration');
  must('apiVersion', apiVersion, 'kubelet.config.k8s.io/v1beta1');

  const folder = dirname(resolve(file));
  const problems: Problem[] = [];
  const visit = (path: string[], r: Reader) => {
    const name = path.join('.');
    if (r.missing) return;
    const known = fields[name];
    if (known) {
      const isPath = paths.includes(name) && typeof r.value === 'string' && r.value !== '';
      attempt(problems, () => known.read(isPath ? r.with(resolve(folder, r.value as string)) : r, config));
    } else if (groups.has(name)) {
      attempt(problems, () => {
        for (const key of Object.keys(r.object('a map'))) visit([...path, key], r.at(key));
      });
    } else if (path.length > 1 || unsupportedFields.has(name)) {
      warn(`${doc.place(...path)}: field ${name} is not supported and has no effect`);
    } else {
      const all = [...Object.keys(fields), ...unsupportedFields];
      warn(`${doc.place(...path)}: field ${name} is unknown and has no effect${suggestion(name, all)}`);
    }
  };
  const root = Reader.of(value, doc.source);
  for (const name of Object.keys(given)) visit([name], root.at(name));
  if (problems.length > 0) throw new UsageError(problemsText(problems, file));

  // Whoever sets how often the status is looked at means the reports, too. upstream: SetDefaults_KubeletConfiguration
  const said = (path: string) => typeof given[path] === 'string' && parseDuration(given[path]) !== 0;
  if (said('nodeStatusUpdateFrequency') && !said('nodeStatusReportFrequency'))
    config.kubelet.nodeStatusReportFrequency = config.kubelet.nodeStatusUpdateFrequency;

  const { maxParallelImagePulls } = config.kubelet;
  if (maxParallelImagePulls !== null && maxParallelImagePulls > 1) {
    if (given.serializeImagePulls === true) {
      throw new UsageError(
        `${doc.place('maxParallelImagePulls')}: maxParallelImagePulls is ${maxParallelImagePulls}, which needs serializeImagePulls: false`,
      );
    }
    config.kubelet.serializeImagePulls = false;
  }
  const problem = guardProblem(config) ?? resourceProblem(config, given);
  if (problem) throw new UsageError(`${doc.place(problem.field)}: ${problem.field}: ${problem.text}`);
  config.raw = value as Record<string, unknown>;
  return config;
}

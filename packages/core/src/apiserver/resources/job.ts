import { setPodSpecDefaults } from '../../api/defaults.js';
import { type JobCondition, type JobSpec, type JobStatus, job } from '../../api/objects/batch.js';
import type { Pod, PodSpec } from '../../api/types.js';
import { validatePod } from '../../api/validation.js';
import { humanDuration } from '../../kubectl/duration.js';
import { copyJSON, equalJSON, type JsonObject } from '../json.js';
import { isLabel, isSubdomain, validateLabels } from '../registry/names.js';
import { allVerbs, type Env, type Resource, type Strategy } from '../registry/resource.js';
import type { ApiObject } from '../types.js';
import { age, ageOf, col, name } from './tables.js';

/** upstream: pkg/registry/batch/job, pkg/apis/batch/validation */

export interface Job extends ApiObject {
  spec: JobSpec;
  status?: JobStatus;
}
export const asJob = (o: ApiObject): Job => o as unknown as Job;

export const jobNameLabel = 'batch.kubernetes.io/job-name';
export const completionIndex = 'batch.kubernetes.io/job-completion-index';
const controllerUidLabel = 'batch.kubernetes.io/controller-uid';

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed';
export const conditionOf = (o: Job, type: string): JobCondition | undefined =>
  o.status?.conditions?.find((c) => c.type === type && c.status === 'True');
export const isFinished = (o: Job): boolean => !!(conditionOf(o, 'Complete') ?? conditionOf(o, 'Failed'));

/** upstream: SetDefaults_Job */
function setJobDefaults(draft: ApiObject): void {
  const { spec, metadata } = asJob(draft);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  const { template } = spec;
  if (template?.spec) {
    template.spec.containers ??= [];
    setPodSpecDefaults(template.spec);
  }
  if (template?.metadata?.labels && Object.keys(metadata.labels ?? {}).length === 0)
    metadata.labels = { ...template.metadata.labels };
}

/** Gives a Job the labels and the selector by which its pods are its own alone. upstream: generateSelector */
function addSelector({ metadata, spec }: Job): void {
  spec.template.metadata ??= {} as NonNullable<typeof spec.template.metadata>;
  const uid = metadata.uid as string;
  spec.template.metadata.labels = {
    [jobNameLabel]: metadata.name,
    'job-name': metadata.name,
    [controllerUidLabel]: uid,
    'controller-uid': uid,
    ...spec.template.metadata.labels,
  };
  spec.selector = {
    ...spec.selector,
    matchLabels: { [controllerUidLabel]: uid, ...spec.selector?.matchLabels },
  };
}

/** Fields of a Job that the controller here pays no attention to. */
const withoutEffect = ['podFailurePolicy', 'successPolicy', 'backoffLimitPerIndex', 'maxFailedIndexes'] as const;

const jobStrategy: Strategy = {
  defaults: setJobDefaults,
  prepareForCreate(draft, env: Env) {
    const o = asJob(draft);
    o.status = {};
    o.metadata.generation = 1;
    if (!o.spec.manualSelector && o.spec.template) addSelector(o);
    for (const field of withoutEffect)
      if (o.spec[field] !== undefined)
        env.warn(`spec.${field}: the Job controller of this server pays no attention to it`);
    if (o.spec.managedBy !== undefined && o.spec.managedBy !== 'kubernetes.io/job-controller')
      env.warn('spec.managedBy: this Job is left to the controller that it names, which does not run here');
  },
  prepareForUpdate(draft, old) {
    draft.status = copyJSON(old.status);
    if (!equalJSON(draft.spec, old.spec)) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: validateJob,
  validateUpdate: (draft, old) => [...validateJob(draft), ...immutables(asJob(draft), asJob(old))],
};

const largest = 100_000;

/** upstream: ValidateJob */
function validateJob(draft: ApiObject): string[] {
  const { spec, metadata } = asJob(draft);
  const errors: string[] = [];
  const invalid = (at: string, value: unknown, why: string) =>
    errors.push(`${at}: Invalid value: ${JSON.stringify(value)}: ${why}`);
  for (const field of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
  ] as const)
    if ((spec[field] ?? 0) < 0) invalid(`spec.${field}`, spec[field], 'must be greater than or equal to 0');
  const { completionMode, completions, parallelism = 1, podReplacementPolicy } = spec;
  if (completionMode === 'Indexed') {
    if (completions === undefined) errors.push('spec.completions: Required value: when completion mode is Indexed');
    else {
      const hostname = `${metadata.name}-${Math.max(0, completions - 1)}`;
      const [problem] = isLabel(hostname);
      if (problem)
        invalid('metadata.name', metadata.name, `will not able to create pod with invalid DNS label: ${hostname}`);
      if (completions > largest)
        invalid(
          'spec.completions',
          completions,
          `must be less than or equal to ${largest} when completion mode is Indexed`,
        );
    }
    if (parallelism > largest)
      invalid(
        'spec.parallelism',
        parallelism,
        `must be less than or equal to ${largest} when completion mode is Indexed`,
      );
  } else if (completionMode !== 'NonIndexed')
    errors.push(
      `spec.completionMode: Unsupported value: ${JSON.stringify(completionMode)}: supported values: "Indexed", "NonIndexed"`,
    );
  if (podReplacementPolicy !== 'Failed' && podReplacementPolicy !== 'TerminatingOrFailed')
    errors.push(
      `spec.podReplacementPolicy: Unsupported value: ${JSON.stringify(podReplacementPolicy)}: supported values: "Failed", "TerminatingOrFailed"`,
    );
  if (spec.manualSelector && !spec.selector) errors.push('spec.selector: Required value');
  if (!spec.template?.spec) return [...errors, 'spec.template.spec.containers: Required value'];
  return [...errors, ...templateErrors(spec)];
}

function templateErrors({ template, selector }: JobSpec): string[] {
  const labels = template.metadata?.labels;
  const errors = validateLabels(labels, 'spec.template.metadata.labels');
  const wanted = Object.entries(selector?.matchLabels ?? {});
  if (wanted.some(([key, value]) => labels?.[key] !== value))
    errors.push(
      `spec.template.metadata.labels: Invalid value: ${JSON.stringify(labels ?? {})}: \`selector\` does not match template \`labels\``,
    );
  const pod = { metadata: { ...template.metadata, name: 'x', namespace: 'x' }, spec: template.spec as PodSpec };
  errors.push(
    ...validatePod(pod as unknown as Pod)
      .filter((e) => e.startsWith('spec.'))
      .map((e) => `spec.template.${e}`),
  );
  if (template.spec.restartPolicy === 'Always')
    errors.push('spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"');
  return errors;
}

/** upstream: ValidateJobUpdate */
function immutables({ spec }: Job, { spec: old }: Job): string[] {
  const elastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  const fixed = [
    'selector',
    'template',
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'managedBy',
  ] as const;
  return [...fixed, ...(elastic ? [] : (['completions'] as const))]
    .filter((field) => !equalJSON(spec[field] ?? null, old[field] ?? null))
    .map((field) => `spec.${field}: Invalid value: ${JSON.stringify(spec[field] ?? null)}: field is immutable`);
}

/** upstream: printers printJob */
function statusWord(o: Job): string {
  const met = ['Complete', 'Failed'].find((type) => conditionOf(o, type));
  if (met) return met;
  if (o.metadata.deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => conditionOf(o, type)) ?? 'Running';
}
function completionsWord({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  return (spec.parallelism ?? 0) > 1 ? `${succeeded}/1 of ${spec.parallelism}` : `${succeeded}/1`;
}
function durationOf({ status }: Job, now: number): string {
  if (!status?.startTime) return '';
  return humanDuration(
    (status.completionTime ? Date.parse(status.completionTime) : now) - Date.parse(status.startTime),
  );
}

export const jobs: Resource = {
  group: 'batch',
  version: 'v1',
  resource: 'jobs',
  singular: 'job',
  kind: 'Job',
  categories: ['all'],
  namespaced: true,
  verbs: allVerbs,
  nameRule: isSubdomain,
  type: job,
  strategy: jobStrategy,
  subresources: {
    status: {
      verbs: ['get', 'patch', 'update'],
      prepareForUpdate(draft, old) {
        draft.spec = copyJSON(old.spec) as JsonObject;
      },
    },
  },
  fields: { 'status.successful': (o) => String(asJob(o).status?.succeeded ?? 0) },
  table: {
    columns: [
      name,
      col('Status', 'Status of the job.'),
      col('Completions', 'How many of its pods have succeeded, and how many shall.'),
      col('Duration', 'The time from its start to its completion, or until now.'),
      age,
      col('Containers', 'Names of the containers of the template.', 1),
      col('Images', 'Images of the containers of the template.', 1),
      col('Selector', 'The labels by which its pods are found.', 1),
    ],
    cells(o, now) {
      const j = asJob(o);
      const { containers = [] } = j.spec.template?.spec ?? {};
      const labels = Object.entries(j.spec.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
      return [
        o.metadata.name,
        statusWord(j),
        completionsWord(j),
        durationOf(j, now),
        ageOf(o, now),
        containers.map((c) => c.name).join(','),
        containers.map((c) => c.image ?? '').join(','),
        labels.sort().join(','),
      ];
    },
  },
};

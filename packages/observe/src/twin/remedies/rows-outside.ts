/** Changes of a scenario's steps: people and the world around the kubelet could have acted differently. */
import type { Json } from '@syncloop/core/trace';
import { items, type JsonObject, objectOf, objectsOf, textOf } from '../base/json.js';
import type { TwinText } from '../base/types.js';
import { type Change, manifestOf, specOf, withSpec } from '../causes/index.js';
import type { Case, Remedy, RemedyRow } from './types.js';

const verbOf = (step: Json): string => (typeof step === 'string' ? step : (Object.keys(objectOf(step))[0] ?? ''));

const withStepList = (change: (steps: readonly Json[]) => readonly Json[]): Change =>
  withSpec((spec) => ({ ...spec, steps: change(items(spec.steps)) as Json[] }));

/** Deletions by force: those of the case's pod, or of all pods if it is about the node. */
function forced({ document, pod }: Case): readonly JsonObject[] {
  return objectsOf(specOf(document).steps).filter((step) => {
    const { pod: name, gracePeriodSeconds } = objectOf(step.delete);
    return gracePeriodSeconds === 0 && (pod === '' || name === pod);
  });
}

/** A pod that is deleted in the usual way before is not deleted once more. */
const graceful = (one: Case): Change => {
  const list = new Set<Json>(forced(one) as readonly Json[]);
  return withStepList((steps) => {
    const before = new Set<string>();
    return steps.flatMap((step): Json[] => {
      const { gracePeriodSeconds: _, ...rest } = objectOf(objectOf(step).delete);
      const name = textOf(rest.pod) || textOf(objectOf(step).delete);
      const again = before.has(name);
      if (verbOf(step) === 'delete') before.add(name);
      if (!list.has(step)) return [step];
      return again ? [] : [{ delete: rest as Json }];
    });
  });
};

/** Leaves out each end of the kubelet that another start follows; null if there is none. */
function withoutRestarts(document: JsonObject): Change | null {
  const steps = items(specOf(document).steps);
  const drop = new Set<number>();
  let stop: number | null = null;
  steps.forEach((step, i) => {
    const verb = verbOf(step);
    const { restart, fault } = objectOf(step);
    if (verb === 'restartKubelet' || restart === 'kubelet' || objectOf(restart).kubelet !== undefined) drop.add(i);
    else if (objectOf(fault).kubelet !== undefined) drop.add(i);
    else if (verb === 'stopKubelet') stop = i;
    else if (verb === 'startKubelet' && stop !== null) {
      drop.add(stop).add(i);
      stop = null;
    }
  });
  return drop.size === 0 ? null : withStepList((list) => list.filter((_, i) => !drop.has(i)));
}

/** The ConfigMaps and Secrets that the pod names and that come after it, as steps. */
function late({ document, pod }: Case): readonly JsonObject[] {
  const text = JSON.stringify(manifestOf(document, pod) ?? {});
  let there = false;
  return objectsOf(specOf(document).steps).filter((step) => {
    const apply = objectOf(step.apply);
    const { kind, metadata } = objectOf(apply.manifest ?? apply);
    const name = textOf(objectOf(metadata).name);
    there ||= kind === 'Pod';
    return there && /^(ConfigMap|Secret)$/.test(textOf(kind)) && name !== '' && text.includes(JSON.stringify(name));
  });
}

/** The name of a fault, else its kind. */
function faultName(fault: JsonObject): string {
  const name = textOf(fault.name);
  if (name !== '') return name;
  const [key = '', value] = Object.entries(fault)[0] ?? [];
  return typeof value === 'string' ? `${key} ${value}` : key;
}
const without = (key: string, text: TwinText, drop: (step: Json) => boolean): Remedy => ({
  key,
  text,
  change: withStepList((steps) => steps.filter((step) => !drop(step))),
});

export const objectRows: readonly RemedyRow[] = [
  {
    id: 'object-first',
    kinds: ['config-missing', 'volume-mount', 'container-create'],
    *of(one) {
      const list = late(one);
      if (list.length === 0) return;
      const names = list.map(({ apply }) => {
        const { kind, metadata } = objectOf(objectOf(apply).manifest ?? apply);
        return `${kind} ${textOf(objectOf(metadata).name)}`;
      });
      yield {
        key: 'object first',
        text: {
          en: `${names.join(' and ')} there before ${one.pod}`,
          zh: `在 ${one.pod} 之前就有 ${names.join('、')}`,
        },
        change: withStepList((steps) => [
          ...(list as readonly Json[]),
          ...steps.filter((step) => !(list as readonly Json[]).includes(step)),
        ]),
      };
    },
  },
];

export const outsideRows: readonly RemedyRow[] = [
  {
    id: 'graceful-deletion',
    kinds: ['force-deleted', 'container-exit', 'volume-release', 'stuck-terminating', 'pod-recreated', 'orphaned-pod'],
    *of(one) {
      if (forced(one).length === 0) return;
      yield {
        key: 'graceful',
        text: {
          en: `${one.pod || 'the pods'} deleted with a grace period instead of by force`,
          zh: `${one.pod || '这些 Pod'}带宽限期删除而不是强制删除`,
        },
        change: graceful(one),
      };
    },
  },
  {
    id: 'clock',
    kinds: ['clock-jumped', 'lease', 'certificate-invalid'],
    *of({ document }) {
      const jumps = (step: Json) => objectOf(objectOf(step).fault).clock !== undefined;
      if (items(specOf(document).steps).some(jumps))
        yield without(
          'clock',
          { en: 'the clock set before the kubelet starts', zh: '在 kubelet 启动之前校准时钟' },
          jumps,
        );
    },
  },
  {
    id: 'no-restart',
    kinds: ['kubelet-restarted', 'container-exit', 'kill-failed', 'admission', 'stuck-terminating', 'orphaned-pod'],
    *of({ document }) {
      const change = withoutRestarts(document);
      if (change)
        yield { key: 'no restart', text: { en: 'no restart of the kubelet', zh: 'kubelet 没有重启' }, change };
    },
  },
  {
    // People repair this in the end. It says which of several faults it was.
    id: 'without-fault',
    kinds: [
      'runtime-slow',
      'name-reserved',
      'pleg-unhealthy',
      'api-unreachable',
      'network-not-ready',
      'network-setup',
      'image',
      'kill-failed',
      'force-deleted',
      'sandbox',
      'container-create',
      'container-start',
    ],
    *of({ document }) {
      const names = new Set(
        objectsOf(specOf(document).steps).flatMap(({ fault }) =>
          fault === undefined || objectOf(fault).clock !== undefined ? [] : [faultName(objectOf(fault))],
        ),
      );
      for (const name of names)
        yield without(
          `without ${name}`,
          { en: `the fault “${name}” repaired`, zh: `故障“${name}”已修复` },
          (step) => objectOf(step).fault !== undefined && faultName(objectOf(objectOf(step).fault)) === name,
        );
    },
  },
];

/** Causes in containers: the answers of probes, and what ended a container or its sandbox. */
import { type JsonObject, objectOf, objectsOf, seconds, textOf } from '../base/json.js';
import { before, moment, withSpec, withSteps } from './document.js';
import { containersOf, manifestOf, of } from './manifests.js';
import type { CauseRow, Place } from './types.js';

/** The next relist notices what a container did, at most this much later. */
const NOTICED = 500_000;

/** The exit codes that the difference and what follows from it show, the most telling first. */
function exitCodes({ difference }: Place): number[] {
  const text = JSON.stringify([difference, ...(difference.followers ?? [])].map(({ seen, values }) => [seen, values]));
  const codes = [...text.matchAll(/exitCode\\?":(\d+)/g)].map(([, code]) => Number(code));
  return [...new Set([...codes, 1, 0])].slice(0, 4);
}

export const ofContainers: readonly CauseRow[] = [
  {
    id: 'probe-answer',
    name: { en: 'the answer of a probe', zh: '探针的结果' },
    hints: [
      { says: /Unhealthy|probe/i, weight: 3 },
      { kinds: ['status'], path: /ready|Ready|started/, weight: 3 },
      { kinds: ['kill', 'restart', 'status', 'sync', 'event'], weight: 1 },
    ],
    *guesses({ pod, container, document, at }) {
      const spec = containersOf(manifestOf(document, pod)).find(({ name }) => name === container);
      for (const probe of ['liveness', 'readiness', 'startup']) {
        const settings = objectOf(spec?.[`${probe}Probe`]);
        if (spec?.[`${probe}Probe`] === undefined) continue;
        const period = Number(settings.periodSeconds ?? 10) * 1e6;
        const threshold = Number(settings.failureThreshold ?? 3);
        const from = before(at, NOTICED);
        for (const { answers, times, begin } of [
          { answers: 'F', times: threshold, begin: from },
          { answers: 'F', times: threshold, begin: before(from, (threshold - 1) * period) },
          { answers: 'F', times: 1, begin: from },
          { answers: 'S', times: 1000, begin: from },
        ]) {
          const fails = answers === 'F';
          const often = times === 1 ? { en: 'once', zh: '一次' } : { en: `${times} times`, zh: `${times} 次` };
          const who = of(pod, container);
          yield {
            key: `probe ${pod} ${container} ${probe} ${answers}${times} ${begin}`,
            text: fails
              ? {
                  en: `a ${probe} probe of ${who.en} that failed ${often.en} from ${seconds(begin)} on`,
                  zh: `${who.zh} 的 ${probe} 探针自 ${seconds(begin)} 起失败 ${often.zh}`,
                }
              : {
                  en: `a ${probe} probe of ${who.en} that succeeded from ${seconds(begin)} on`,
                  zh: `${who.zh} 的 ${probe} 探针自 ${seconds(begin)} 起成功`,
                },
            cost: 1,
            change: withSteps(begin, [{ fault: { probe, pod, container, pattern: answers, times } }]),
          };
        }
      }
    },
  },
  {
    id: 'container-ended',
    name: { en: 'a container that ended by itself', zh: '自行退出的容器' },
    hints: [
      { kinds: ['pleg'], how: ['missing', 'extra', 'time'], what: /ContainerDied/, weight: 2 },
      { path: /exitCode/, weight: 3 },
      { kinds: ['restart', 'status', 'sync', 'call'], weight: 1 },
    ],
    *guesses(place) {
      const { pod, container, at, began, attempt } = place;
      if (container === '' || began === null) return;
      for (const code of exitCodes(place))
        yield {
          key: `ended ${pod} ${container} ${code} ${moment(at)}`,
          text: {
            en: `an exit of ${of(pod, container).en} by itself with code ${code}`,
            zh: `${of(pod, container).zh} 自行退出，退出码为 ${code}`,
          },
          cost: code === 0 ? 2 : 1,
          change: withLife(pod, container, attempt, {
            runs: seconds(Math.max(1000, at - NOTICED - began)),
            ...(code !== 0 && { exits: code }),
          }),
        };
    },
  },
  {
    id: 'container-killed',
    name: { en: 'a kill from outside', zh: '来自外部的 kill' },
    hints: [
      { kinds: ['pleg'], how: ['missing'], what: /ContainerDied/, weight: 3 },
      { says: /137|143|SIGKILL/, weight: 2 },
      { kinds: ['restart', 'status', 'sync', 'call'], weight: 1 },
    ],
    *guesses({ pod, container, at }) {
      if (container === '') return;
      for (const signal of ['KILL', 'TERM'])
        yield {
          key: `killed ${pod} ${container} ${signal} ${moment(at)}`,
          text: {
            en: `a kill of ${of(pod, container).en} from outside (SIG${signal})`,
            zh: `${of(pod, container).zh} 被外部终止（SIG${signal}）`,
          },
          cost: signal === 'KILL' ? 1 : 2,
          change: withSteps(before(at, NOTICED), [{ kill: { pod, container, signal } }]),
        };
    },
  },
  {
    id: 'container-oom',
    name: { en: 'a kill by the OOM killer', zh: 'OOM killer 终止' },
    hints: [
      { says: /OOM/, weight: 3 },
      { kinds: ['pleg'], how: ['missing'], what: /ContainerDied/, weight: 2 },
      { kinds: ['restart', 'status', 'call'], weight: 1 },
    ],
    *guesses({ pod, container, at }) {
      if (container === '') return;
      yield {
        key: `oom ${pod} ${container} ${moment(at)}`,
        text: {
          en: `a kill of ${of(pod, container).en} by the OOM killer`,
          zh: `${of(pod, container).zh} 被 OOM killer 终止`,
        },
        cost: 1,
        change: withSteps(before(at, NOTICED), [{ oom: { pod, container } }]),
      };
    },
  },
  {
    id: 'sandbox-removed',
    name: { en: 'a sandbox that was removed', zh: '被移除的沙箱' },
    hints: [
      { says: /sandbox/i, weight: 3 },
      { kinds: ['call'], what: /RunPodSandbox|StopPodSandbox/, weight: 3 },
      { kinds: ['pleg', 'call', 'restart', 'status'], weight: 1 },
    ],
    *guesses({ pod, at }) {
      if (pod === '') return;
      yield {
        key: `sandbox ${pod} ${moment(at)}`,
        text: { en: `a sandbox of ${pod} that ended from outside`, zh: `${pod} 的沙箱被外部终止` },
        cost: 1,
        change: withSteps(before(at, NOTICED), [{ killSandbox: pod }]),
      };
    },
  },
];

/** Gives a container of the twin another life; its probes and hooks stay. */
function withLife(pod: string, container: string, attempt: number, life: JsonObject) {
  return withSpec((spec) => {
    const nodeName = textOf(objectOf(spec.node).nodeName);
    const is = (entry: JsonObject) =>
      (entry.pod === pod || entry.pod === `${pod}-${nodeName}`) &&
      entry.container === container &&
      (entry.attempt ?? 0) === attempt;
    const lives = objectsOf(spec.lives);
    const old = lives.find(is) ?? {};
    const { probes, hooks } = old;
    const kept = { ...(probes !== undefined && { probes }), ...(hooks !== undefined && { hooks }) };
    const entry = { pod: textOf(old.pod) || pod, container, attempt, ...life, ...kept };
    return { ...spec, lives: [...lives.filter((one) => !is(one)), entry] } as JsonObject;
  });
}

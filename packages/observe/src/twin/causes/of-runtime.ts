/** Causes in the runtime and in containers: images, calls, probes, and what ended a container. */
import { GrpcCode } from '@syncloop/core/cri';
import { objectOf, objectsOf, seconds, textOf } from '../base/json.js';
import { before, moment, specOf, withItem, withSpec, withSteps } from './document.js';
import { containersOf, manifestOf, of, withContainer } from './manifests.js';
import type { CauseRow, Guess, Place } from './types.js';

/** A fault that makes a call fail or be late begins this much before it. */
const BEFORE = 200_000;

/** The calls to the runtime that a difference may be about. */
function methodsAt({ decision, difference }: Place): string[] {
  const methods = ['RunPodSandbox', 'PullImage', 'CreateContainer', 'StartContainer', 'StopContainer'];
  if (decision.kind === 'call') {
    // A call that came late waited for those before it.
    const place = difference.how === 'time' ? methods.indexOf(decision.what) : 0;
    return [...methods.slice(0, Math.max(0, place)).reverse(), decision.what];
  }
  const all = JSON.stringify([decision, difference.seen?.details ?? null, difference.followers ?? []]);
  const words = [/sandbox/i, /pull|image/i, /Create/, /Start|RunContainer/, /Stop|Killing|kill/i];
  const named = methods.filter((_, i) => words[i]?.test(all));
  return [...named, ...methods.filter((method) => !named.includes(method))];
}
/** The error of the call, as the observed run shows it: the call itself, or else the innermost text of a sync's. */
function errorAt({ difference }: Place): { readonly code: string; readonly message: string } {
  const all = [difference, ...(difference.followers ?? [])].map(({ seen }) => seen);
  const errors = (calls: boolean) =>
    all.flatMap((seen) => {
      const { error, code } = objectOf(seen?.details);
      return (seen?.kind === 'call') === calls && textOf(error) !== '' ? [{ error: textOf(error), code }] : [];
    });
  const [call] = errors(true);
  if (call) return { code: codeNamed(call.code), message: call.error };
  const [sync] = errors(false);
  const inner = sync && /(?:rpc error: code = (\w+) desc = )?([^"\\]+)[\\"]*$/.exec(sync.error);
  return { code: inner?.[1] ?? 'Unknown', message: inner?.[2] ?? 'it failed' };
}
const codeNamed = (code: unknown): string =>
  Object.entries(GrpcCode).find(([, value]) => value === code)?.[0] ?? 'Unknown';

const STARTS = /RunPodSandbox|CreateContainer|StartContainer|PullImage/;

export const ofRuntime: readonly CauseRow[] = [
  {
    id: 'image-pulled',
    name: { en: 'an image that had to be pulled', zh: '必须拉取的镜像' },
    hints: [
      { kinds: ['call', 'event'], what: /Pull/, weight: 3 },
      { kinds: ['call'], how: ['time', 'missing'], what: STARTS, weight: 2 },
      { kinds: ['event', 'sync', 'status'], weight: 1 },
    ],
    *guesses(place) {
      const { pod, document } = place;
      const spec = specOf(document);
      const took = place.late > 0 ? [place.late] : [];
      const refs = new Set(containersOf(manifestOf(document, pod)).map(({ image }) => textOf(image)));
      for (const ref of refs) {
        const there = objectsOf(spec.images).find((image) => image.ref === ref);
        const pulls = objectsOf(spec.calls).some(({ method, image }) => method === 'PullImage' && image === ref);
        const absent = withSpec((old) => ({
          ...old,
          images: objectsOf(old.images).filter((image) => image.ref !== ref),
          registry: [
            ...objectsOf(old.registry).filter((one) => one.ref !== ref),
            { ...(there ?? { ref, programs: 'busybox' }), answer: 'serve' },
          ],
        }));
        const pulled = (micros: number): Guess => ({
          key: `pulled ${ref} ${micros}`,
          text: {
            en: `the image ${ref} not on the node, and a pull of ${seconds(micros)}`,
            zh: `镜像 ${ref} 不在节点上，拉取用时 ${seconds(micros)}`,
          },
          cost: 2,
          change: (old) =>
            withItem(
              'calls',
              { method: 'PullImage', image: ref, took: seconds(micros) },
              (call) => call.method === 'PullImage' && call.image === ref,
            )(absent(old)),
        });
        if (there || !objectsOf(spec.registry).some((one) => one.ref === ref)) {
          for (const micros of took) yield pulled(micros);
          if (pulls)
            yield {
              key: `pulled ${ref}`,
              text: { en: `the image ${ref} not on the node`, zh: `镜像 ${ref} 不在节点上` },
              cost: 1,
              change: absent,
            };
          else for (const micros of [1e6, 5e6]) yield pulled(micros);
        }
      }
    },
  },
  {
    id: 'pull-policy',
    name: { en: 'another image pull policy', zh: '另一个镜像拉取策略' },
    hints: [
      { kinds: ['call', 'event'], what: /Pull/, weight: 3 },
      { says: /ErrImageNeverPull/, weight: 3 },
      { kinds: ['event', 'sync', 'call'], weight: 1 },
    ],
    *guesses({ pod, container, document }) {
      const spec = containersOf(manifestOf(document, pod)).find(({ name }) => name === container);
      if (!spec) return;
      const now = textOf(spec.imagePullPolicy);
      for (const policy of ['Always', 'IfNotPresent', 'Never'])
        if (policy !== now)
          yield {
            key: `policy ${pod} ${container} ${policy}`,
            text: {
              en: `imagePullPolicy ${policy} for ${of(pod, container).en}`,
              zh: `${of(pod, container).zh} 的 imagePullPolicy 为 ${policy}`,
            },
            cost: 1,
            change: withContainer(pod, container, (c) => ({ ...c, imagePullPolicy: policy })),
          };
    },
  },
  {
    id: 'image-missing',
    name: { en: 'an image that no registry has', zh: '镜像仓库中没有的镜像' },
    hints: [
      { says: /ErrImage|ImagePull|not found|Failed to pull/, weight: 3 },
      { kinds: ['call', 'sync', 'status'], weight: 1 },
    ],
    *guesses({ pod, document }) {
      for (const ref of new Set(containersOf(manifestOf(document, pod)).map(({ image }) => textOf(image))))
        for (const answer of ['not-found', null])
          yield {
            key: `missing ${ref} ${answer}`,
            text: answer
              ? {
                  en: `the image ${ref} neither on the node nor in its registry`,
                  zh: `镜像 ${ref} 既不在节点上，也不在镜像仓库中`,
                }
              : {
                  en: `the image ${ref} not on the node, and its registry out of reach`,
                  zh: `镜像 ${ref} 不在节点上，且无法访问其镜像仓库`,
                },
            cost: 1,
            change: withSpec((old) => ({
              ...old,
              images: objectsOf(old.images).filter((image) => image.ref !== ref),
              registry: [
                ...objectsOf(old.registry).filter((one) => one.ref !== ref),
                ...(answer ? [{ ref, answer }] : []),
              ],
              calls: objectsOf(old.calls).filter(({ method, image }) => method !== 'PullImage' || image !== ref),
            })),
          };
    },
  },
  {
    id: 'call-failed',
    name: { en: 'a call to the runtime that failed', zh: '失败的运行时调用' },
    hints: [
      { kinds: ['call'], path: /error|code/, weight: 3 },
      { kinds: ['call'], weight: 2 },
      { kinds: ['sync', 'event', 'status'], says: /[Ee]rror|Failed|fail/, weight: 2 },
      { weight: 1 },
    ],
    *guesses(place) {
      const { pod, at } = place;
      if (pod === '') return;
      const error = errorAt(place);
      for (const method of methodsAt(place).slice(0, 3))
        yield {
          key: `failed ${method} ${pod} ${moment(at)}`,
          text: { en: `a ${method} for ${pod} that failed once`, zh: `${pod} 的一次 ${method} 失败` },
          cost: 2,
          change: withSteps(before(at, BEFORE), [{ fault: { method, pod, times: 1, error } }]),
        };
    },
  },
  {
    id: 'call-slow',
    name: { en: 'a call to the runtime that took long', zh: '耗时很长的运行时调用' },
    hints: [
      { how: ['time'], weight: 3 },
      { how: ['order'], weight: 2 },
      { kinds: ['call', 'sync', 'status', 'event', 'pleg'], weight: 1 },
    ],
    *guesses(place) {
      const { pod, at, late } = place;
      if (pod === '') return;
      for (const micros of late > 0 ? [late] : [2e6, 10e6])
        for (const method of methodsAt(place).slice(0, 4))
          yield {
            key: `slow ${method} ${pod} ${micros} ${moment(at)}`,
            text: {
              en: `a ${method} for ${pod} that took ${seconds(micros)} longer`,
              zh: `${pod} 的一次 ${method} 多用了 ${seconds(micros)}`,
            },
            cost: 2,
            change: withSteps(before(at - late, BEFORE), [
              { fault: { method, pod, times: 1, delay: seconds(micros) } },
            ]),
          };
    },
  },
];

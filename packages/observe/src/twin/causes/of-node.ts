/** Causes in the node: restarts, clocks, networks, settings, and the version of the kubelet. */
import { type EraVersion, eraVersions } from '@syncloop/core/kubelet/era/versions';
import { objectOf, seconds, textOf } from '../base/json.js';
import { before, moment, nodeOf, specOf, withNode, withSpec, withSteps } from './document.js';
import { gates, settings } from './settings.js';
import type { CauseRow } from './types.js';

const EARLIER = 300_000;
const AT_ONCE = 1000;
/** Longer than a twin. */
const LASTING = 24 * 3600e6;

export const ofNode: readonly CauseRow[] = [
  {
    id: 'kubelet-restart',
    name: { en: 'a restart of the kubelet', zh: 'kubelet 重启' },
    hints: [
      { kinds: ['config'], how: ['missing', 'extra'], what: /ADD|SET/, weight: 3 },
      { kinds: ['config', 'pleg', 'sync'], how: ['missing', 'extra'], weight: 2 },
      { weight: 1 },
    ],
    *guesses({ at }) {
      for (const down of [500_000, 2_000_000, 5_000_000])
        yield {
          key: `kubelet ${down} ${moment(at)}`,
          text: {
            en: `a restart of the kubelet at ${seconds(before(at, down + EARLIER))}, which took ${seconds(down)}`,
            zh: `kubelet 在 ${seconds(before(at, down + EARLIER))} 重启，用时 ${seconds(down)}`,
          },
          cost: 2,
          change: withSteps(before(at, down + EARLIER), [{ restart: { kubelet: 'stop', down: seconds(down) } }]),
        };
    },
  },
  {
    id: 'runtime-restart',
    name: { en: 'a restart of the container runtime', zh: '容器运行时重启' },
    hints: [
      { says: /Unavailable|connection|"code":14/, weight: 3 },
      { path: /^code$/, weight: 2 },
      { kinds: ['call'], how: ['missing', 'time', 'value'], weight: 2 },
      { weight: 1 },
    ],
    *guesses({ at, late, failed }) {
      // It may have gone in the middle of the first call that failed, or before.
      for (const earlier of failed === null ? [EARLIER] : [AT_ONCE, EARLIER])
        for (const down of [...(late > 1e6 ? [late] : []), 5e6, 2e6, 10e6]) {
          const from = earlier === AT_ONCE ? before(failed ?? at, AT_ONCE) : before(at - late, earlier);
          yield {
            key: `runtime ${down} ${earlier} ${moment(at)}`,
            text: {
              en: `a runtime that was away from ${seconds(from)} for ${seconds(down)}`,
              zh: `运行时自 ${seconds(from)} 起中断 ${seconds(down)}`,
            },
            cost: 2,
            change: withSteps(from, [{ fault: { runtime: 'stopped', for: seconds(down) } }]),
          };
        }
    },
  },
  {
    id: 'clock-jumped',
    name: { en: 'a clock that jumped', zh: '时钟跳变' },
    hints: [
      { says: /DeadlineExceeded/, weight: 3 },
      { says: /startedAt|finishedAt|certificate/i, weight: 2 },
      { kinds: ['restart', 'status'], weight: 1 },
    ],
    *guesses({ at }) {
      for (const jump of ['1h', '-1h', '1m', '-1m'])
        yield {
          key: `clock ${jump} ${moment(at)}`,
          text: {
            en: `a wall clock that jumped by ${jump} at ${seconds(before(at, EARLIER))}`,
            zh: `系统时钟在 ${seconds(before(at, EARLIER))} 跳变 ${jump}`,
          },
          cost: 3,
          change: withSteps(before(at, EARLIER), [{ fault: { clock: jump } }]),
        };
    },
  },
  {
    id: 'api-away',
    name: { en: 'an API server that was away', zh: 'API server 不可用' },
    hints: [
      { kinds: ['config'], how: ['extra'], what: /REMOVE/, weight: 3 },
      { kinds: ['config'], weight: 2 },
      { says: /connection refused|configmap|secret/i, weight: 3 },
      { kinds: ['call', 'sync', 'pleg', 'status'], weight: 1 },
    ],
    *guesses({ document, at, late }) {
      if (nodeOf(document).apiServer !== true) return;
      for (const down of [...(late > 1e6 ? [late + EARLIER] : []), 5e6, 20e6, LASTING]) {
        const from = before(at - late, EARLIER);
        const long = {
          en: down === LASTING ? 'on' : `for ${seconds(down)}`,
          zh: down === LASTING ? '' : ` ${seconds(down)}`,
        };
        yield {
          key: `api ${down} ${moment(at)}`,
          text: {
            en: `an API server that was away from ${seconds(from)} ${long.en}`,
            zh: `API server 自 ${seconds(from)} 起中断${long.zh}`,
          },
          cost: 2,
          change: withSteps(from, [{ fault: { api: 'unreachable', for: seconds(down) } }]),
        };
      }
    },
  },
  {
    id: 'network-away',
    name: { en: 'a pod network that was not ready', zh: 'Pod 网络未就绪' },
    hints: [
      { says: /[Nn]etwork/, weight: 3 },
      { kinds: ['call', 'sync'], what: /RunPodSandbox|sync/, weight: 1 },
    ],
    *guesses({ at, late }) {
      for (const down of [...(late > 1e6 ? [late] : []), 5e6, 20e6])
        yield {
          key: `network ${down} ${moment(at)}`,
          text: {
            en: `a pod network that was not ready from ${seconds(before(at - late, 1e6))} for ${seconds(down)}`,
            zh: `Pod 网络自 ${seconds(before(at - late, 1e6))} 起 ${seconds(down)} 未就绪`,
          },
          cost: 2,
          change: withSteps(before(at - late, 1e6), [{ fault: { network: 'notReady', for: seconds(down) } }]),
        };
    },
  },
  {
    id: 'configuration',
    name: { en: 'another value of a setting', zh: '另一个配置值' },
    hints: [
      { says: /OutOf|AdmissionError|delaySeconds|back-off \d/, weight: 3 },
      { kinds: ['restart'], weight: 2 },
      { weight: 1 },
    ],
    *guesses({ document, difference }) {
      const all = JSON.stringify(difference);
      const node = nodeOf(document);
      for (const { name, usual, values, says } of settings) {
        if (!says.test(all)) continue;
        const now = node[name] ?? usual;
        for (const value of values)
          if (value !== now)
            yield {
              key: `setting ${name} ${value}`,
              text: {
                en: `${name} ${value} instead of ${now} in the kubelet's configuration`,
                zh: `kubelet 配置中的 ${name} 为 ${value} 而不是 ${now}`,
              },
              cost: 2,
              change: withNode({ [name]: value }),
            };
      }
    },
  },
  {
    id: 'feature-gate',
    name: { en: 'another feature gate', zh: '另一个特性门控' },
    hints: [{ says: /delaySeconds|back-off \d/, weight: 2 }, { weight: 1 }],
    *guesses({ document, difference }) {
      const all = JSON.stringify(difference);
      const given = objectOf(nodeOf(document).featureGates);
      for (const { name, usual, says } of gates) {
        if (!says.test(all)) continue;
        const now = typeof given[name] === 'boolean' ? given[name] : usual;
        yield {
          key: `gate ${name}`,
          text: {
            en: `the feature gate ${name} ${now ? 'off' : 'on'}`,
            zh: `特性门控 ${name} ${now ? '关闭' : '开启'}`,
          },
          cost: 2,
          change: withNode({ featureGates: { ...given, [name]: !now } }),
        };
      }
    },
  },
  {
    id: 'kubelet-version',
    name: { en: 'another version of the kubelet', zh: '另一个 kubelet 版本' },
    hints: [
      { how: ['value'], path: /^config\.|^conditions|observedGeneration|seccomp/, weight: 3 },
      { kinds: ['sync', 'config'], weight: 2 },
      { weight: 1 },
    ],
    *guesses({ document }) {
      const now = (textOf(specOf(document).era) || 'v1.36') as EraVersion;
      const place = eraVersions.indexOf(now);
      const near = [...eraVersions].sort(
        (a, b) => Math.abs(eraVersions.indexOf(a) - place) - Math.abs(eraVersions.indexOf(b) - place),
      );
      for (const era of near)
        if (era !== now)
          yield {
            key: `era ${era}`,
            text: { en: `a kubelet ${era} instead of ${now}`, zh: `kubelet 版本为 ${era} 而不是 ${now}` },
            cost: 3,
            change: withSpec((spec) => ({ ...spec, era })),
          };
    },
  },
];

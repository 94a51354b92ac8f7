/** Findings in sentences. */
import { gapZh } from '../../trace/index.js';
import type { Text } from '../why/types.js';
import type { FindingCode, RunFinding } from './types.js';

type Facts = Omit<RunFinding, 'text' | 'id' | 'moments' | 'first' | 'last'>;

const seconds = (micros: number | undefined): string => {
  const s = (micros ?? 0) / 1e6;
  if (s < 1) return `${Math.round(s * 1000)} ms`;
  if (s < 120) return `${Math.round(s * 10) / 10} s`;
  return `${Math.round(s / 6) / 10} min`;
};
const times = (n: number) => (n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`);
const podEn = (f: Facts) => f.pod || (f.uid ? `pod ${f.uid}` : 'a pod that is not named');
const podZh = (f: Facts) => f.pod || (f.uid ? `Pod ${f.uid}` : '某个 Pod');
const whoEn = (f: Facts) => (f.container ? `${f.container} in ${podEn(f)}` : podEn(f));
const whoZh = (f: Facts) => (f.container ? `${podZh(f)} 的容器 ${f.container} ` : `${podZh(f)} `);
/** Names the pod in brackets; '' for a finding about the node. */
const forEn = (f: Facts) => (f.pod || f.uid ? ` (${podEn(f)})` : '');
const forZh = (f: Facts) => (f.pod || f.uid ? `（${podZh(f)}）` : '');
const quoted = (text: string) => (text.length > 240 ? `${text.slice(0, 240)}…` : text);
const exitEn = (f: Facts) => (f.exitCode === undefined ? '' : `, the last time with exit code ${f.exitCode}`);
const exitZh = (f: Facts) => (f.exitCode === undefined ? '' : `，最近一次退出码为 ${f.exitCode}`);
const PROBES: Readonly<Record<string, string>> = { liveness: '存活', readiness: '就绪', startup: '启动' };

const sentences: { readonly [C in FindingCode]: (f: Facts) => Text } = {
  panic: (f) => ({ en: `The kubelet panicked: ${quoted(f.what)}.`, zh: `kubelet 发生 panic：${quoted(f.what)}。` }),
  oom: (f) => ({
    en: `${whoEn(f)} was killed for its memory (OOM) ${times(f.count)}.`,
    zh: `${whoZh(f)}因内存不足（OOM）被杀 ${f.count} 次。`,
  }),
  eviction: (f) => ({
    en: `${podEn(f)} was evicted: ${quoted(f.what)}.`,
    zh: `${podZh(f)} 被驱逐：${quoted(f.what)}。`,
  }),
  crash: (f) => ({
    en: `${whoEn(f)} ended in failure ${times(f.count)}${exitEn(f)}.`,
    zh: `${whoZh(f)}失败退出 ${f.count} 次${exitZh(f)}。`,
  }),
  restart: (f) => ({
    en: `${whoEn(f)} was restarted ${times(f.count)}.`,
    zh: `${whoZh(f)}被重启 ${f.count} 次。`,
  }),
  image: (f) => ({
    en: `The image of ${whoEn(f)} could not be obtained: ${quoted(f.what)}.`,
    zh: `无法获得 ${whoZh(f)}的镜像：${quoted(f.what)}。`,
  }),
  'sync-failed': (f) => ({
    en: `Syncing ${whoEn(f)} failed ${times(f.count)}: ${quoted(f.what)}.`,
    zh: `同步 ${whoZh(f)}失败 ${f.count} 次：${quoted(f.what)}。`,
  }),
  volume: (f) => ({
    en: `A volume of ${podEn(f)} failed ${times(f.count)}: ${quoted(f.what)}.`,
    zh: `${podZh(f)} 的卷失败 ${f.count} 次：${quoted(f.what)}。`,
  }),
  'probe-failed': (f) => ({
    en: `The ${f.what} probe of ${whoEn(f)} failed ${times(f.count)}.`,
    zh: `${whoZh(f)}的${PROBES[f.what] ?? f.what}探针失败 ${f.count} 次。`,
  }),
  'gate-closed': (f) => ({
    en: `The loop paused ${times(f.count)}: ${quoted(f.what)}.`,
    zh: `循环暂停 ${f.count} 次：${quoted(f.what)}。`,
  }),
  'not-ready': (f) => ({
    en: `A condition of the node turned bad ${times(f.count)}: ${quoted(f.what)}.`,
    zh: `节点状况变坏 ${f.count} 次：${quoted(f.what)}。`,
  }),
  'kubelet-restart': (f) => ({
    en: `The kubelet itself was restarted ${times(f.count)}.`,
    zh: `kubelet 自身被重启 ${f.count} 次。`,
  }),
  'call-failed': (f) => ({
    en: `A call to the runtime failed ${times(f.count)}${forEn(f)}: ${quoted(f.what)}.`,
    zh: `对运行时的调用失败 ${f.count} 次${forZh(f)}：${quoted(f.what)}。`,
  }),
  'back-off': (f) => ({
    en: `${whoEn(f)} had to wait before its next start (CrashLoopBackOff), ${times(f.count)}${
      f.longest ? `, at most ${seconds(f.longest)}` : ''
    }.`,
    zh: `${whoZh(f)}在下次启动前须等待（CrashLoopBackOff），共 ${f.count} 次${
      f.longest ? `，最长 ${seconds(f.longest)}` : ''
    }。`,
  }),
  disagreement: (f) => ({
    en: `Two sources disagree ${times(f.count)}: ${quoted(f.what)}.`,
    zh: `两个来源说法不一 ${f.count} 次：${quoted(f.what)}。`,
  }),
  'call-slow': (f) => ({
    en: `${f.what} was slow ${times(f.count)}, at most ${seconds(f.longest)}.`,
    zh: `${f.what} 缓慢 ${f.count} 次，最长 ${seconds(f.longest)}。`,
  }),
  admission: (f) => ({
    en: `${podEn(f)} was not admitted: ${quoted(f.what)}.`,
    zh: `${podZh(f)} 未被接纳：${quoted(f.what)}。`,
  }),
  warning: (f) => ({
    en: `The kubelet warned ${times(f.count)}${forEn(f)}: ${quoted(f.what)}.`,
    zh: `kubelet 发出警告 ${f.count} 次${forZh(f)}：${quoted(f.what)}。`,
  }),
  advice: (f) => ({
    en: `The kubelet gave advice ${times(f.count)}${forEn(f)}: ${quoted(f.what)}.`,
    zh: `kubelet 给出建议 ${f.count} 次${forZh(f)}：${quoted(f.what)}。`,
  }),
  killed: (f) => ({
    en: `${whoEn(f)} was killed ${times(f.count)}: ${quoted(f.what)}.`,
    zh: `${whoZh(f)}被终止 ${f.count} 次：${quoted(f.what)}。`,
  }),
  died: (f) => ({
    en: `Containers of ${podEn(f)} ended ${times(f.count)} (ContainerDied).`,
    zh: `${podZh(f)} 的容器结束 ${f.count} 次（ContainerDied）。`,
  }),
  'api-failed': (f) => ({
    en: `The API server could not be reached, or refused, ${times(f.count)}: ${quoted(f.what)}.`,
    zh: `无法访问 API server 或被其拒绝 ${f.count} 次：${quoted(f.what)}。`,
  }),
  'error-line': (f) => ({
    en: `The log has an error ${times(f.count)}: ${quoted(f.what)}.`,
    zh: `日志中有错误 ${f.count} 次：${quoted(f.what)}。`,
  }),
  gap: (f) => ({
    en: `Something is missing here ${times(f.count)}: ${quoted(f.what)}.`,
    zh: `此处有缺失 ${f.count} 次：${quoted(gapZh(f.what))}。`,
  }),
};

/** One full stop is enough where what is quoted ends with one. */
const tidy = ({ en, zh }: Text): Text => ({ en: en.replace(/([.!?…])\.$/, '$1'), zh: zh.replace(/[.。…]。$/, '。') });

export const findingText = (finding: Facts): Text => tidy(sentences[finding.code](finding));

/** The state of a twin that follows a kubelet, in words. */
import { isOfEra } from '@syncloop/core/version';
import type { TwinText } from '../base/types.js';
import type { LiveStatus } from './types.js';

export const waits: TwinText = {
  en: 'no source has listed the pods yet: name the kubelet with --kubelet, or attach before it starts',
  zh: '还没有来源列出 Pod：请用 --kubelet 指定 kubelet，或在它启动之前接入',
};

export const gaveUp = {
  broken: (why: string): TwinText => ({
    en: `no twin can be made of what was observed: ${why}`,
    zh: `无法由观察到的内容生成孪生：${why}`,
  }),
  divergence: (times: number, { en, zh }: TwinText): TwinText => ({
    en: `this kubelet and its twin differed ${times} times in a row; the last time: ${en}`,
    zh: `该 kubelet 与孪生已连续 ${times} 次出现差异；最近一次：${zh}`,
  }),
  noList: ({ en, zh }: TwinText): TwinText => ({
    en: `after a difference the twin has to begin again, but no source lists the pods (give --kubelet): ${en}`,
    zh: `出现差异后孪生须重新开始，但没有来源列出 Pod（请指定 --kubelet）：${zh}`,
  }),
};

export function statusText(status: Omit<LiveStatus, 'text'>, epochMicros: number): TwinText {
  const { state, reason, agreesSince, behind, compared, same, differences, followed, left, era, kubelet } = status;
  if (state === 'waiting') return { en: `The twin waits: ${reason?.en}.`, zh: `孪生在等待：${reason?.zh}。` };
  if (state === 'gone') return { en: `The twin has given up: ${reason?.en}`, zh: `孪生已放弃：${reason?.zh}` };
  const clock = (time: number) => new Date((epochMicros + time) / 1000).toISOString().slice(11, 19);
  const seconds = (behind / 1e6).toFixed(1);
  const pods = {
    en: left.length > 0 ? `; it follows ${followed} of the ${followed + left.length} pods that were already there` : '',
    zh: left.length > 0 ? `；跟踪原有 ${followed + left.length} 个 Pod 中的 ${followed} 个` : '',
  };
  const many = {
    en: differences === 0 ? '' : `, ${differences} ${differences === 1 ? 'difference' : 'differences'} kept`,
    zh: differences === 0 ? '' : `，保留 ${differences} 处差异`,
  };
  const since =
    agreesSince === null
      ? { en: 'nothing has been compared yet', zh: '尚无可比较的决策' }
      : {
          en: `agrees since ${clock(agreesSince)} UTC, ${same} of ${compared} decisions the same`,
          zh: `自 ${clock(agreesSince)}（UTC）起一致，${compared} 个决策中 ${same} 个相同`,
        };
  // A version is named only if that of the twin is not the observed one.
  const exact = isOfEra(kubelet, era);
  const of = kubelet.version || { en: 'an unknown version', zh: '未知版本' };
  const who = {
    en: exact ? '' : ` (${era}, for ${typeof of === 'string' ? of : of.en})`,
    zh: exact ? '' : `（${era}，对应${typeof of === 'string' ? ` ${of}` : of.zh}）`,
  };
  return {
    en: `The twin${who.en} is ${seconds} s behind; ${since.en}${many.en}${pods.en}.`,
    zh: `孪生${who.zh}落后 ${seconds} 秒；${since.zh}${many.zh}${pods.zh}。`,
  };
}

import type { VerdictText } from '../verdict/index.js';
import type { FleetNode, UnreadReason } from './types.js';

/** Makes the sentence for each reason why a node was not read. */
const texts: { readonly [W in UnreadReason['why']]: (detail: string) => VerdictText } = {
  archive: () => ({ en: 'its archive cannot be unpacked', zh: '无法解压它的归档文件' }),
  'page-limit': (size) => ({
    en: `it was left out: a page reads at most ${size} of all nodes together`,
    zh: `未读取：一个页面最多读取所有节点合计 ${size} 的日志`,
  }),
  'command-limit': (flag) => ({
    en: `it was left out: the limit of ${flag} was reached`,
    zh: `未读取：已达到 ${flag} 的限制`,
  }),
  'no-kubelet': () => ({ en: 'none of its files is from a kubelet', zh: '其中没有 kubelet 的文件' }),
  error: (message) => ({ en: message, zh: `无法读取：${message}` }),
};

/** Returns why a node could not be read; null if it was read. */
export function problemWords({ problem, unread }: Pick<FleetNode, 'problem' | 'unread'>): VerdictText | null {
  if (problem === '') return null;
  return unread ? texts[unread.why](unread.detail) : texts.error(problem);
}

/** A node that could not be read. */
export const unreadNode = (name: string, source: string, why: UnreadReason['why'], detail = ''): FleetNode => ({
  ...{ name, source, version: '', level: 'nothing', lines: 0, read: 0, from: null, to: null, clock: null },
  ...{ incidents: [], landings: [], evictions: [], dropped: 0 },
  problem: texts[why](detail).en,
  unread: { why, detail },
});

/** A node's clock in words: how far it is from the API server's, and how this was estimated. */
import type { VerdictText } from '../verdict/index.js';
import type { FleetNode } from './types.js';

const seconds = (millis: number): string => (Math.abs(millis) / 1000).toFixed(1);

/** A node's clock against the API server's; null if the two agree, or nothing is known. */
export function clockWords({ name, clock }: FleetNode): VerdictText | null {
  if (!clock || clock.ahead === 0) return null;
  const { ahead, uncertainty, pods } = clock;
  const behind = ahead < 0;
  return {
    en: `${name}: ${seconds(ahead)} s ${behind ? 'behind' : 'ahead of'} the API server (± ${seconds(uncertainty)} s, by ${pods} ${pods === 1 ? 'pod' : 'pods'}); its times are corrected here`,
    zh: `${name}：比 API server ${behind ? '慢' : '快'} ${seconds(ahead)} 秒（± ${seconds(uncertainty)} 秒，依据 ${pods} 个 Pod）；此处时间已校正`,
  };
}

/** `+3.2 s`; `±1.0 s` if the two agree within that; `?` if nothing is known. */
export const clockOffset = ({ clock }: Pick<FleetNode, 'clock'>): string =>
  !clock
    ? '?'
    : clock.ahead === 0
      ? `±${seconds(clock.uncertainty)} s`
      : `${clock.ahead < 0 ? '−' : '+'}${seconds(clock.ahead)} s`;

/** How the offset of a node's clock was estimated. */
export function clockBasis({ clock }: Pick<FleetNode, 'clock'>): VerdictText {
  if (!clock)
    return {
      en: 'The offset of its clock is not known: its log has no pods of which both the creation, by the API server, and the arrival, by the kubelet, are dated. Its own times stand.',
      zh: '时钟偏差未知：日志中没有同时记录了创建时间（API server）和到达时间（kubelet）的 Pod，因此使用节点自己的时间。',
    };
  const by = {
    en: `estimated from ${clock.pods} ${clock.pods === 1 ? 'pod' : 'pods'}, whose creation the API server dates and whose arrival the kubelet dates`,
    zh: `依据 ${clock.pods} 个 Pod 的创建时间（API server）与到达时间（kubelet）估算`,
  };
  const within = seconds(clock.uncertainty);
  if (clock.ahead === 0)
    return {
      en: `Its clock agrees with the API server’s within ${within} s, ${by.en}.`,
      zh: `与 API server 的时钟相差不超过 ${within} 秒，${by.zh}。`,
    };
  const behind = clock.ahead < 0;
  return {
    en: `Its clock is ${seconds(clock.ahead)} s ${behind ? 'behind' : 'ahead of'} the API server’s (± ${within} s), ${by.en}; its times are corrected here.`,
    zh: `时钟比 API server ${behind ? '慢' : '快'} ${seconds(clock.ahead)} 秒（± ${within} 秒），${by.zh}；此处时间已校正。`,
  };
}

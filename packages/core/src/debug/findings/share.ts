import type { Text } from '../why/types.js';
import type { Overview } from './types.js';

/** Programs that are named; the others are one. */
const NAMED = 4;

const percent = (part: number, whole: number): string => {
  const exact = (100 * part) / whole;
  if (part === 0 || part === whole) return `${Math.round(exact)} %`;
  return exact < 1 ? '<1 %' : exact > 99 ? '>99 %' : `${Math.round(exact)} %`;
};

/**
 * Says which share of the lines was read, and whose the rest is: a verdict on a log of which little was read means
 * little. Null if no log was read.
 */
export function shareText({ programs, elsewhere }: Pick<Overview, 'programs' | 'elsewhere'>): Text | null {
  const all = programs.reduce((sum, { lines }) => sum + lines, elsewhere);
  if (all === 0) return null;
  const read = programs.reduce((sum, one) => sum + one.read, 0);
  const kubelet = programs.find(({ program }) => program === 'kubelet') ?? { lines: 0, read: 0 };
  const rest = programs
    .map(({ program, lines, read }) => ({ program, left: lines - read }))
    .filter(({ left }) => left > 0)
    .sort((a, b) => b.left - a.left || (a.program < b.program ? -1 : 1));
  const more = rest.splice(NAMED).reduce((sum, { left }) => sum + left, 0);
  const parts = (lang: 'en' | 'zh') =>
    [
      ...rest.map(
        ({ program, left }) => [program || (lang === 'en' ? 'no program named' : '未写明程序'), left] as const,
      ),
      ...(more > 0 ? [[lang === 'en' ? 'other programs' : '其他程序', more] as const] : []),
      ...(elsewhere > 0 ? [[lang === 'en' ? 'other nodes' : '其他节点', elsewhere] as const] : []),
    ].map(([name, left]) => `${name} ${percent(left, all)}`);
  const count = (n: number) => n.toLocaleString('en-US');
  const en = parts('en');
  const zh = parts('zh');
  return {
    en: `Read ${percent(read, all)} of ${count(all)} lines${
      kubelet.lines > 0
        ? `, and ${percent(kubelet.read, kubelet.lines)} of the kubelet's ${count(kubelet.lines)}`
        : ', none of which is the kubelet’s'
    }${en.length > 0 ? `; the rest: ${en.join(', ')}` : ''}.`,
    zh: `共 ${count(all)} 行，读懂 ${percent(read, all)}${
      kubelet.lines > 0
        ? `；其中 kubelet 的 ${count(kubelet.lines)} 行读懂 ${percent(kubelet.read, kubelet.lines)}`
        : '；没有一行是 kubelet 写的'
    }${zh.length > 0 ? `。其余：${zh.join('、')}` : ''}。`,
  };
}

/** Says which of several nodes is shown, and which there are besides. Null for a log of one node. */
export function nodesText({ nodes }: Pick<Overview, 'nodes'>): Text | null {
  const [shown, ...others] = nodes.map(({ name }) => name);
  if (shown === undefined || others.length === 0) return null;
  const some = others.slice(0, 20);
  const more = others.length - some.length;
  return {
    en: `These are lines of ${nodes.length} nodes: ${shown} is shown, and not ${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    zh: `日志来自 ${nodes.length} 个节点：显示的是 ${shown}，未显示 ${some.join('、')}${more > 0 ? ` 等另外 ${more} 个` : ''}。`,
  };
}

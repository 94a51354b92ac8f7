/** Sentences for operations on volumes, in both languages. */
import type { RecordOf } from '../records.js';
import { type Names, quote, type Sentence, say } from './parts.js';

type Volume = RecordOf<'volume'>;

/** `kubernetes.io/empty-dir` -> `empty-dir` */
const kindOf = (plugin: string): string => plugin.slice(plugin.lastIndexOf('/') + 1);

export function volumeEn(r: Volume, n: Names): Sentence {
  const of = say`volume ${r.volume} (${kindOf(r.plugin)}) of ${n.pod(r)}`;
  if (r.op === 'reconstruct') return say`Found on disk: ${of}. Nobody knows yet whether it is mounted.`;
  const verb =
    r.op === 'volume_unmount' ? 'unmount' : r.op === 'volume_mount' ? (r.remount ? 'refresh' : 'mount') : 'attach';
  if (r.phase === 'start') return say`The volume manager begins to ${verb} ${of}.`;
  if (r.error !== undefined) return say`The volume manager could not ${verb} ${of}: ${quote(r.error)}.`;
  if (verb === 'attach') return say`There is nothing to attach for ${of}: it can be mounted.`;
  const done = { unmount: 'is unmounted', refresh: 'is up to date', mount: 'is mounted' }[verb];
  return say`The ${of} ${done}.`;
}

export function volumeZh(r: Volume, n: Names): Sentence {
  const of = say`${n.pod(r)} 的卷 ${r.volume}（${kindOf(r.plugin)}）`;
  if (r.op === 'reconstruct') return say`在磁盘上发现 ${of}，尚不知道它是否已挂载。`;
  const verb = r.op === 'volume_unmount' ? '卸载' : r.op === 'volume_mount' ? (r.remount ? '更新' : '挂载') : '连接';
  if (r.phase === 'start') return say`卷管理器开始${verb} ${of}。`;
  if (r.error !== undefined) return say`卷管理器未能${verb} ${of}：${quote(r.error)}。`;
  if (verb === '连接') return say`${of} 无需连接，可以挂载。`;
  return say`${of} 已${verb}。`;
}

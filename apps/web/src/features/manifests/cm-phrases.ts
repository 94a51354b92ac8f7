import { EditorState, type Extension } from '@codemirror/state';
import type { Lang } from '../../page/ui-store.js';

/** The editor's own few words, in Chinese. */
const ZH: Readonly<Record<string, string>> = {
  'Control character': '控制字符',
  'Selection deleted': '已删除所选内容',
  'Folded lines': '折叠的行',
  'Unfolded lines': '展开的行',
  to: '到',
  'folded code': '折叠的内容',
  unfold: '展开',
  'Fold line': '折叠',
  'Unfold line': '展开',
  'Go to line': '跳到行',
  go: '跳转',
  Find: '查找',
  Replace: '替换为',
  next: '下一个',
  previous: '上一个',
  all: '全部',
  'match case': '区分大小写',
  'by word': '整词',
  regexp: '正则',
  replace: '替换',
  'replace all': '全部替换',
  close: '关闭',
  'current match': '当前匹配',
  'replaced $ matches': '替换了 $ 处',
  'replaced match on line $': '替换了第 $ 行的匹配',
  'on line': '在第几行：',
  Completions: '补全建议',
  Diagnostics: '问题',
  'No diagnostics': '没有问题',
  '$ unchanged lines': '$ 行未改',
};

export const phrases = (lang: Lang): Extension => (lang === 'zh-CN' ? EditorState.phrases.of(ZH) : []);

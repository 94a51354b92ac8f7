import type { Outcome, Problem } from '@syncloop/core/manifest';
import type { SchemaNode } from '@syncloop/core/schema';
import type { MessageKey, Translate } from '../../../i18n/index.js';
import type { Lang } from '../../../page/ui-store.js';
import { typeName } from './yaml-complete.js';

const SYNTAX = [
  'json',
  'TAB_AS_INDENT',
  'BAD_INDENT',
  'BLOCK_AS_IMPLICIT_KEY',
  'MULTILINE_IMPLICIT_KEY',
  'MISSING_CHAR',
  'BAD_ALIAS',
] as const;

/** A problem as a sentence. */
export function problemText(t: Translate, problem: Problem): string {
  const { code, params } = problem;
  const rule = SYNTAX.find((r) => r === params.rule);
  if (code === 'syntax' && rule) return t(`manifests.problem.syntax.${rule}`, params);
  if (code === 'type' && isBare(problem)) return t('manifests.problem.type.bare', params);
  return t(`manifests.problem.${code}`, params);
}

/** Text that YAML takes for something else, as `yes` and `1.10`. */
const isBare = ({ params }: Problem): boolean => params.want === 'string' && /^(boolean|number)/.test(params.got ?? '');

/** A fix of a problem: another text in the place of a stretch. */
export interface Fix {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}
export function fixesOf(t: Translate, problem: Problem, text: string): Fix[] {
  const { code, params, from, to } = problem;
  if (code === 'unknownNear') {
    const written = text.slice(from, to);
    const quote = /^["']/.exec(written)?.[0] ?? '';
    const near = params.near ?? '';
    return [{ label: t('manifests.fix.rename', { near }), from, to, insert: `${quote}${near}${quote}` }];
  }
  if (code === 'type' && isBare(problem))
    return [{ label: t('manifests.fix.quote'), from, to, insert: JSON.stringify(text.slice(from, to)) }];
  if (code === 'ignored' || code === 'readOnly' || code === 'reference' || code === 'unknown') {
    const block = blockAt(text, from);
    return block ? [{ label: t('manifests.fix.remove'), ...block, insert: '' }] : [];
  }
  return [];
}

/** The lines of a key with all that belongs to it; null if it shares its line with others. */
export function blockAt(text: string, at: number): { readonly from: number; readonly to: number } | null {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const indent = at - start;
  if (text.slice(start, at).trim() !== '') return null;
  let end = text.indexOf('\n', at);
  if (end < 0) return { from: start, to: text.length };
  end++;
  while (end < text.length) {
    const next = text.indexOf('\n', end);
    const line = text.slice(end, next < 0 ? text.length : next);
    const own = line.length - line.trimStart().length;
    // A list may be in the column of its key.
    if (line.trim() !== '' && own <= indent && !(own === indent && /^-(\s|$)/.test(line.trimStart()))) break;
    end = next < 0 ? text.length : next + 1;
  }
  return { from: start, to: end };
}

/** Line and column of a place, from 1. */
export function placeOf(text: string, at: number): { readonly line: number; readonly col: number } {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return { line, col: at - (before.lastIndexOf('\n') + 1) + 1 };
}

export function counted(problems: readonly Problem[]): { errors: number; warnings: number; infos: number } {
  const n = (severity: Problem['severity']) => problems.filter((p) => p.severity === severity).length;
  return { errors: n('error'), warnings: n('warning'), infos: n('info') };
}

/** A field in words: description, then a line each on its type, its default and its values. */
export function hoverLines(t: Translate, lang: Lang, node: SchemaNode, required: boolean): string[] {
  const facts = [
    `${t('manifests.hover.type')} ${typeName(node)}`,
    ...(required ? [t('manifests.hover.required')] : []),
    ...(node.default === undefined || node.default === ''
      ? []
      : [t('manifests.hover.default', { value: String(node.default) })]),
  ];
  const values = node.enum?.filter((v) => v !== '') ?? [];
  return [
    node.description[lang === 'en' ? 'en' : 'zh'],
    facts.join(' · '),
    ...(values.length > 1 ? [t('manifests.hover.values', { values: values.join(', ') })] : []),
    ...(node.unsupported ? [t('manifests.hover.ignored')] : []),
    ...(node.readOnly ? [t('manifests.hover.readOnly')] : []),
  ];
}

/** Describes what will happen, in a sentence or two. */
export function outcomeText(t: Translate, outcome: Outcome): string {
  const key: MessageKey = `manifests.outcome.${outcome.kind}`;
  switch (outcome.kind) {
    case 'updated': {
      const { restarted } = outcome;
      return t(key, {
        pod: outcome.pod,
        restarted:
          restarted.length > 0
            ? t('manifests.outcome.restarted', { names: restarted.join(', ') })
            : t('manifests.outcome.notRestarted'),
      });
    }
    case 'renamed':
      return t(key, { pod: outcome.pod, old: outcome.oldPod, grace: outcome.grace });
    case 'replaced':
      return t(key, { pod: outcome.pod, grace: outcome.grace });
    case 'unusable':
      return t(key, { error: outcome.error });
    case 'taken':
      return t(key, { pod: outcome.pod, file: outcome.file });
    default:
      return t(key, { pod: outcome.pod });
  }
}

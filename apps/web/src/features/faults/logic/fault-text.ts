/** Actions in words: the name of a branch, and YAML. */
import type { Json } from '@syncloop/core/trace';

/** The name of the branch that it begins, from its action: `fault StartContainer`, `kill web/app`. */
export function actionName(action: Json): string {
  if (typeof action === 'string') return (action.trim().split('\n')[0] ?? '').replace(/^-\s*/, '').slice(0, 60);
  const [verb, argument] = firstOf(action);
  if (typeof argument === 'string') return `${verb} ${argument}`.slice(0, 60);
  const entries = Object.entries(argument ?? {});
  const [key, value] = verb === 'fault' ? firstOf(argument) : ['', undefined];
  if (verb !== 'fault')
    return `${verb} ${entries
      .slice(0, 2)
      .map(([, v]) => String(v))
      .join('/')}`.slice(0, 60);
  return `${verb} ${key === 'method' ? '' : `${key} `}${typeof value === 'object' ? '' : String(value)}`
    .trim()
    .slice(0, 60);
}
function firstOf(value: Json | undefined): readonly [string, Json | undefined] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (Object.entries(value)[0] ?? ['', undefined])
    : ['', undefined];
}

/** An action as YAML, as it stands in a scenario. */
export function actionText(action: Json): string {
  return yaml(action, 0);
}
const PLAIN = /^([A-Za-z/][\w./@-]*|-?\d+(\.\d+)?(ms|s|m|h))$/;
const WORDS = /^(true|false|null|yes|no|on|off|y|n)$/i;
function yaml(value: Json, depth: number): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return scalar(value);
  return Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .map(([key, v]) => {
      const inner = typeof v === 'object' && v !== null && !Array.isArray(v);
      return `${'  '.repeat(depth)}${key}:${inner ? '\n' : ' '}${yaml(v as Json, depth + 1)}`;
    })
    .join('\n');
}
function scalar(value: Json): string {
  return typeof value === 'string' && PLAIN.test(value) && !WORDS.test(value) ? value : JSON.stringify(value);
}

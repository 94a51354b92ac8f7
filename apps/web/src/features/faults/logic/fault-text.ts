/** Actions as YAML. */
import type { Json } from '@syncloop/core/trace';

/** An action as YAML, as it is in a scenario. */
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

const SPECIAL = /[.*+?^${}()|[\]\\/]/g;
const HOLE = /%\{(\w*)\}/g;

/**
 * An expression for a message that printf made: `%{name}` is a value, a group of that name, and `%{}` one without a
 * name. A value in quotes ends at the next quote; the last one goes to the end.
 */
export function printf(template: string): RegExp {
  let source = '^';
  let from = 0;
  for (const hole of template.matchAll(HOLE)) {
    source += template.slice(from, hole.index).replace(SPECIAL, '\\$&');
    from = hole.index + hole[0].length;
    const after = template.charAt(from);
    const quoted = after === '"' && template.charAt(hole.index - 1) === '"';
    const value = quoted ? '[^"]*' : from === template.length ? '[\\s\\S]*' : '[\\s\\S]*?';
    source += hole[1] ? `(?<${hole[1]}>${value})` : `(?:${value})`;
  }
  source += template.slice(from).replace(SPECIAL, '\\$&');
  return new RegExp(from === template.length ? source : `${source}$`);
}

/** A message of which only the beginning is known. */
export const begins = (text: string): RegExp => new RegExp(`^${text.replace(SPECIAL, '\\$&')}`);

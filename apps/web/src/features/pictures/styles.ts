/** The page's own styles, as a picture needs them: without theme and window, only those that its elements use. */
import { decideLightDark } from './light-dark.js';

/** Selectors that depend on a pointer or the focus, and parts that no selector finds. */
const UNSEEN = /::[\w-]+(\([^)]*\))?|:(hover|active|focus(-visible|-within)?)\b/g;
const ROOT = /^:root\b/;

function uses(tree: ParentNode, selector: string): boolean {
  const plain = selector.replace(UNSEEN, '').trim();
  if (plain === '' || /^[,\s]|,\s*(,|$)/.test(plain)) return true;
  try {
    return tree.querySelector(plain) !== null;
  } catch {
    return true;
  }
}

/** Yields the rules that apply now, also those within a condition that holds. */
function* applying(rules: CSSRuleList): IterableIterator<CSSStyleRule> {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) yield rule;
    else if (rule instanceof CSSMediaRule) {
      if (matchMedia(rule.conditionText).matches) yield* applying(rule.cssRules);
    } else if (rule instanceof CSSSupportsRule) {
      if (CSS.supports(rule.conditionText)) yield* applying(rule.cssRules);
    }
  }
}

/** Values of the page's tokens in a theme; lengths that hang on the window are those of now. */
function tokens(rules: readonly CSSStyleRule[], dark: boolean): string {
  const names = new Set(
    rules.filter((r) => ROOT.test(r.selectorText)).flatMap((r) => [...r.style].filter((n) => n.startsWith('--'))),
  );
  const values = getComputedStyle(document.documentElement);
  const probe = document.body.appendChild(document.createElement('i'));
  const out: string[] = [];
  for (const name of names) {
    let value = decideLightDark(values.getPropertyValue(name).trim(), dark);
    if (/\dv[wh]\b/.test(value)) {
      probe.style.fontSize = value;
      value = getComputedStyle(probe).fontSize;
    }
    out.push(`${name}:${value}`);
  }
  probe.remove();
  return out.join(';');
}

/** Returns true if the page is dark now. */
export function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

/** A style sheet for a picture with these elements in it. */
export function stylesFor(tree: ParentNode, dark: boolean): string {
  const rules: CSSStyleRule[] = [];
  for (const sheet of document.styleSheets) rules.push(...applying(sheet.cssRules));
  const used = rules.filter((r) => !ROOT.test(r.selectorText) && uses(tree, r.selectorText));
  return [
    `svg{${tokens(rules, dark)};color-scheme:${dark ? 'dark' : 'light'}}`,
    ...used.map((r) => decideLightDark(r.cssText, dark)),
    '*,::before,::after{animation:none!important;transition:none!important}',
  ].join('\n');
}

import type { AuthorizationAttributes } from '../types.js';

/** upstream: rbacv1.PolicyRule */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const has = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some((v) => v === '*' || v === value) ?? false;
/** upstream: pkg/apis/rbac/v1 ResourceMatches: `*`, `pods/log`, or a subresource of anything (`*` + `/log`) */
const hasResource = (list: readonly string[] | undefined, resource: string, subresource: string): boolean => {
  const combined = subresource ? `${resource}/${subresource}` : resource;
  return list?.some((v) => v === '*' || v === combined || (subresource !== '' && v === `*/${subresource}`)) ?? false;
};
const hasURL = (list: readonly string[] | undefined, path: string): boolean =>
  list?.some((v) => v === '*' || v === path || (v.endsWith('*') && path.startsWith(withoutStars(v)))) ?? false;
function withoutStars(text: string): string {
  let end = text.length;
  while (text[end - 1] === '*') end--;
  return text.slice(0, end);
}

/** upstream: plugin/pkg/auth/authorizer/rbac RuleAllows */
export function ruleAllows(a: AuthorizationAttributes, rule: PolicyRule): boolean {
  if (!has(rule.verbs, a.verb)) return false;
  if (!a.resourceRequest) return hasURL(rule.nonResourceURLs, a.path);
  return (
    has(rule.apiGroups, a.group) &&
    hasResource(rule.resources, a.resource, a.subresource) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(a.name))
  );
}

/** The number of texts in a rule: the cost of looking at it. */
export const weightOf = (r: PolicyRule): number =>
  r.verbs.length +
  (r.apiGroups?.length ?? 0) +
  (r.resources?.length ?? 0) +
  (r.resourceNames?.length ?? 0) +
  (r.nonResourceURLs?.length ?? 0);

/** Comparisons that a check of permissions may take; more are refused, whatever they would come to. */
const maxSteps = 2_000_000;
export class TooManyRules extends Error {}

/**
 * The rules of which some part is not covered by what somebody has. Throws {@link TooManyRules}.
 * upstream: component-helpers auth/rbac/validation Covers
 */
export function uncovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const weight = owned.reduce((n, r) => n + weightOf(r), 1);
  let steps = 0;
  const missing: PolicyRule[] = [];
  for (const rule of wanted)
    for (const part of partsOf(rule)) {
      steps += weight;
      if (steps > maxSteps) throw new TooManyRules('the permissions are too many to compare with those that you have');
      if (!owned.some((o) => covers(o, part))) missing.push(part);
    }
  return missing;
}
/** One rule for each single permission. upstream: BreakdownRule */
function* partsOf(rule: PolicyRule): Generator<PolicyRule> {
  for (const verb of rule.verbs) {
    const verbs = [verb];
    for (const group of rule.apiGroups ?? [])
      for (const resource of rule.resources ?? []) {
        const base = { verbs, apiGroups: [group], resources: [resource] };
        if (rule.resourceNames?.length) for (const name of rule.resourceNames) yield { ...base, resourceNames: [name] };
        else yield base;
      }
    for (const url of rule.nonResourceURLs ?? []) yield { verbs, nonResourceURLs: [url] };
  }
}
/**
 * Returns true if a list of resources covers one that a rule names. The part behind the first slash is the subresource,
 * with all its slashes: `userextras/example.com/team` is more than `userextras/example.com`.
 * upstream: resourceCoversAll
 */
function coversResource(list: readonly string[] | undefined, resource: string): boolean {
  const slash = resource.indexOf('/');
  return list?.some((v) => v === '*' || v === resource || (slash >= 0 && v === `*${resource.slice(slash)}`)) ?? false;
}
/** Returns true if a rule covers a single permission. upstream: ruleCovers */
function covers(owner: PolicyRule, part: PolicyRule): boolean {
  const [verb = ''] = part.verbs;
  if (!has(owner.verbs, verb)) return false;
  const [url] = part.nonResourceURLs ?? [];
  if (url !== undefined) return hasURL(owner.nonResourceURLs, url);
  const [group = ''] = part.apiGroups ?? [];
  const [resource = ''] = part.resources ?? [];
  if (!has(owner.apiGroups, group) || !coversResource(owner.resources, resource)) return false;
  const [name] = part.resourceNames ?? [];
  return !owner.resourceNames?.length || (name !== undefined && owner.resourceNames.includes(name));
}

const go = (texts: readonly string[]): string => `[${texts.map((t) => JSON.stringify(t)).join(' ')}]`;
/** upstream: CompactString */
function ruleText(r: PolicyRule): string {
  const parts = [
    ['APIGroups', r.apiGroups],
    ['Resources', r.resources],
    ['NonResourceURLs', r.nonResourceURLs],
    ['ResourceNames', r.resourceNames],
    ['Verbs', r.verbs],
  ] as const;
  const given = parts.flatMap(([name, texts]) => (texts?.length ? [`${name}:${go(texts)}`] : []));
  return `{${given.join(', ')}}`;
}
/** Rules that differ in their verbs only, in one. upstream: CompactRules */
function compact(rules: readonly PolicyRule[]): PolicyRule[] {
  const out = new Map<string, PolicyRule>();
  for (const r of rules) {
    const key = ruleText({ ...r, verbs: [] });
    out.set(key, { ...r, verbs: [...(out.get(key)?.verbs ?? []), ...r.verbs] });
  }
  return [...out.values()];
}
/** Lines of the error of an escalation at most. */
const maxLines = 50;
export function rulesText(rules: readonly PolicyRule[]): string {
  const lines = [...new Set(compact(rules).map(ruleText))].sort();
  const more = lines.length > maxLines ? [`and ${lines.length - maxLines} more`] : [];
  return [...lines.slice(0, maxLines), ...more].join('\n');
}
export const groupsText = go;

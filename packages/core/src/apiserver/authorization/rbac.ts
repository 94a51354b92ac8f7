import { keyOf, type Store } from '../storage/store.js';
import type { ApiObject, AuthorizationAttributes, Decision, UserInfo } from '../types.js';
import { type PolicyRule, ruleAllows, weightOf } from './rules.js';

export const rbacGroup = 'rbac.authorization.k8s.io';
const storage = (resource: string) => `${resource}.${rbacGroup}`;
export const clusterRolesStorage = storage('clusterroles');

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}
export interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}
interface Binding extends ApiObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleRef;
}

/**
 * The largest number of texts in rules that one decision reads. A user who has more is refused, because reading them
 * all would keep others waiting.
 */
const maxWeight = 200_000;

/** Indexes bindings by the subjects that they name, so that a decision reads only those that concern it. */
class Index {
  private readonly bySubject = new Map<string, Map<string, Binding>>();

  constructor(store: Store, resource: string) {
    store.watch(resource, {
      change: ({ type, object, before }) => {
        if (before) this.remove(before as Binding);
        if (type !== 'DELETED') this.add(object as Binding);
      },
    });
    for (const o of store.list(resource)) this.add(o as Binding);
  }
  /** Returns the bindings of subjects, in the order of their names. */
  of(subjects: readonly string[]): Binding[] {
    const found = new Map<string, Binding>();
    for (const s of subjects) for (const [key, b] of this.bySubject.get(s) ?? []) found.set(key, b);
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, b]) => b);
  }
  private keysOf(b: Binding): string[] {
    return (b.subjects ?? []).map((s) => subjectKey(s, b.metadata.namespace ?? ''));
  }
  private add(b: Binding): void {
    for (const key of this.keysOf(b)) {
      let bindings = this.bySubject.get(key);
      if (!bindings) {
        bindings = new Map();
        this.bySubject.set(key, bindings);
      }
      bindings.set(keyOf(b.metadata.namespace, b.metadata.name), b);
    }
  }
  private remove(b: Binding): void {
    for (const key of this.keysOf(b)) {
      const bindings = this.bySubject.get(key);
      bindings?.delete(keyOf(b.metadata.namespace, b.metadata.name));
      if (bindings?.size === 0) this.bySubject.delete(key);
    }
  }
}
const subjectKey = (s: Subject, namespace: string): string =>
  s.kind === 'ServiceAccount'
    ? `User system:serviceaccount:${s.namespace || namespace}:${s.name}`
    : `${s.kind} ${s.name}`;
const keysOfUser = ({ name, groups }: UserInfo): string[] => [`User ${name}`, ...groups.map((g) => `Group ${g}`)];

/** A rule, and the binding that grants it. */
interface Granted {
  readonly rule: PolicyRule;
  readonly binding: Binding;
}

/** Roles and their bindings. upstream: plugin/pkg/auth/authorizer/rbac (*RBACAuthorizer) */
export class RBAC {
  private readonly clusterBindings: Index;
  private readonly bindings: Index;

  constructor(private readonly store: Store) {
    this.clusterBindings = new Index(store, storage('clusterrolebindings'));
    this.bindings = new Index(store, storage('rolebindings'));
  }

  authorize(a: AuthorizationAttributes): Decision {
    let weight = 0;
    const problems: string[] = [];
    for (const { rule, binding } of this.granted(a.user, a.namespace, problems)) {
      weight += weightOf(rule);
      if (weight > maxWeight)
        return { allowed: false, reason: `RBAC: more than ${maxWeight} rules would have to be looked at` };
      if (ruleAllows(a, rule)) return { allowed: true, reason: `RBAC: allowed by ${sourceText(binding, a.user)}` };
    }
    return { allowed: false, ...(problems.length > 0 && { reason: `RBAC: ${aggregate(problems)}` }) };
  }

  /** Returns all rules that a user has in a namespace; `problems` gets bindings to roles that do not exist. */
  rulesFor(user: UserInfo, namespace: string, problems: string[]): PolicyRule[] {
    const rules: PolicyRule[] = [];
    let weight = 0;
    for (const { rule } of this.granted(user, namespace, problems)) {
      weight += weightOf(rule);
      if (weight > maxWeight) {
        problems.push(`there are more than ${maxWeight} rules`);
        break;
      }
      rules.push(rule);
    }
    return rules;
  }

  /** Rules of the role that a binding in a namespace names; null if there is no such role. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | null {
    const key = kind === 'Role' ? keyOf(namespace, name) : name;
    const role = this.store.get(storage(kind === 'Role' ? 'roles' : 'clusterroles'), key);
    return role ? ((role.rules ?? []) as readonly PolicyRule[]) : null;
  }

  private *granted(user: UserInfo, namespace: string, problems: string[]): Generator<Granted> {
    const subjects = keysOfUser(user);
    const local = namespace ? this.bindings.of(subjects).filter((b) => b.metadata.namespace === namespace) : [];
    for (const binding of [...this.clusterBindings.of(subjects), ...local]) {
      const rules = this.rulesOf(binding.roleRef, binding.metadata.namespace ?? '');
      if (rules) for (const rule of rules) yield { rule, binding };
      else if (problems.length < 20) {
        const resource = storage(binding.roleRef.kind === 'Role' ? 'role' : 'clusterrole');
        problems.push(`${resource} ${JSON.stringify(binding.roleRef.name)} not found`);
      }
    }
  }
}

/** upstream: errors.NewAggregate(...).Error() */
const aggregate = (texts: readonly string[]): string => {
  const unique = [...new Set(texts)];
  return unique.length === 1 ? (unique[0] as string) : `[${unique.join(', ')}]`;
};
/** upstream: clusterRoleBindingDescriber, roleBindingDescriber */
function sourceText(b: Binding, user: UserInfo): string {
  const { name, namespace } = b.metadata;
  const keys = new Set(keysOfUser(user));
  const subject = b.subjects?.find((s) => keys.has(subjectKey(s, namespace ?? '')));
  const who = subject?.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject?.name;
  const kind = namespace ? 'RoleBinding' : 'ClusterRoleBinding';
  const own = namespace ? `${name}/${namespace}` : name;
  return `${kind} ${JSON.stringify(own)} of ${b.roleRef.kind} ${JSON.stringify(b.roleRef.name)} to ${subject?.kind} ${JSON.stringify(who)}`;
}

import { Millisecond, Second, type TimerHandle } from '../../kernel/index.js';
import { clusterRolesStorage } from '../authorization/rbac.js';
import type { PolicyRule } from '../authorization/rules.js';
import type { ServerCore } from '../http/core.js';
import { copyJSON, equalJSON } from '../json.js';
import { matchesLabelSelector } from '../registry/selectors.js';
import { clusterRoles } from '../resources/rbac.js';
import { StatusError } from '../status.js';
import { setTimer } from '../storage/timers.js';
import type { ApiObject, UserInfo } from '../types.js';

interface Role extends ApiObject {
  rules?: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: object[] };
}
const user: UserInfo = {
  name: 'system:serviceaccount:kube-system:clusterrole-aggregation-controller',
  groups: ['system:masters'],
};

/** Fills roles that are put together of others. upstream: pkg/controller/clusterroleaggregation */
export class ClusterRoleAggregation {
  private timer: TimerHandle | null = null;

  constructor(private readonly server: ServerCore) {
    server.store.watch(clusterRolesStorage, { change: () => this.resync() });
  }
  /** Looks at all roles soon: one has changed, or changes were taken back. */
  resync(): void {
    this.wake(10 * Millisecond);
  }
  private wake(after: number): void {
    this.timer ??= setTimer(this.server.kernel, after, () => {
      this.timer = null;
      try {
        this.pass();
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        if (error.code >= 500 || error.code === 409) this.wake(Second);
      }
    });
  }
  private pass(): void {
    const all = this.server.store.list(clusterRolesStorage) as readonly Role[];
    for (const role of all.filter((r) => r.aggregationRule)) {
      const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
      const rules: PolicyRule[] = [];
      const known = new Set<string>();
      for (const other of all) {
        if (other === role || !selectors.some((s) => matchesLabelSelector(s, other.metadata.labels))) continue;
        for (const r of other.rules ?? []) {
          const text = JSON.stringify(r);
          if (!known.has(text)) rules.push(copyJSON(r));
          known.add(text);
        }
      }
      if (!equalJSON(rules, role.rules ?? [])) this.write(role, rules);
    }
  }
  private write({ metadata }: Role, rules: PolicyRule[]): void {
    const env = this.server.env({ method: 'PUT', path: '', user }, { dryRun: false, warn() {} });
    const change = (old: ApiObject): ApiObject => ({ ...copyJSON(old), rules });
    this.server.registry.update(clusterRoles, '', metadata.name, change, env, {
      dryRun: false,
      manager: 'clusterrole-aggregation-controller',
    });
  }
}

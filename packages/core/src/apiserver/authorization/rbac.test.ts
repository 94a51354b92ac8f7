import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { applyType, patchType, podOf, podPath, setup } from '../testing/setup.js';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const jane = { name: 'jane', groups: ['dev', 'system:authenticated'] };
const admin = { name: 'root', groups: ['system:masters'] };
const group = 'rbac.authorization.k8s.io';

function open() {
  const t = setup({ authorizationModes: ['Node', 'RBAC'] });
  const make = (path: string, json: object, user: typeof jane = admin) =>
    t.call('POST', `${rbac}${path}`, { user, json });
  const role = (name: string, rules: object[], user = admin) =>
    make('/namespaces/default/roles', { metadata: { name }, rules }, user);
  const bind = (name: string, roleRef: object, subjects: object[], user = admin) =>
    make('/namespaces/default/rolebindings', { metadata: { name }, roleRef, subjects }, user);
  const bindCluster = (name: string, clusterRole: string, subjects: object[], user = admin) =>
    make(
      '/clusterrolebindings',
      { metadata: { name }, roleRef: { kind: 'ClusterRole', name: clusterRole }, subjects },
      user,
    );
  const may = (verb: string, resource: string, more: object = {}, user = jane) =>
    t.call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      user: admin,
      json: {
        spec: {
          user: user.name,
          groups: user.groups,
          resourceAttributes: { verb, resource, namespace: 'default', ...more },
        },
      },
    }).body.status as unknown as { allowed: boolean; reason?: string };
  return { ...t, role, bind, bindCluster, may };
}
const user = (name: string) => ({ kind: 'User', name });
const pods = (verbs: string[], more: object = {}) => ({ apiGroups: [''], resources: ['pods'], verbs, ...more });

describe('roles and their bindings', () => {
  it('give what they say, where they say it, and tell why', () => {
    const t = open();
    expect(t.call('GET', podPath, { user: jane }).body.message).toBe(
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    expect(t.role('reader', [pods(['get', 'list'])]).code).toBe(201);
    expect(t.bind('jane-reads', { kind: 'Role', name: 'reader' }, [user('jane')]).code).toBe(201);
    expect(t.call('GET', podPath, { user: jane }).code).toBe(200);
    expect(t.call('GET', '/api/v1/pods', { user: jane }).body.message).toContain('at the cluster scope');
    expect(t.call('GET', '/api/v1/namespaces/kube-system/pods', { user: jane }).code).toBe(403);
    expect(t.may('list', 'pods')).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "jane-reads/default" of Role "reader" to User "jane"',
    });
    expect(t.may('delete', 'pods')).toEqual({ allowed: false });
    t.call('DELETE', `${rbac}/namespaces/default/rolebindings/jane-reads`, { user: admin });
    expect(t.may('list', 'pods').allowed).toBe(false);
  });

  it('name users, groups and service accounts; names, subresources and all of them', () => {
    const t = open();
    const sa = { name: 'system:serviceaccount:default:robot', groups: ['system:serviceaccounts'] };
    t.role('one', [
      pods(['get'], { resourceNames: ['web'] }),
      { apiGroups: [''], resources: ['*/log'], verbs: ['*'] },
      { apiGroups: ['*'], resources: ['configmaps'], verbs: ['update'] },
    ]);
    t.bind('one', { kind: 'Role', name: 'one' }, [
      { kind: 'Group', name: 'dev' },
      { kind: 'ServiceAccount', name: 'robot' },
    ]);
    expect(t.may('get', 'pods', { name: 'web' }).allowed).toBe(true);
    expect(t.may('get', 'pods', { name: 'db' }).allowed).toBe(false);
    expect(t.may('get', 'pods').allowed).toBe(false);
    expect(t.may('get', 'pods', { name: 'db', subresource: 'log' }).allowed).toBe(true);
    expect(t.may('update', 'configmaps', { group: 'anything' }).allowed).toBe(true);
    expect(t.may('get', 'pods', { name: 'web' }, sa).reason).toBe(
      'RBAC: allowed by RoleBinding "one/default" of Role "one" to ServiceAccount "robot/default"',
    );
    // A cluster role's rules hold in all namespaces only if it is bound for all.
    t.bind('view', { kind: 'ClusterRole', name: 'view' }, [user('jane')]);
    expect(t.may('list', 'services').allowed).toBe(true);
    expect(t.may('list', 'services', { namespace: 'kube-system' }).allowed).toBe(false);
    expect(t.may('list', 'secrets').allowed).toBe(false);
    t.bindCluster('edit', 'edit', [user('jane')]);
    expect(t.may('list', 'secrets', { namespace: 'kube-system' }).allowed).toBe(true);
  });

  it('of a role that is not there are told, and give nothing', () => {
    const t = open();
    t.bindCluster('lost', 'lost', [user('jane')]);
    expect(t.may('list', 'pods')).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "lost" not found',
    });
  });

  it('are there from the beginning, as in any cluster', () => {
    const t = open();
    const names = t.call('GET', `${rbac}/clusterroles`, { user: admin }).body.items.map((r) => r.metadata.name);
    for (const name of ['cluster-admin', 'admin', 'edit', 'view', 'system:discovery', 'system:node-bootstrapper'])
      expect(names).toContain(name);
    expect(t.call('GET', '/version', { user: jane }).code).toBe(200);
    expect(t.call('GET', '/metrics', { user: jane }).code).toBe(403);
    expect(
      t.call('GET', '/healthz', { user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } }).code,
    ).toBe(200);
    expect(t.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { user: jane, json: {} }).code).toBe(
      201,
    );
  });

  it('are put together of others by their labels', () => {
    const t = open();
    t.bindCluster('jane-views', 'view', [user('jane')]);
    expect(t.may('list', 'leases', { group: 'coordination.k8s.io' }).allowed).toBe(false);
    const made = t.call('POST', `${rbac}/clusterroles`, {
      user: admin,
      json: {
        metadata: { name: 'leases', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
        rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] }],
      },
    });
    expect(made.code).toBe(201);
    t.pass(Second);
    expect(t.may('list', 'leases', { group: 'coordination.k8s.io' }).allowed).toBe(true);
    t.call('DELETE', `${rbac}/clusterroles/leases`, { user: admin });
    t.pass(Second);
    expect(t.may('list', 'leases', { group: 'coordination.k8s.io' }).allowed).toBe(false);
  });

  it('tell somebody what he may', () => {
    const t = open();
    t.role('reader', [pods(['get', 'list'])]);
    t.bind('jane-reads', { kind: 'Role', name: 'reader' }, [user('jane')]);
    const rulesOf = (who: typeof jane) =>
      t.call('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
        user: who,
        json: { spec: { namespace: 'default' } },
      }).body.status as unknown as { resourceRules: object[]; nonResourceRules: object[]; incomplete: boolean };
    const rules = rulesOf(jane);
    expect(rules.resourceRules).toContainEqual({ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] });
    expect(rules.incomplete).toBe(false);
    expect(JSON.stringify(rules.nonResourceRules)).toContain('/openapi/*');
    const node = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
    expect(rulesOf(node)).toMatchObject({
      incomplete: true,
      evaluationError: 'node authorizer does not support user rule resolution',
    });
  });

  it.each([
    ['a rule without verbs', [{ apiGroups: [''], resources: ['pods'] }], 'rules[0].verbs: Required value'],
    ['a rule without groups', [{ verbs: ['get'], resources: ['pods'] }], 'must supply at least one api group'],
    ['a path in a namespace', [{ verbs: ['get'], nonResourceURLs: ['/'] }], 'namespaced rules cannot apply'],
  ])('are refused with %s', (_, rules, words) => {
    expect(open().role('x', rules).body.message).toContain(words);
  });
  it.each([
    ['another kind', { kind: 'Thing', name: 'x' }, [], 'roleRef.kind: Unsupported value: "Thing"'],
    ['no name', { kind: 'Role', name: '' }, [], 'roleRef.name: Required value'],
    [
      'a subject of no kind',
      { kind: 'Role', name: 'x' },
      [{ kind: 'Dog', name: 'rex' }],
      'subjects[0].kind: Unsupported',
    ],
    [
      'a user of a group of its own',
      { kind: 'Role', name: 'x' },
      [{ kind: 'User', name: 'jane', apiGroup: 'x' }],
      `supported values: "${group}"`,
    ],
  ])('are not bound with %s', (_, roleRef, subjects, words) => {
    expect(open().bind('x', roleRef, subjects).body.message).toContain(words);
  });
  it('are bound to one role for good', () => {
    const t = open();
    t.bind('b', { kind: 'Role', name: 'x' }, [user('jane')]);
    const patch = t.call('PATCH', `${rbac}/namespaces/default/rolebindings/b`, {
      ...patchType('merge'),
      user: admin,
      json: { roleRef: { apiGroup: group, kind: 'Role', name: 'y' } },
    });
    expect(patch.body.message).toContain('cannot change roleRef');
  });
});

describe('nobody', () => {
  const boss = { name: 'boss', groups: ['system:authenticated'] };
  /** May write roles and bindings of the namespace, and read pods. */
  function openWithBoss() {
    const t = open();
    t.role('boss', [
      { apiGroups: [group], resources: ['roles', 'rolebindings'], verbs: ['create', 'update', 'patch', 'get'] },
      pods(['get', 'list']),
    ]);
    t.bind('boss', { kind: 'Role', name: 'boss' }, [user('boss')]);
    return t;
  }
  it('grants what he has not', () => {
    const t = openWithBoss();
    expect(t.role('fine', [pods(['get'])], boss).code).toBe(201);
    const made = t.role('more', [pods(['get', 'delete', 'create'])], boss);
    expect(made.body).toMatchObject({
      code: 403,
      message:
        'roles.rbac.authorization.k8s.io "more" is forbidden: user "boss" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete" "create"]}',
    });
    const patch = t.call('PATCH', `${rbac}/namespaces/default/roles/fine`, {
      ...patchType('merge'),
      user: boss,
      json: { rules: [pods(['*'])] },
    });
    expect(patch.code).toBe(403);
    const labels = t.call('PATCH', `${rbac}/namespaces/default/roles/fine`, {
      ...patchType('merge'),
      user: boss,
      json: { metadata: { labels: { a: 'b' } } },
    });
    expect(labels.code).toBe(200);
  });
  it('binds a role that has more than he', () => {
    const t = openWithBoss();
    expect(t.bind('a', { kind: 'ClusterRole', name: 'cluster-admin' }, [user('boss')], boss).code).toBe(403);
    expect(t.bind('b', { kind: 'Role', name: 'nothing' }, [user('boss')], boss).code).toBe(404);
    expect(t.bind('c', { kind: 'Role', name: 'boss' }, [user('jane')], boss).code).toBe(201);
    t.role('binder', [{ apiGroups: [group], resources: ['clusterroles'], resourceNames: ['view'], verbs: ['bind'] }]);
    t.bind('binder', { kind: 'Role', name: 'binder' }, [user('boss')]);
    expect(t.bind('d', { kind: 'ClusterRole', name: 'view' }, [user('jane')], boss).code).toBe(201);
  });
  it('is somebody else without being allowed to', () => {
    const t = open();
    const as =
      (name: string, groups: string[] = []) =>
      () =>
        t.server.impersonate(jane, { user: name, groups, extra: {} });
    expect(as('root')).toThrow(
      'users "root" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
    t.bind('edit', { kind: 'ClusterRole', name: 'edit' }, [user('jane')]);
    expect(as('system:serviceaccount:default:robot')()).toEqual({
      name: 'system:serviceaccount:default:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
    expect(as('system:serviceaccount:default:robot', ['system:masters'])).toThrow(
      'cannot impersonate resource "groups"',
    );
    expect(as('system:serviceaccount:kube-system:robot')).toThrow('in the namespace "kube-system"');
    // A name that no account can have is a user's, which `edit` does not name.
    for (const name of ['Default:robot', 'default:Robot', 'default:a_b', 'default:'])
      expect(as(`system:serviceaccount:${name}`), name).toThrow('cannot impersonate resource "users"');
    expect(t.server.impersonate(admin, { user: 'jane', groups: ['dev'], extra: {} })).toEqual(jane);
  });
});

describe('reviews of access', () => {
  it.each([
    [
      'neither attributes',
      { user: 'x' },
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    ['both', { user: 'x', resourceAttributes: {}, nonResourceAttributes: {} }, 'cannot be specified in combination'],
    ['nobody', { resourceAttributes: { verb: 'get' } }, 'at least one of user or group must be specified'],
  ])('are refused with %s', (_, spec, words) => {
    const { code, body } = open().call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      user: admin,
      json: { spec },
    });
    expect(code).toBe(422);
    expect(body.message).toContain(words);
  });
  it('of a namespace stay in it', () => {
    const { code, body } = open().call(
      'POST',
      '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews',
      { user: admin, json: { spec: { user: 'x', resourceAttributes: { verb: 'get', namespace: 'other' } } } },
    );
    expect([code, body.message]).toEqual([400, 'spec.resourceAttributes.namespace must match namespace: default']);
  });
});

describe('streams', () => {
  const streams = ['exec', 'attach', 'portforward'];
  const upgrades = { websocket: 'websocket', SPDY: 'SPDY/3.1' };
  /** A pod, and a role with these verbs on all of its streams. */
  function withVerbs(verbs: string[]) {
    const t = open();
    t.call('POST', podPath, { user: admin, json: podOf('web') });
    t.role('streamer', [{ apiGroups: [''], resources: streams.map((s) => `pods/${s}`), verbs }]);
    t.bind('streamer', { kind: 'Role', name: 'streamer' }, [user('jane')]);
    const ask = (method: string, stream: string, upgrade: string, pod = 'web') => {
      const headers = { connection: 'Upgrade', upgrade };
      const response = t.server.handle({
        ...{ method, path: `${podPath}/${pod}/${stream}`, query: { command: 'id' }, headers, user: jane },
      });
      return response.kind === 'forward' ? 'forward' : ((response as { body: { message: string } }).body.message ?? '');
    };
    return { ...t, ask };
  }
  const cannot = (verb: string, stream: string, pod = 'web') =>
    `pods "${pod}" is forbidden: User "jane" cannot ${verb} resource "pods/${stream}" in API group "" in the namespace "default"`;

  it.each(Object.values(upgrades))('need create, by whichever method they are asked for (%s)', (upgrade) => {
    for (const stream of streams) {
      const get = withVerbs(['get']);
      expect(get.ask('GET', stream, upgrade)).toBe(cannot('create', stream));
      expect(get.ask('POST', stream, upgrade)).toBe(cannot('create', stream));
      const create = withVerbs(['create']);
      expect(create.ask('GET', stream, upgrade)).toBe(cannot('get', stream));
      expect(create.ask('POST', stream, upgrade)).toBe('forward');
      expect(withVerbs(['get', 'create']).ask('GET', stream, upgrade)).toBe('forward');
    }
  });
  it('are refused before anybody learns which pods there are', () => {
    expect(withVerbs(['get']).ask('GET', 'exec', 'websocket', 'ghost')).toBe(cannot('create', 'exec', 'ghost'));
  });
  it('are open to the roles admin and edit, and to view not', () => {
    for (const [role, allowed] of [
      ['admin', true],
      ['edit', true],
      ['view', false],
    ] as const) {
      const t = withVerbs([]);
      t.bind('role', { kind: 'ClusterRole', name: role }, [user('jane')]);
      for (const stream of streams)
        expect(t.ask('GET', stream, 'websocket') === 'forward', `${role} ${stream}`).toBe(allowed);
    }
  });
  it('through nodes/proxy need what upstream asks for: the verb of the method', () => {
    const t = open();
    t.call('POST', '/api/v1/nodes', { user: admin, json: { metadata: { name: 'n1' } } });
    const rules = [{ apiGroups: [''], resources: ['nodes/proxy'], verbs: ['get'] }];
    t.call('POST', `${rbac}/clusterroles`, { user: admin, json: { metadata: { name: 'proxy' }, rules } });
    t.bindCluster('proxy', 'proxy', [user('jane')]);
    const ask = (method: string) =>
      t.server.handle({ method, path: '/api/v1/nodes/n1/proxy/exec/default/web/app', user: jane });
    expect(ask('GET')).toMatchObject({ kind: 'forward', subresource: 'proxy' });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect(ask(method)).toMatchObject({ code: 403 });
  });
});

describe('a write of what is not there', () => {
  const writer = (verbs: string[]) => {
    const t = open();
    const rules = [{ apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases', 'endpoints'], verbs }];
    t.role('writer', rules);
    t.bind('writer', { kind: 'Role', name: 'writer' }, [user('jane')]);
    const put = (name: string) =>
      t.call('PUT', `/apis/coordination.k8s.io/v1/namespaces/default/leases/${name}`, {
        user: jane,
        json: { metadata: { name }, spec: {} },
      });
    const apply = (name: string) =>
      t.call('PATCH', `/api/v1/namespaces/default/configmaps/${name}?fieldManager=t`, {
        ...{ user: jane, ...applyType, json: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } } },
      });
    return { ...t, put, apply };
  };
  it('needs create, whether it is put or applied', () => {
    const t = writer(['get', 'update', 'patch']);
    expect(t.put('new').body.message).toBe(
      'leases.coordination.k8s.io "new" is forbidden: User "jane" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "default"',
    );
    expect(t.apply('new').body.message).toBe(
      'configmaps "new" is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "default"',
    );
    expect(t.call('GET', '/api/v1/namespaces/default/configmaps/new', { user: admin }).code).toBe(404);
    const w = writer(['get', 'update', 'patch', 'create']);
    expect(w.put('new').code).toBe(201);
    expect([w.apply('new').code, w.apply('new').code]).toEqual([201, 200]);
  });
});

describe('a subresource with a slash in its name', () => {
  it('is not had by whoever has the one before the slash', () => {
    const t = open();
    const extra = (key: string) => ({
      ...{ apiGroups: ['authentication.k8s.io'], resources: [`userextras/${key}`], verbs: ['impersonate'] },
    });
    t.role('own', [extra('example.com'), { apiGroups: [group], resources: ['roles'], verbs: ['create'] }]);
    t.bind('own', { kind: 'Role', name: 'own' }, [user('jane')]);
    expect(t.role('same', [extra('example.com')], jane).code).toBe(201);
    expect(t.role('more', [extra('example.com/team')], jane).body.message).toContain(
      'is attempting to grant RBAC permissions not currently held',
    );
  });
});

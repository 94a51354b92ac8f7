import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { base64Encode } from '../../base/index.js';
import { getRequestAttributes } from '../../kubelet/server/auth.js';
import { parsePath } from '../../kubelet/server/paths.js';
import { reviews } from '../http/reviews.js';
import type { JsonObject } from '../json.js';
import { resources } from '../resources/index.js';
import upstream from '../testdata/upstream-authorization.json' with { type: 'json' };
import { podOf, podPath, setup } from '../testing/setup.js';
import type { AuthorizationAttributes } from '../types.js';

const DOC = new URL('../../../../../docs/operators/authorization.md', import.meta.url);
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const csrs = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

const pem = (label: string) => base64Encode(`-----BEGIN ${label}-----\nLQ==\n-----END ${label}-----\n`);

const askedText = ({ verb, group, resource, subresource, name, path, resourceRequest }: AuthorizationAttributes) => {
  const what = resourceRequest ? `${resource}${group && `.${group}`}${subresource && `/${subresource}`}` : path;
  return `${verb} ${what}${name && ` ${name}`}`;
};

/** A server that allows everything, and what it asked its policy of each request. */
function recording() {
  const asked: AuthorizationAttributes[] = [];
  const { call } = setup({
    authorizationModes: ['Node', 'RBAC'],
    authorize: (a) => {
      asked.push(a);
      return { allowed: true };
    },
  });
  call('POST', podPath, { json: podOf('web') });
  call('POST', '/api/v1/nodes', { json: { metadata: { name: 'n1' } } });
  call('POST', '/api/v1/namespaces/default/configmaps', { json: { metadata: { name: 'old' } } });
  call('POST', leases, { json: { metadata: { name: 'old' }, spec: {} } });
  const usages = ['digital signature', 'server auth'];
  const spec = { request: pem('CERTIFICATE REQUEST'), signerName: 'kubernetes.io/kubelet-serving', usages };
  call('POST', csrs, { json: { metadata: { name: 'asked' }, spec } });
  return (method: string, path: string, json?: JsonObject) => {
    asked.length = 0;
    const apply = method === 'APPLY';
    const type = apply ? 'application/apply-patch+yaml' : 'application/merge-patch+json';
    const full = apply ? `${path}?fieldManager=test` : path;
    const more = {
      ...(json && { json }),
      ...(/^(APPLY|PATCH)$/.test(method) && { headers: { 'content-type': type } }),
    };
    const { code } = call(apply ? 'PATCH' : method, full, more);
    return { asked: [...asked], code };
  };
}

const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
/** Bodies of the requests whose further questions come only when they could be carried out. */
const bodies: Readonly<Record<string, JsonObject>> = {
  [`PUT ${leases}/new`]: { metadata: { name: 'new' }, spec: {} },
  [`PUT ${leases}/old`]: { metadata: { name: 'old' }, spec: {} },
  'APPLY /api/v1/namespaces/default/configmaps/new': { apiVersion: 'v1', kind: 'ConfigMap' },
  'APPLY /api/v1/namespaces/default/configmaps/old': { apiVersion: 'v1', kind: 'ConfigMap' },
  [`POST ${rbac}/clusterroles`]: { metadata: { name: 'made' }, rules: [] },
  [`POST ${rbac}/namespaces/default/roles`]: { metadata: { name: 'made' }, rules: [] },
  [`PUT ${rbac}/clusterroles/view`]: { metadata: { name: 'view' }, rules: [] },
  [`APPLY ${rbac}/clusterroles/new`]: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
  [`POST ${rbac}/clusterrolebindings`]: { metadata: { name: 'made' }, roleRef },
  [`POST ${rbac}/namespaces/default/rolebindings`]: { metadata: { name: 'made' }, roleRef },
  [`PUT ${csrs}/asked/approval`]: { metadata: { name: 'asked' } },
  [`PUT ${csrs}/asked/status`]: { metadata: { name: 'asked' }, status: { certificate: pem('CERTIFICATE') } },
};
const found = new Map<string, string[]>();
/** Returns what a new server asks its authorizers for a request. */
function asksOf(request: string): string[] {
  const space = request.indexOf(' ');
  const ask = () => recording()(request.slice(0, space), request.slice(space + 1), bodies[request]).asked;
  const texts = found.get(request) ?? ask().map(askedText);
  found.set(request, texts);
  return texts;
}

/** `leases.coordination.k8s.io/status`, with the verbs. */
const served = new Map<string, string>([['bindings', 'create']]);
for (const r of resources) {
  const name = `${r.resource}${r.group && `.${r.group}`}`;
  served.set(name, r.verbs.join(' '));
  for (const [sub, { verbs }] of Object.entries(r.subresources ?? {})) served.set(`${name}/${sub}`, verbs.join(' '));
}
for (const r of reviews) served.set(`${r.resource}.${r.group}`, 'create');
const sorted = (verbs: string) => verbs.split(' ').sort().join(' ');

describe('resources, subresources and their verbs', () => {
  it.each([...served])('%s are those of upstream', (name, verbs) => {
    const theirs = (upstream.resources as Readonly<Record<string, string>>)[name];
    expect(theirs, `upstream has no ${name}`).toBeDefined();
    expect(sorted(verbs)).toBe(sorted(theirs as string));
  });

  const methods: Readonly<Record<string, string>> = {
    ...{ get: 'GET', list: 'GET', watch: 'GET', create: 'POST', update: 'PUT' },
    ...{ patch: 'PATCH', delete: 'DELETE', deletecollection: 'DELETE' },
  };
  const ask = recording();
  it.each([...served].flatMap(([name, verbs]) => verbs.split(' ').map((verb) => [verb, name] as const)))(
    '%s %s is asked for in exactly these words',
    (verb, name) => {
      const [, plural = '', group = '', subresource = ''] = /^([^./]+)(?:\.([^/]+))?(?:\/(.+))?$/.exec(name) ?? [];
      const resource = resources.find((r) => r.resource === plural && r.group === group);
      const review = reviews.find((r) => r.resource === plural);
      const namespaced = plural === 'bindings' || (resource ?? review)?.namespaced === true;
      const many = ['list', 'watch', 'deletecollection'].includes(verb) || (verb === 'create' && !subresource);
      const path = [
        group ? `/apis/${group}/v1` : '/api/v1',
        ...(namespaced ? ['namespaces/default'] : []),
        plural,
        ...(many ? [] : ['one']),
        ...(subresource ? [subresource] : []),
      ].join('/');
      const { asked } = ask(methods[verb] as string, verb === 'watch' ? `${path}?watch=true` : path, {});
      expect(asked[0]).toMatchObject({ verb, group, version: 'v1', resource: plural, subresource, path });
      expect(asked[0]?.name).toBe(many ? '' : 'one');
      expect(asked[0]?.namespace).toBe(namespaced ? 'default' : plural === 'namespaces' && !many ? 'one' : '');
    },
  );
});

describe('what a request asks for', () => {
  it.each(upstream.requests.map(({ request, asks }) => [request, asks] as const))('%s: %j', (request, asks) => {
    expect(asksOf(request)).toEqual(asks);
  });
  it('is decided in the namespace that the request reaches', () => {
    const ask = recording();
    expect(ask('GET', '/api/v1/namespaces/default/namespaces/kube-system').code).toBe(404);
    expect(ask('GET', '/api/v1/namespaces/default/nodes/n1').code).toBe(404);
    expect(ask('GET', '/api/v1/namespaces/kube-system').code).toBe(200);
  });
  it('is decided for paths that begin with a verb, which are not served', () => {
    const ask = recording();
    for (const path of [
      '/api/v1/watch/pods',
      '/api/v1/proxy/nodes/n1',
      '/apis/rbac.authorization.k8s.io/v1/watch/roles',
    ])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) expect(ask(method, path, {}).code, path).toBe(404);
    expect(ask('GET', '/api/v1/watch').code).toBe(500);
  });
});

describe('what a request to the kubelet asks for', () => {
  const { paths, verbs } = upstream.kubelet;
  it.each(paths.map(({ path, asks }) => [path, asks] as const))('%s: %s', (path, asks) => {
    expect(parsePath(path), `${path} is not served`).not.toBeNull();
    for (const [method, verb] of Object.entries(verbs)) {
      const asked = getRequestAttributes('n1', method, path, { featureGates: {} });
      expect(asked.map((a) => `${a.verb} ${a.subresource} ${a.name}`)).toEqual(
        asks.split(' ').map((subresource) => `${verb} ${subresource} n1`),
      );
    }
  });
});

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** The text with what stands between two comments replaced. */
function put(text: string, name: string, by: string): string {
  const [begin, end] = [`<!-- ${name} -->\n\n`, `\n\n<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  expect(from, `${begin.trim()} is gone from docs/operators/authorization.md`).toBeGreaterThan(-1);
  expect(to, `${end.trim()} is gone from docs/operators/authorization.md`).toBeGreaterThan(from);
  return text.slice(0, from + begin.length) + by + text.slice(to);
}

describe('docs/operators/authorization.md', () => {
  it('has upstream’s tables beside ours (vitest -u writes them there)', async () => {
    const verbs = Object.entries(upstream.resources).map(([name, theirs]) => {
      const ours = served.get(name);
      return [code(name), theirs, ours === undefined ? 'not served' : sorted(ours)];
    });
    const requests = upstream.requests.map(({ request, asks, source }) => [
      code(request),
      asks.map(code).join(', '),
      asksOf(request).map(code).join(', '),
      source,
    ]);
    const kubelet = upstream.kubelet.paths.map(({ path, asks }) => [
      code(path),
      asks.split(' ').map(code).join(', else '),
      getRequestAttributes('n1', 'GET', path, { featureGates: {} })
        .map((a) => code(a.subresource))
        .join(', else '),
    ]);
    let written = readFileSync(DOC, 'utf8');
    written = put(written, 'verbs', table(['Resource', `Upstream ${upstream.version}`, 'Here'], verbs));
    written = put(written, 'requests', table(['Request', 'Upstream asks for', 'Asked for here', 'Where'], requests));
    written = put(written, 'kubelet', table(['Path', 'Upstream: `nodes/…`', 'Here'], kubelet));
    await expect(written).toMatchFileSnapshot(DOC.pathname);
  });
});

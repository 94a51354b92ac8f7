/**
 * Checks deploy/: files that no program of ours reads are compared with those that do, or with the types of their APIs.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as generated from '@kubernetes/client-node/dist/gen/models/all.js';
import { ObjectSerializer } from '@kubernetes/client-node/dist/gen/models/ObjectSerializer.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseArgs } from '../apps/agent/src/cli/args.ts';
import { commands } from '../apps/agent/src/commands/index.ts';
import { parseKubeletConfiguration } from '../apps/agent/src/config/kubelet-configuration.ts';
import { acceptedFlags, supportedFlags } from '../apps/agent/src/config/kubelet-flags.ts';
import { checkManifest } from '../packages/core/src/manifest/index.ts';
import { top } from './lib.mjs';
import { runtimePackages } from './package.mjs';

const models = new Map(Object.entries(generated));

const read = (file) => fs.readFileSync(path.join(top, file), 'utf8');
const filesIn = (dir) =>
  fs
    .readdirSync(path.join(top, dir), { withFileTypes: true, recursive: true })
    .flatMap((e) => (e.isFile() ? [path.posix.join(path.relative(top, e.parentPath ?? e.path), e.name)] : []));
function documents(text, file) {
  return parseAllDocuments(text).map((doc) => {
    expect(doc.errors, file).toEqual([]);
    return doc.toJS();
  });
}
const clean = (file, text) => {
  const warnings = [];
  const config = parseKubeletConfiguration(file, text, (w) => warnings.push(w));
  expect(warnings, file).toEqual([]);
  return config;
};

describe('the container image', () => {
  const file = 'deploy/container/Containerfile';
  const lines = read(file)
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((l) => l.trim() && !l.startsWith('#'))
    .map((l) => l.trim().split(/\s+/));
  const of = (word) => lines.filter(([w]) => w === word).map(([, ...rest]) => rest);

  /** .dockerignore as the last matching pattern decides. */
  const patterns = read('.dockerignore')
    .split('\n')
    .filter((l) => l && !l.startsWith('#'))
    .map((l) => ({ keep: l.startsWith('!'), pattern: l.replace(/^!/, '') }));
  const matches = (pattern, name) => {
    const regex = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/^\*\*\//, '(.*/)?')
      .replace(/(?<!\.)\*/g, '[^/]*');
    return new RegExp(`^${regex}(/.*)?$`).test(name);
  };
  const sent = (name) => {
    let keep = true;
    for (const p of patterns) if (matches(p.pattern, name)) keep = p.keep;
    return keep;
  };

  it('copies nothing that is not there, or not sent to the builder', () => {
    const stages = of('FROM').flatMap((r) => (r[1] === 'AS' ? [r[2]] : []));
    for (const [first, ...rest] of of('COPY')) {
      const from = /^--from=(.*)$/.exec(first)?.[1];
      if (from !== undefined) {
        expect(stages).toContain(from);
        continue;
      }
      const sources = [first, ...rest].slice(0, -1);
      for (const source of sources) {
        expect(fs.existsSync(path.join(top, source)), source).toBe(true);
        expect(sent(source), `${source} is in .dockerignore`).toBe(true);
      }
    }
  });

  it('is built from sources alone: what was built or installed here does not get in, nor the history', () => {
    for (const name of [
      'apps/web/src/main.tsx',
      'packages/core/src/trace/index.ts',
      'apps/agent/bin/syncloop.mjs',
      'scripts/package.mjs',
    ]) {
      expect(fs.existsSync(path.join(top, name)), name).toBe(true);
      expect(sent(name), name).toBe(true);
    }
    for (const name of [
      'node_modules/yaml/package.json',
      'apps/agent/dist/main.js',
      '.git/config',
      'docs/users/class.md',
      '.env',
    ])
      expect(sent(name), name).toBe(false);
  });

  it('runs no install scripts, names what it begins with, and is nobody in particular', () => {
    const run = of('RUN').map((r) => r.join(' '));
    expect(run.filter((r) => /npm (ci|install)/.test(r) && !r.includes('--ignore-scripts'))).toEqual([]);
    for (const script of run.flatMap((r) => r.match(/scripts\/\S+/g) ?? [])) expect(sent(script), script).toBe(true);
    expect(of('ARG').join()).toMatch(/node:\d+-bookworm-slim/);
    expect(of('ADD')).toEqual([]);
    expect(of('USER').at(-1)).toEqual(['1000:1000']);
    const program = of('ENTRYPOINT')[0].join(' ');
    expect(program).toContain('/opt/syncloop/apps/agent/bin/syncloop.mjs');
    expect(of('HEALTHCHECK')[0].join(' ')).toContain('/opt/syncloop/healthcheck.mjs');
  });
});

describe('what is packed', () => {
  const lock = (packages) => ({
    packages: {
      'packages/core': {},
      'node_modules/@syncloop/core': { link: true, resolved: 'packages/core' },
      ...packages,
    },
  });
  it('is what runs, and what that needs, wherever it was put', () => {
    const found = runtimePackages(
      lock({
        'packages/core': { dependencies: { b: '1' } },
        'apps/agent': { dependencies: { '@syncloop/core': '1', a: '1' }, devDependencies: { dev: '1' } },
        'apps/agent/node_modules/b': {},
        'node_modules/a': {
          dependencies: { b: '2', '@types/x': '1' },
          optionalDependencies: { gone: '1', there: '1' },
        },
        'node_modules/a/node_modules/b': { dependencies: { a: '1' } },
        'node_modules/b': {},
        'node_modules/there': {},
        'node_modules/dev': {},
        'node_modules/@types/x': {},
      }),
    );
    expect(found).toEqual(['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/b', 'node_modules/there']);
  });
  it('lacks nothing', () => {
    expect(() => runtimePackages(lock({ 'apps/agent': { dependencies: { a: '1' } } }))).toThrow(
      'package-lock.json has no a, which apps/agent needs',
    );
  });
  it('has nothing of development, nothing of the page, and no install script that would have to run', () => {
    const real = JSON.parse(read('package-lock.json'));
    const found = runtimePackages(real);
    expect(found).toContain('node_modules/@grpc/grpc-js');
    expect(found.filter((at) => real.packages[at].dev)).toEqual([]);
    expect(found.filter((at) => /\/(react|vite|typescript|vitest)(-dom)?$|@types\//.test(at))).toEqual([]);
    // protobufjs has one that only prints a warning.
    const scripts = found
      .filter((at) => real.packages[at].hasInstallScript)
      .map((at) => at.replace(/.*node_modules\//, ''));
    expect(scripts.filter((name) => name !== 'protobufjs')).toEqual([]);
  });
});

describe('units of systemd', () => {
  const units = filesIn('deploy/systemd').filter((f) => f.endsWith('.service'));
  const settings = (file) =>
    Object.fromEntries(
      read(file)
        .split('\n')
        .filter((l) => /^[A-Za-z]+=/.test(l))
        .map((l) => [l.slice(0, l.indexOf('=')), l.slice(l.indexOf('=') + 1)]),
    );

  it('are such to systemd', () => {
    expect(units).toHaveLength(3);
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) return;
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'units-'));
    onTestFinished(() => fs.rmSync(dir, { recursive: true }));
    const socket = 'syncloop-tap.socket';
    fs.writeFileSync(path.join(dir, socket), read(`deploy/systemd/${socket}`));
    for (const unit of units) {
      const copy = path.join(dir, path.basename(unit));
      // It wants a program that is there.
      fs.writeFileSync(copy, read(unit).replace('/usr/local/bin/syncloop', process.execPath));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', copy], { encoding: 'utf8' });
      // It may say anything about other units of this machine.
      expect(stderr.split('\n').filter((l) => l.includes(path.basename(unit)))).toEqual([]);
      expect(status, stderr).toBe(0);
    }
  });

  it('give the kubelet bounds, and no file systems of its own: its mounts must be the runtime’s', () => {
    const kubelet = settings('deploy/systemd/syncloop-kubelet.service');
    expect(kubelet).toMatchObject({ Restart: 'always', MemoryMax: '1G', CPUQuota: '150%', NoNewPrivileges: 'true' });
    const apart =
      /^(Protect(System|Home|Kernel.*|ControlGroups|Proc|Clock)|Private.*|ProcSubset|(ReadWrite|ReadOnly|Inaccessible|Exec|NoExec)Paths|Bind.*Paths|TemporaryFileSystem|MountFlags|RootDirectory|RootImage|DynamicUser|(State|Runtime|Cache|Logs)Directory|MemoryDenyWriteExecute)$/;
    expect(Object.keys(kubelet).filter((k) => apart.test(k))).toEqual([]);
    const serve = settings('deploy/systemd/syncloop-serve.service');
    expect(serve).toMatchObject({ DynamicUser: 'true', ProtectSystem: 'strict', CapabilityBoundingSet: '' });
    expect(serve).not.toHaveProperty('MemoryDenyWriteExecute');
  });

  it('start the program with flags and a file that it takes without a word', () => {
    const flags = /SYNCLOOP_KUBELET_ARGS=(.*)/.exec(read('deploy/systemd/kubelet.env'))[1].split(' ');
    const warnings = [];
    supportedFlags(parseArgs('kubelet', flags, acceptedFlags).flags, (w) => warnings.push(w));
    expect(warnings).toEqual([]);
    expect(clean('kubelet.yaml', read('deploy/systemd/kubelet.yaml'))).toMatchObject({ address: '127.0.0.1' });
  });
});

const manifests = filesIn('deploy/kubernetes').filter((f) => f.endsWith('.yaml') && !f.endsWith('kustomization.yaml'));
const objects = manifests.flatMap((file) => documents(read(file), file).map((object) => ({ file, object })));
const found = (kind, name) => objects.find(({ object: o }) => o.kind === kind && o.metadata.name === name).object;

/** Returns fields that the type does not have, and required ones that are missing. */
function problems(type, value, at = '') {
  const list = /^Array<(.*)>$/.exec(type);
  if (list)
    return Array.isArray(value) ? value.flatMap((v, i) => problems(list[1], v, `${at}[${i}]`)) : [`${at} is no list`];
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type);
  if (map) return Object.entries(value).flatMap(([k, v]) => problems(map[1], v, `${at}.${k}`));
  if (type === 'string') return typeof value === 'string' ? [] : [`${at} is no text`];
  if (type === 'number') return typeof value === 'number' ? [] : [`${at} is no number`];
  if (type === 'boolean') return typeof value === 'boolean' ? [] : [`${at} is not true or false`];
  if (type === 'IntOrString' || type === 'any' || type === 'Date') return [];
  const model = models.get(type);
  if (!model) return [`${at}: no type ${type}`];
  const fields = model.getAttributeTypeMap();
  return Object.entries(value).flatMap(([k, v]) => {
    const field = fields.find((f) => f.baseName === k);
    return field ? problems(field.type, v, `${at}.${k}`) : [`${at}.${k} is no field of ${type}`];
  });
}
const typeOf = ({ apiVersion, kind }) => {
  const [version, group = ''] = apiVersion.split('/').reverse();
  return [`V${version.slice(1)}${kind}`, `${group}${kind}`].find((t) => models.has(t));
};

describe('manifests', () => {
  it.each(
    objects.map(({ file, object }) => [`${object.kind} ${object.metadata.name} of ${path.basename(file)}`, object]),
  )('%s has fields of its type only', (_, object) => {
    expect(problems(typeOf(object), object)).toEqual([]);
    // client-node itself reads them with ObjectSerializer.
    expect(ObjectSerializer.deserialize(object, typeOf(object)).metadata.name).toBe(object.metadata.name);
  });
  it('that have a field which there is not would be found', () => {
    const bad = structuredClone(found('DaemonSet', 'mock-node'));
    bad.spec.template.spec.containers[0].securityContext = { readOnlyRootFileSystem: true };
    bad.spec.template.spec.terminationGracePeriodSeconds = '10';
    expect(problems('V1DaemonSet', bad)).toEqual([
      '.spec.template.spec.terminationGracePeriodSeconds is no number',
      '.spec.template.spec.containers[0].securityContext.readOnlyRootFileSystem is no field of V1SecurityContext',
    ]);
  });

  /** Returns the kubelet's objections, but that a manifest in a file may not refer to objects. */
  const refused = (pod) =>
    checkManifest(JSON.stringify(pod), { file: 'pod.json', nodeName: 'node1' })
      .filter((p) => p.severity !== 'info' && p.code !== 'reference')
      .map((p) => `${p.path} ${p.code} ${p.kubelet ?? JSON.stringify(p.params)}`);
  const templates = [found('DaemonSet', 'mock-node'), found('Deployment', 'workshop')];
  it.each(templates.map((t) => [t.metadata.name, t.spec.template, t.metadata.namespace]))(
    'the pod of %s may do nothing that it need not',
    (name, { spec, metadata }, namespace) => {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name, namespace }, spec };
      expect(refused(pod)).toEqual([]);
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(spec.hostNetwork ?? spec.hostPID ?? spec.hostIPC).toBeUndefined();
      expect(spec.volumes.filter((v) => v.hostPath)).toEqual([]);
      const mounted = new Set(spec.volumes.map((v) => v.name));
      for (const c of [...(spec.initContainers ?? []), ...spec.containers]) {
        expect(c.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(c.resources.limits.memory).toMatch(/Mi$/);
        for (const m of c.volumeMounts) expect(mounted).toContain(m.name);
      }
      const selector = templates.find((t) => t.metadata.name === name).spec.selector.matchLabels;
      expect(metadata.labels).toMatchObject(selector);
    },
  );

  it('the pods that look at nodes have no rights but to read what they are given', () => {
    const { spec, metadata } = found('DaemonSet', 'attach').spec.template;
    expect(
      refused({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'attach', namespace: 'x' }, spec }),
    ).toEqual([]);
    expect(spec.hostNetwork ?? spec.hostPID ?? spec.hostIPC).toBeUndefined();
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(spec.securityContext.seccompProfile).toEqual({ type: 'RuntimeDefault' });
    const [container, ...more] = spec.containers;
    expect(more).toEqual([]);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const ofHost = spec.volumes.filter((v) => v.hostPath);
    expect(ofHost.map((v) => v.hostPath.path)).toEqual(['/var/log/journal']);
    for (const { name } of ofHost) expect(container.volumeMounts.find((m) => m.name === name).readOnly).toBe(true);
    const [rules] = [found('Role', 'syncloop-look').rules];
    expect(rules.flatMap((r) => r.verbs.map((v) => `${v} ${r.resources.join()}`))).toEqual([
      'get pods',
      'list pods',
      'create pods/portforward,pods/exec',
    ]);
    // The recording of this run and the four before it fit.
    const limit = Number(/--record-limit=(\d+)/.exec(container.args.join(' '))[1]);
    expect(Number.parseInt(spec.volumes.find((v) => v.name === 'recordings').emptyDir.sizeLimit, 10)).toBeGreaterThan(
      5 * limit,
    );
  });

  it('start programs with flags that they have', async () => {
    const started = [...templates, found('DaemonSet', 'attach')].flatMap((t) => [
      ...(t.spec.template.spec.initContainers ?? []),
      ...t.spec.template.spec.containers,
    ]);
    expect(started).toHaveLength(4);
    for (const { args, env } of started) {
      const [command, ...rest] = args;
      const warnings = [];
      const specs = command === 'kubelet' ? acceptedFlags : (await commands[command].load()).command.flags;
      const { flags } = parseArgs(command, rest, specs);
      if (command === 'kubelet') supportedFlags(flags, (w) => warnings.push(w));
      expect(warnings).toEqual([]);
      for (const [, name] of rest.join(' ').matchAll(/\$\(([A-Z_]+)\)/g))
        expect(env.map((e) => e.name)).toContain(name);
    }
    const { data } = found('ConfigMap', 'mock-kubelet');
    const config = clean('mock-kubelet', data['kubelet.yaml']);
    expect(config.containerRuntimeEndpoint).toBe(
      `unix://${started.find((c) => c.name === 'runtime').args[2].slice(7)}`,
    );
    const [kubeconfig] = documents(data.kubeconfig, 'kubeconfig');
    expect(problems('V1ConfigMap', found('ConfigMap', 'mock-kubelet'))).toEqual([]);
    expect(kubeconfig['current-context']).toBe(kubeconfig.contexts[0].name);
  });

  it('are put together by kustomize', () => {
    for (const dir of ['attach', 'kubelet-rbac', 'mock-nodes', 'workshop']) {
      const base = `deploy/kubernetes/${dir}`;
      const [{ resources, images = [] }] = documents(read(`${base}/kustomization.yaml`), dir);
      for (const r of resources) expect(fs.existsSync(path.join(top, base, r)), r).toBe(true);
      if (spawnSync('kubectl', ['version', '--client']).status !== 0) continue;
      const made = documents(execFileSync('kubectl', ['kustomize', path.join(top, base)], { encoding: 'utf8' }), dir);
      const pods = made.flatMap((o) => o.spec?.template?.spec ?? []);
      for (const spec of pods)
        for (const { image } of [...(spec.initContainers ?? []), ...spec.containers])
          expect(image).toBe(`${images[0].newName}:${images[0].newTag}`);
    }
  });
});

describe('what kubelets may ask of an API server', () => {
  const rules = ['syncloop-kubelet', 'syncloop-kubelet-objects']
    .map((name) => found('ClusterRole', name))
    .concat(found('Role', 'syncloop-kubelet-leases'))
    .flatMap((role) => role.rules);
  const groups = { leases: 'coordination.k8s.io', csinodes: 'storage.k8s.io', runtimeclasses: 'node.k8s.io' };
  const allowed = (verb, resource) =>
    rules.some(
      (r) => r.apiGroups.includes(groups[resource] ?? '') && r.resources.includes(resource) && r.verbs.includes(verb),
    );

  it('is enough for all that a real one asked in the recordings, of what this one asks', () => {
    const dir = path.join(top, 'packages/core/testdata/golden');
    const asked = new Set();
    for (const file of fs.readdirSync(dir).filter((f) => f.startsWith('api-')))
      for (const { verb, resource, subresource } of JSON.parse(fs.readFileSync(path.join(dir, file), 'utf8')).api)
        asked.add(`${verb} ${subresource ? `${resource}/${subresource}` : resource}`);
    expect(asked.size).toBeGreaterThan(8);
    // This one has neither CSI drivers nor dynamic resources to look for.
    const ours = [...asked].filter((a) => !/ (csidrivers|resourceslices)$/.test(a));
    expect(ours.filter((a) => !allowed(...a.split(' ')))).toEqual([]);
  });

  it('has no stars, no secrets of the whole cluster, and nothing that would make it more', () => {
    for (const rule of rules) {
      expect([...rule.apiGroups, ...rule.resources, ...rule.verbs]).not.toContain('*');
      expect(rule.verbs.some((v) => ['bind', 'escalate', 'impersonate', 'deletecollection'].includes(v))).toBe(false);
    }
    const whole = objects
      .filter(({ object }) => object.kind === 'ClusterRoleBinding')
      .map(({ object }) => object.roleRef.name);
    expect(whole).toEqual(['syncloop-kubelet']);
    expect(JSON.stringify(found('ClusterRole', 'syncloop-kubelet').rules)).not.toMatch(
      /secrets|configmaps|serviceaccounts/,
    );
  });
});

describe('examples for collectors', () => {
  it('the collector’s pipelines are made of what it has', () => {
    const [config] = documents(read('deploy/telemetry/otel-collector.yaml'), 'otel-collector');
    for (const pipeline of Object.values(config.service.pipelines))
      for (const part of ['receivers', 'processors', 'exporters'])
        for (const name of pipeline[part]) expect(Object.keys(config[part]), name).toContain(name);
    expect(config.receivers.otlp.protocols.http.endpoint).toBe('127.0.0.1:4318');
  });
  it('the others are YAML, and the kubelet’s is its configuration', () => {
    for (const file of ['tempo', 'grafana-datasource']) documents(read(`deploy/telemetry/${file}.yaml`), file);
    const file = 'deploy/telemetry/kubelet-configuration.yaml';
    expect(clean(file, read(file)).tracing).toEqual({ endpoint: '127.0.0.1:4317', samplingRatePerMillion: 1_000_000 });
  });
});

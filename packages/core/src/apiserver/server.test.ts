import { describe, expect, it } from 'vitest';
import { patchType, podOf, podPath, setup } from './testing/setup.js';

describe('creating', () => {
  it('fills in what the server fills in', () => {
    const { call } = setup();
    const { code, body } = call('POST', podPath, {
      json: podOf('web', {}, { uid: 'mine', creationTimestamp: '2020-01-01T00:00:00Z' }),
      headers: { 'user-agent': 'kubectl/v1.32' },
    });
    expect(code).toBe(201);
    expect(body.metadata).toMatchObject({
      name: 'web',
      namespace: 'default',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
    expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(body.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    expect(body.spec).toMatchObject({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      enableServiceLinks: true,
    });
    expect(body.spec.tolerations).toEqual(
      ['not-ready', 'unreachable'].map((k) => ({
        key: `node.kubernetes.io/${k}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    );
    expect(body.spec.volumes).toBeUndefined();
    // Fields that admission set belong to nobody, and neither does the status.
    const [entry] = body.metadata.managedFields ?? [];
    expect(entry).toMatchObject({ manager: 'kubectl', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' });
    const owned = entry?.fieldsV1 as unknown as Record<string, Record<string, object>>;
    expect(Object.keys(owned['f:spec'] ?? {})).toContain('f:restartPolicy');
    expect(Object.keys(owned['f:spec'] ?? {})).not.toContain('f:tolerations');
    expect(owned['f:status']).toBeUndefined();
  });
  it('makes names', () => {
    const { call } = setup();
    const pod = podOf('', {}, { generateName: 'web-' });
    const a = call('POST', podPath, { json: pod }).body.metadata.name;
    const b = call('POST', podPath, { json: pod }).body.metadata.name;
    expect(a).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(b).not.toBe(a);
  });
  it.each([
    ['twice', podPath, podOf('web'), 409, 'AlreadyExists', 'pods "web" already exists'],
    [
      'without an image',
      podPath,
      podOf('x', { containers: [{ name: 'a' }] }),
      422,
      'Invalid',
      'Pod "x" is invalid: spec.containers[0].image: Required value',
    ],
    ['in no namespace', '/api/v1/namespaces/nope/pods', podOf('x'), 404, 'NotFound', 'namespaces "nope" not found'],
    [
      'with another namespace',
      podPath,
      podOf('x', {}, { namespace: 'kube-system' }),
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'with an unknown priority',
      podPath,
      podOf('x', { priorityClassName: 'gold' }),
      403,
      'Forbidden',
      'pods "x" is forbidden: no PriorityClass with name gold was found',
    ],
    [
      'with a priority of its own',
      podPath,
      podOf('x', { priority: 5 }),
      403,
      'Forbidden',
      'pods "x" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      'of another version',
      podPath,
      { ...podOf('x'), apiVersion: 'v2' },
      400,
      'BadRequest',
      'the API version in the data (v2) does not match the expected API version (v1)',
    ],
    [
      'of the wrong type',
      podPath,
      podOf('x', { terminationGracePeriodSeconds: 'long' }),
      400,
      'BadRequest',
      'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    ],
    [
      'with a bad label',
      podPath,
      podOf('x', {}, { labels: { a: 'b c' } }),
      422,
      'Invalid',
      `Pod "x" is invalid: metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ])('is refused %s', (_, path, json, code, reason, message) => {
    const { call } = setup();
    call('POST', podPath, { json: podOf('web') });
    expect(call('POST', path, { json }).body).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      code,
      reason,
      message,
    });
  });
  it('names each field that is wrong', () => {
    const { call } = setup();
    const { body } = call('POST', podPath, {
      json: podOf('x', { containers: [{ name: 'a' }, { name: 'a', image: 'b' }] }),
    });
    expect(body.details).toEqual({
      name: 'x',
      kind: 'Pod',
      causes: [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers[0].image' },
        { reason: 'FieldValueDuplicate', message: 'Duplicate value: "a"', field: 'spec.containers[1].name' },
      ],
    });
    expect(body.message).toBe(
      'Pod "x" is invalid: [spec.containers[0].image: Required value, spec.containers[1].name: Duplicate value: "a"]',
    );
  });
  it('takes unknown and repeated fields as it is told to', () => {
    const { call } = setup();
    const text =
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"foo":1,"nodeName":"a","nodeName":"b","containers":[{"name":"a","image":"b","imagee":"c"}]}}';
    const strict = call('POST', `${podPath}?fieldValidation=Strict`, { body: text });
    expect(strict.code).toBe(400);
    expect(strict.body.message).toBe(
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.foo", unknown field "spec.containers[0].imagee", duplicate field "spec.nodeName"',
    );
    const warned = call('POST', `${podPath}?fieldValidation=Warn`, { body: text });
    expect(warned.code).toBe(201);
    expect(warned.headers.warning).toBe(
      '299 - "unknown field \\"spec.foo\\""\n299 - "unknown field \\"spec.containers[0].imagee\\""\n299 - "duplicate field \\"spec.nodeName\\""',
    );
    expect(JSON.stringify(warned.body)).not.toContain('foo');
    // A name that no header may hold causes no warning.
    const odd = call('POST', podPath, { json: { ...podOf('odd'), 'del\u007f': 1, 数: 1 } });
    expect([odd.code, odd.headers.warning]).toEqual([201, '299 - "unknown field \\"数\\""']);
    const control = call('POST', podPath, { json: { ...podOf('control'), 'c\u0085': 1 } });
    expect([control.code, control.headers.warning]).toEqual([201, undefined]);
  });
  it('stores nothing in a dry run', () => {
    const { call, server } = setup();
    const before = server.store.version;
    expect(call('POST', `${podPath}?dryRun=All`, { json: podOf('x') }).code).toBe(201);
    expect(call('GET', `${podPath}/x`).code).toBe(404);
    expect(server.store.version).toBe(before);
    expect(call('POST', `${podPath}?dryRun=Some`, { json: podOf('x') }).body.message).toContain(
      'dryRun: Unsupported value: "Some": supported values: "All"',
    );
  });
  it('gives pods a service account only where it is told to', () => {
    const { call } = setup({ serviceAccountAdmission: true });
    const { body } = call('POST', podPath, { json: podOf('web') });
    expect(body.spec).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
    const [mount] = body.spec.containers?.[0]?.volumeMounts ?? [];
    expect(mount).toMatchObject({ mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true });
    expect(body.spec.volumes?.[0]?.name).toBe(mount?.name);
    const none = call('POST', podPath, { json: podOf('no', { serviceAccountName: 'ghost' }) });
    expect(none.body.message).toBe(
      'pods "no" is forbidden: error looking up service account default/ghost: serviceaccount "ghost" not found',
    );
  });
});

describe('changing', () => {
  it('needs the newest version where one is given', () => {
    const { call } = setup();
    const pod = call('POST', podPath, { json: podOf('web') }).body;
    call('PATCH', `${podPath}/web`, { ...patchType('merge'), json: { metadata: { labels: { a: 'b' } } } });
    expect(call('PUT', `${podPath}/web`, { json: pod }).body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again',
    });
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    const made = call('PUT', `${lease}/n1`, {
      json: { metadata: { name: 'n1' }, spec: { holderIdentity: 'n1', renewTime: '2026-01-01T00:00:00.123456Z' } },
    });
    expect([made.code, made.body.spec.renewTime]).toEqual([201, '2026-01-01T00:00:00.123456Z']);
    expect(
      call('PUT', `${lease}/n1`, { json: { metadata: { name: 'n1' }, spec: { holderIdentity: 'n2' } } }).body.message,
    ).toContain('metadata.resourceVersion: Invalid value: 0: must be specified for an update');
  });
  it('refuses another uid', () => {
    const { call } = setup();
    const { uid } = call('POST', podPath, { json: podOf('web') }).body.metadata;
    const { body } = call('PATCH', `${podPath}/web/status`, {
      ...patchType('strategic-merge'),
      json: { metadata: { uid: 'other' }, status: { phase: 'Running' } },
    });
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(body.message).toContain(`Precondition failed: UID in precondition: other, UID in object meta: ${uid}`);
  });
  it('keeps spec and status apart, and writes nothing that changes nothing', () => {
    const { call } = setup();
    const pod = call('POST', podPath, { json: podOf('web') }).body;
    const viaSpec = call('PATCH', `${podPath}/web`, { ...patchType('merge'), json: { status: { phase: 'Running' } } });
    expect(viaSpec.body.metadata.resourceVersion).toBe(pod.metadata.resourceVersion);
    const viaStatus = call('PATCH', `${podPath}/web/status`, {
      ...patchType('merge'),
      json: { spec: { nodeName: 'x' }, status: { phase: 'Running' } },
      headers: { ...patchType('merge').headers, 'user-agent': 'kubelet/v1' },
    });
    expect([viaStatus.body.spec.nodeName, viaStatus.body.status.phase, viaStatus.body.metadata.generation]).toEqual([
      'n1',
      'Running',
      1,
    ]);
    expect(viaStatus.body.metadata.managedFields?.find((e) => e.manager === 'kubelet')).toMatchObject({
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:phase': {} } },
    });
  });
  it('allows of a pod what may change, in the words of the server otherwise', () => {
    const { call } = setup();
    call('POST', podPath, { json: podOf('web', { activeDeadlineSeconds: 50 }) });
    const patch = (json: object) => call('PATCH', `${podPath}/web`, { ...patchType('strategic-merge'), json });
    const image = patch({ spec: { containers: [{ name: 'app', image: 'busybox:2' }] } });
    expect([image.code, image.body.metadata.generation]).toEqual([200, 2]);
    expect(patch({ spec: { activeDeadlineSeconds: 60 } }).body.message).toContain(
      'must be less than or equal to previous value',
    );
    expect(patch({ spec: { hostNetwork: true } }).body.message).toMatch(
      /^Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`/,
    );
    expect(patch({ spec: { tolerations: [] } }).body.message ?? '').toBe('');
    expect(patch({ spec: { containers: [{ name: 'b', image: 'x' }] } }).body.message).toBe(
      'Pod "web" is invalid: spec.containers: Forbidden: pod updates may not add or remove containers',
    );
    expect(patch({ metadata: { uid: null, creationTimestamp: '2020-01-01T00:00:00Z' } }).body.message).toContain(
      'metadata.creationTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable',
    );
    expect(patch({ spec: { containers: [{ image: 'x' }] } }).body.message).toContain(
      'does not contain declared merge key: name',
    );
  });
  it('resizes and debugs through the subresources alone', () => {
    const { call } = setup();
    call('POST', podPath, {
      json: podOf('web', { containers: [{ name: 'app', image: 'x', resources: { requests: { cpu: '1' } } }] }),
    });
    const sized = { spec: { containers: [{ name: 'app', resources: { requests: { cpu: '2' } } }] } };
    expect(call('PATCH', `${podPath}/web`, { ...patchType('strategic-merge'), json: sized }).code).toBe(422);
    const resized = call('PATCH', `${podPath}/web/resize`, { ...patchType('strategic-merge'), json: sized });
    expect(resized.body.spec.containers?.[0]?.resources).toEqual({ requests: { cpu: '2' } });
    expect(
      call('PATCH', `${podPath}/web/resize`, {
        ...patchType('strategic-merge'),
        json: { spec: { containers: [{ name: 'app', image: 'y' }] } },
      }).body.message,
    ).toContain('only cpu and memory resources are mutable');
    const debug = (spec: object) =>
      call('PATCH', `${podPath}/web/ephemeralcontainers`, { ...patchType('strategic-merge'), json: { spec } });
    expect(debug({ ephemeralContainers: [{ name: 'd', image: 'x' }] }).body.metadata.generation).toBe(3);
    expect(debug({ ephemeralContainers: [{ name: 'd', image: 'y' }] }).body.message).toContain(
      'existing ephemeral containers "d" may not be changed',
    );
    expect(debug({ ephemeralContainers: [{ name: 'app', image: 'y' }] }).body.message).toContain(
      'spec.ephemeralContainers[1].name: Duplicate value: "app"',
    );
  });
  it('lets no container come back that has ended for good', () => {
    const { call } = setup();
    call('POST', podPath, { json: podOf('job', { restartPolicy: 'Never' }) });
    const status = (state: object) =>
      call('PATCH', `${podPath}/job/status`, {
        ...patchType('merge'),
        json: { status: { containerStatuses: [{ name: 'app', state }] } },
      });
    expect(status({ terminated: { exitCode: 0 } }).code).toBe(200);
    expect(status({ running: {} }).body.message).toContain(
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    );
  });
});

describe('deleting a pod', () => {
  const remove = (t: ReturnType<typeof setup>, json?: object) =>
    t.call('DELETE', `${podPath}/web`, json ? { json } : {});
  it('takes the pod’s own grace, may only be shortened, and ends at 0', () => {
    const t = setup();
    t.call('POST', podPath, { json: podOf('web', { terminationGracePeriodSeconds: 20 }) });
    expect(remove(t).body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:20Z',
      deletionGracePeriodSeconds: 20,
      generation: 2,
    });
    expect(remove(t, { gracePeriodSeconds: 60 }).body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 20,
      generation: 2,
    });
    expect(remove(t, { gracePeriodSeconds: 5 }).body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:05Z',
      deletionGracePeriodSeconds: 5,
    });
    expect(remove(t, { gracePeriodSeconds: 0 }).body.kind).toBe('Pod');
    expect(t.call('GET', `${podPath}/web`).body).toMatchObject({
      code: 404,
      message: 'pods "web" not found',
      details: { name: 'web', kind: 'pods' },
    });
  });
  it('is done at once where no node has it, or where it is done', () => {
    const t = setup();
    t.call('POST', podPath, { json: podOf('web', { nodeName: '' }) });
    remove(t);
    expect(t.call('GET', `${podPath}/web`).code).toBe(404);
    t.call('POST', podPath, { json: podOf('web') });
    t.call('PATCH', `${podPath}/web/status`, { ...patchType('merge'), json: { status: { phase: 'Failed' } } });
    remove(t);
    expect(t.call('GET', `${podPath}/web`).code).toBe(404);
  });
  it('holds to preconditions and finalizers', () => {
    const t = setup();
    const { uid } = t.call('POST', podPath, { json: podOf('web', {}, { finalizers: ['a.io/b'] }) }).body.metadata;
    expect(remove(t, { preconditions: { uid: 'x' } }).body.message).toBe(
      `Operation cannot be fulfilled on Pod "web": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
    expect(remove(t, { gracePeriodSeconds: 0, preconditions: { uid } }).body.metadata.deletionTimestamp).toBeDefined();
    expect(
      t.call('PATCH', `${podPath}/web`, {
        ...patchType('merge'),
        json: { metadata: { finalizers: ['a.io/b', 'c.io/d'] } },
      }).body.message,
    ).toContain('no new finalizers can be added if the object is being deleted');
    const seen = t.watch(`${podPath}`);
    t.call('PATCH', `${podPath}/web`, { ...patchType('merge'), json: { metadata: { finalizers: null } } });
    expect(t.call('GET', `${podPath}/web`).code).toBe(404);
    expect(seen.told().at(-1)).toBe('DELETED web');
  });
});

import { foldAll, type Json } from '@syncloop/core/trace';
import { expect, it } from 'vitest';
import { lines, linesOf, observeLog } from '../testing/observe-log.js';

const ID = (c: string) => c.repeat(64);
const POD = 'pod="d/web" podUID="u-1"';
const START = '"Starting kubelet main sync loop"';

it('makes a turn of the loop of each line that tells of one: which channel, what it took, which handler', () => {
  const { of, records } = observeLog(
    lines(
      START,
      '"SyncLoop ADD" source="file" pods=["d/web"]',
      `"Pod is being synced for the first time" ${POD} updateType="create"`,
      `"Notifying pod of pending update" ${POD} updateType="create" workType="sync"`,
      '"SyncLoop (SYNC) pods" total=1 pods=["d/web"]',
      '"SyncLoop (housekeeping)"',
      '"SyncLoop (housekeeping) end" duration="2ms"',
      '"SyncLoop (housekeeping, skipped): sources aren\'t ready yet"',
    ),
  );
  const names = new Map(of('chan-make').map((r) => [r.chan, r.name]));
  expect(of('select').map((r) => names.get(r.cases[r.chosen] as number))).toEqual([
    'configCh',
    'syncCh',
    'housekeepingCh',
    'housekeepingCh',
  ]);
  // No source reports what else was ready, or how full the channels are.
  expect(of('select').every((r) => r.ready === undefined)).toBe(true);
  expect(of('receive').every((r) => r.len === undefined)).toBe(true);
  const [update] = of('pod-update');
  const handler = records.find((r) => r.seq === update?.cause);
  expect(handler).toMatchObject({ kind: 'enter', fn: 'HandlePodAdditions', concluded: true });
  const cleanups = of('enter').find((r) => r.fn === 'HandlePodCleanups');
  expect(cleanups?.concluded).toBeUndefined();
  expect(of('exit').find((r) => r.of === cleanups?.seq)).toBeDefined();
  const state = foldAll(records);
  expect(state.loop).toMatchObject({ iteration: 4, blind: true, ready: [] });
  expect(Object.values(state.channels).every((c) => c.unseen)).toBe(true);
});

it('tells why a container was started again: it ended, with which code, at which lines', () => {
  const { of, records, all } = observeLog(
    lines(
      START,
      '"SyncLoop ADD" source="file" pods=["d/web"]',
      `"Notifying pod of pending update" ${POD} updateType="create" workType="sync"`,
      `"GenericPLEG" podUID="u-1" containerID="${ID('a')}" oldState="running" newState="exited"`,
      `"Generic (PLEG): container finished" podID="u-1" containerID="${ID('a')}" exitCode=137`,
      `"SyncLoop (PLEG): event for pod" pod="d/web" event={"ID":"u-1","Type":"ContainerDied","Data":"${ID('a')}"}`,
      `"Notifying pod of pending update" ${POD} updateType="sync" workType="sync"`,
      `"Processing pod event" ${POD} updateType="sync"`,
      `"SyncPod enter" ${POD}`,
      '"Container of pod is not in the desired state and shall be started" containerName="app" pod="d/web"',
      '"computePodActions got for pod" podActions="KillPod: false, CreateSandbox: false, Attempt: 0, InitContainersToStart: [], ContainersToStart: [0], EphemeralContainersToStart: [],ContainersToUpdate: map[], ContainersToKill: map[]" pod="d/web"',
      '"Creating container in pod" containerType="container" container="app" pod="d/web"',
      `"SyncPod exit" ${POD} isTerminal=false`,
      `"Processing pod event done" ${POD} updateType="sync"`,
    ),
  );
  const by = new Map(all.map((r) => [r.seq, r]));
  const chain: string[] = [];
  for (
    let r = of('enter').find((e) => e.fn === 'startContainer') as (typeof all)[number] | undefined;
    r;
    r = by.get(r.cause)
  )
    chain.push(r.kind === 'enter' ? r.fn : r.kind);
  expect(chain).toEqual([
    'startContainer',
    'pod-actions',
    'SyncPod',
    'work-start',
    'pod-update',
    'HandlePodSyncs',
    'receive',
    'pleg-event',
    'pleg-transition',
  ]);
  const [transition] = of('pleg-transition');
  expect(transition).toMatchObject({ new: 'exited', exitCode: 137, sandbox: false });
  expect(transition?.basis?.map((seq) => by.get(seq)?.evidence?.line)).toEqual([4, 5]);
  expect(of('pod-actions')[0]?.actions).toMatchObject({ containersToStart: ['app'], killPod: false });
  expect(foldAll(records).containers[ID('a')]).toMatchObject({ state: 'exited', exitCode: 137, uid: 'u-1' });
});

it('takes the same from every version', () => {
  const forms: { readonly [version: string]: readonly string[] } = {
    '1.21 rc': [
      'SyncLoop (ADD, "api"): "web_d(u-1)"',
      `SyncLoop (PLEG): "web_d(u-1)", event: &pleg.PodLifecycleEvent{ID:"u-1", Type:"ContainerStarted", Data:"${ID('b')}"}`,
      'SyncLoop (SYNC): 1 pods; web_d(u-1)',
      'E Error syncing pod u-1 ("web_d(u-1)"), skipping: boom',
    ],
    '1.22': [
      '"SyncLoop ADD" source="api" pods=[d/web]',
      `"SyncLoop (PLEG): event for pod" pod="d/web" event=&{ID:u-1 Type:ContainerStarted Data:${ID('b')}}`,
      '"SyncLoop (SYNC) pods" total=1 pods=[d/web]',
      'E "Error syncing pod, skipping" err="boom" pod="d/web" podUID=u-1',
    ],
    '1.26': [
      '"SyncLoop ADD" source="api" pods="[d/web]"',
      `"SyncLoop (PLEG): event for pod" pod="d/web" event=&{ID:u-1 Type:ContainerStarted Data:${ID('b')}}`,
      '"SyncLoop (SYNC) pods" total=1 pods="[d/web]"',
      'E "Error syncing pod, skipping" err="boom" pod="d/web" podUID="u-1"',
    ],
    '1.36': [
      '"SyncLoop ADD" source="api" pods=["d/web"]',
      `"SyncLoop (PLEG): event for pod" pod="d/web" event={"ID":"u-1","Type":"ContainerStarted","Data":"${ID('b')}"}`,
      '"SyncLoop (SYNC) pods" total=1 pods=["d/web"]',
      'E "Error syncing pod, skipping" err="boom" pod="d/web" podUID="u-1"',
    ],
  };
  for (const [version, texts] of Object.entries(forms)) {
    const { of } = observeLog(lines(...texts));
    expect(of('pod-config'), version).toMatchObject([
      { op: 'ADD', source: 'api', pods: [{ pod: 'd/web', uid: 'u-1' }] },
    ]);
    expect(of('pleg-event'), version).toMatchObject([
      { type: 'ContainerStarted', data: ID('b'), uid: 'u-1', pod: 'd/web' },
    ]);
    expect(of('pleg-event')[0], version).not.toHaveProperty('name');
    expect(of('enter').filter((r) => r.fn === 'HandlePodSyncs')).toHaveLength(2);
    expect(of('work-done'), version).toMatchObject([{ error: 'boom', uid: 'u-1' }]);
  }
});

it('concludes from the lines to come that a worker began at its end', () => {
  const first = `"Pod is being synced for the first time" ${POD} updateType="create"`;
  const begins = (...next: string[]) => observeLog(lines(first, ...next)).of('worker')[0];
  expect(begins(`"Notifying pod of pending update" ${POD} updateType="create" workType="terminated"`)).toMatchObject({
    state: 'terminated',
    concluded: true,
  });
  expect(begins(`"Processing pod event" ${POD} updateType=2`)).toMatchObject({ state: 'terminated', concluded: true });
  expect(begins(`"Pod is finished processing, no further updates" ${POD} updateType="create"`)).toMatchObject({
    state: 'finished',
    concluded: true,
  });
  for (const next of [
    [],
    [`"Notifying pod of pending update" ${POD} updateType="create" workType="sync"`],
    // Later lines are about later work.
    [
      `"Processing pod event" ${POD} updateType="sync"`,
      `"Processing pod event" ${POD} updateType="terminated"`,
      `"Pod is finished processing, no further updates" ${POD} updateType="kill"`,
    ],
  ]) {
    const record = begins(...next);
    expect(record).toMatchObject({ state: 'sync' });
    expect(record?.concluded).toBeUndefined();
  }
});

it('knows a pod that comes again under its name, and does not take the UID of the one before, or of a mirror', () => {
  const { of } = observeLog(
    lines(
      '"SyncLoop ADD" source="api" pods=["d/web"]',
      '"Pod is being synced for the first time" pod="d/web" podUID="u-1"',
      '"SyncLoop DELETE" source="api" pods=["d/web"]',
      '"SyncLoop REMOVE" source="api" pods=["d/web"]',
      '"SyncLoop ADD" source="api" pods=["d/web"]',
      '"Processing pod event" pod="d/web" podUID="u-1" updateType="terminating"',
      '"Pod is being synced for the first time" pod="d/web" podUID="u-2"',
      '"SyncLoop UPDATE" source="api" pods=["d/web"]',
      '"SyncLoop ADD" source="file" pods=["d/static-n"]',
      '"Pod is being synced for the first time" pod="d/static-n" podUID="hash"',
      '"SyncLoop ADD" source="api" pods=["d/static-n"]',
      '"Deleting a mirror pod" pod="d/static-n" podUID="u-mirror"',
      '"SyncLoop RECONCILE" source="api" pods=["d/static-n"]',
    ),
  );
  expect(of('pod-config').map((r) => `${r.op} ${r.pods.map(({ uid }) => uid).join()}`)).toEqual([
    'ADD u-1',
    'DELETE u-1',
    'REMOVE u-1',
    'ADD u-2',
    'UPDATE u-2',
    'ADD hash',
    'ADD u-mirror',
    'RECONCILE u-mirror',
  ]);
});

it('goes by the name of a pod until something tells its UID, and then knows it as the same', () => {
  const { of, records } = observeLog(
    lines('"SyncLoop ADD" source="api" pods=["d/web"]') +
      linesOf(1432, 10_000, '"SyncLoop (housekeeping)"') +
      linesOf(1432, 60_000, `E "Error syncing pod, skipping" err="boom" ${POD}`),
  );
  expect(of('pod-config')[0]?.pods).toEqual([{ pod: 'd/web', uid: 'd/web' }]);
  const { pods } = foldAll(records);
  expect(Object.keys(pods)).toEqual(['u-1']);
  expect(pods['u-1']).toMatchObject({ desired: true, uid: 'u-1', worker: { lastError: 'boom' } });
});

it('tells a sandbox from a container, and names a container by the three spellings of its id', () => {
  const { of } = observeLog(
    lines(
      START,
      `"Creating PodSandbox for pod" pod="d/web"`,
      `"Processing pod event" ${POD} updateType="sync"`,
      `"Created PodSandbox for pod" podSandboxID="${ID('5')}" pod="d/web"`,
      `"GenericPLEG" podUID="u-1" containerID="${ID('5')}" oldState="non-existent" newState="running"`,
      `"GenericPLEG" podUID="u-1" containerID="${ID('a')}" oldState="non-existent" newState="running"`,
      `"GenericPLEG" podUID="u-1" containerID="${ID('b')}" oldState="non-existent" newState="running"`,
      `"GenericPLEG" podUID="u-1" containerID="${ID('c')}" oldState="non-existent" newState="running"`,
      `"Message for Container of pod" containerName="one" containerStatusID={"Type":"containerd","ID":"${ID('a')}"} pod="d/web" containerMessage="failed"`,
      `"Killing container with a grace period" ${POD} containerName="two" containerID="containerd://${ID('b')}" gracePeriod=30`,
    ),
  );
  expect(of('pleg-transition').map((r) => [r.id.charAt(0), r.sandbox, r.name])).toEqual([
    ['5', true, ''],
    ['a', false, 'one'],
    ['b', false, 'two'],
    // No source reports it.
    ['c', undefined, undefined],
  ]);
  const [kill] = of('enter').filter((r) => r.fn === 'killContainer');
  expect(kill?.args).toMatchObject({ container: 'two', containerID: ID('b'), gracePeriod: 30 });
});

it('begins anew with each process, and with lines of one that began before', () => {
  const { of, records } = observeLog(
    linesOf(
      10,
      0,
      START,
      '"SyncLoop ADD" source="api" pods=["d/web"]',
      `"Processing pod event" ${POD} updateType="sync"`,
    ) +
      linesOf(
        20,
        1_000,
        '"Kubelet version" kubeletVersion="v1.31.0"',
        START,
        '"SyncLoop ADD" source="api" pods=["d/web"]',
      ) +
      // Late lines of the first one change nothing any more.
      linesOf(10, 2_000, '"SyncLoop REMOVE" source="api" pods=["d/web"]'),
  );
  expect(of('process').map((r) => r.state)).toEqual(['running', 'ended', 'started']);
  expect(of('pod-config')).toHaveLength(2);
  const gs = of('goroutine-start').filter((r) => r.name === 'syncLoop');
  expect(gs).toHaveLength(2);
  expect(gs.map((r) => r.place)).toEqual(['select', 'select']);
  expect(
    of('goroutine-end')
      .filter((r) => r.killed)
      .map((r) => r.id),
  ).toContain(gs[0]?.id);
  expect(foldAll(records).loop).toMatchObject({ g: gs[1]?.id, iteration: 1 });
});

it('does not take lines of another program for those of a kubelet', () => {
  const { of, extractor } = observeLog(
    lines('"SyncLoop ADD" source="api" pods=["d/web"]') +
      linesOf(
        99,
        10,
        'Version: v1.36.0',
        '"Event occurred" object="d/other" fieldPath="" kind="Pod" apiVersion="v1" type="Normal" reason="Scheduled" message="m"',
      ),
  );
  expect(of('process')).toHaveLength(1);
  expect(of('kube-event')).toEqual([]);
  expect(extractor.unread.find((u) => u.msg === 'Event occurred')).toMatchObject({ count: 1, known: true });
});

it('says what statuses became: whole ones, patches, and phases where there is no API server', () => {
  const patch = (status: Json) => JSON.stringify(JSON.stringify({ metadata: { uid: 'u-1' }, status }));
  const { of } = observeLog(
    lines(
      `"Patch status for pod" ${POD} patch=${patch({ phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }] })}`,
      '"Status for pod updated successfully" pod="d/web" statusVersion=1 status={Phase:Pending Conditions:[]}',
      `"Patch status for pod" ${POD} patch=${patch({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], $setElementOrder: [] } as Json)}`,
      '"Status for pod updated successfully" pod="d/web" statusVersion=2 status={Phase:Running Conditions:[]}',
      '"Status for pod is up-to-date" pod="d/web" statusVersion=2',
      `"SyncPod enter" pod="d/solo" podUID="u-2"`,
      '"Got phase for pod" pod="d/solo" oldPhase="Pending" phase="Running"',
      '"Got phase for pod" pod="d/solo" oldPhase="Running" phase="Running"',
    ),
  );
  expect(of('status')).toMatchObject([
    { uid: 'u-1', version: 1, status: { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }] } },
    { uid: 'u-1', version: 2, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
    { uid: 'u-2', status: { phase: 'Running' }, concluded: true },
  ]);
  expect(of('decision').filter((r) => r.rule === 'getPhase')).toHaveLength(2);
});

it('gives the results of one kind that come together to the containers whose probes ran, each once', () => {
  const failed = (container: string) =>
    `"Probe errored" err="exited" probeType="Liveness" ${POD} containerName="${container}"`;
  const result = '"SyncLoop (probe)" probe="liveness" status="unhealthy" pod="d/web"';
  const add = '"SyncLoop ADD" source="api" pods=["d/web"]';
  const of = (...of: string[]) => observeLog(lines(START, add, ...of)).of('probe-result');
  const containers = (...of_: string[]) => of(...of_).map(({ container }) => container);
  expect(containers(failed('app'), failed('proxy'), result, result)).toEqual(['proxy', 'app']);
  expect(containers(failed('app'), result, failed('app'), result)).toEqual(['app', 'app']);
});

it('tells of probes, back-offs, hooks, failed calls, volumes, evictions, the gate and the network', () => {
  const { of, records } = observeLog(
    lines(
      START,
      'E "Skipping pod synchronization" err="PLEG is not healthy"',
      '"Container runtime status" status="Runtime Conditions: RuntimeReady=true reason: message:, NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized"',
      '"SyncLoop ADD" source="api" pods=["d/web"]',
      `"Probe failed" probeType="Liveness" ${POD} containerName="app" probeResult="failure" output="no <b>luck</b>"`,
      '"SyncLoop (probe)" probe="liveness" status="unhealthy" pod="d/web"',
      'I "Back-off restarting failed container" err="back-off 1m20s restarting failed container=app pod=web_d(u-1)"',
      `"Running preStop hook" ${POD} containerName="app" containerID="containerd://${ID('a')}"`,
      `"PreStop hook not completed in grace period" ${POD} containerName="app" containerID="containerd://${ID('a')}" gracePeriod=1`,
      `E "StopContainer from runtime service failed" err="rpc error: code = DeadlineExceeded desc = too slow" containerID="${ID('a')}"`,
      '"operationExecutor.MountVolume started for volume \\"conf\\" (UniqueName: \\"kubernetes.io/configmap/u-1-conf\\") pod \\"web\\" (UID: \\"u-1\\") " pod="d/web"',
      '"MountVolume.SetUp succeeded for volume \\"conf\\" (UniqueName: \\"kubernetes.io/configmap/u-1-conf\\") pod \\"web\\" (UID: \\"u-1\\") " pod="d/web"',
      '"Eviction manager: attempting to reclaim" resourceName="memory"',
      '"Eviction manager: pods ranked for eviction" pods=["d/web"]',
      '"Event occurred" object="d/web" fieldPath="" kind="Pod" apiVersion="v1" type="Warning" reason="Evicted" message="The node was low on resource: memory."',
      `"Pod is being evicted by the kubelet, begin teardown" ${POD} updateType="kill"`,
      `"Notifying pod of pending update" ${POD} updateType="kill" workType="terminating"`,
      '"Eviction manager: pod is evicted successfully" pod="d/web"',
    ),
  );
  expect(of('runtime-state').map((r) => [r.errors, r.networkError, r.concluded])).toEqual([
    [['PLEG is not healthy'], undefined, undefined],
    [['PLEG is not healthy'], 'NetworkPluginNotReady cni plugin not initialized', undefined],
    [[], 'NetworkPluginNotReady cni plugin not initialized', true],
  ]);
  expect(of('probe')).toMatchObject([{ outcome: 'failure', probeType: 'liveness', output: 'no <b>luck</b>' }]);
  expect(of('probe-result')).toMatchObject([{ container: 'app', result: 'Failure', concluded: true }]);
  expect(of('backoff')).toMatchObject([{ of: 'crash-loop', container: 'app', delay: 80e6, active: true, uid: 'u-1' }]);
  expect(of('exit').find((r) => r.fn === 'executePreStopHook')?.error).toContain('not completed');
  expect(of('cri-return')).toMatchObject([
    { method: 'StopContainer', error: { code: 4, details: 'too slow' }, container: ID('a'), call: 0 },
  ]);
  expect(of('cri-return')[0]).not.toHaveProperty('took');
  expect(of('volume').map((r) => [r.op, r.phase, r.plugin])).toEqual([
    ['volume_mount', 'start', 'kubernetes.io/configmap'],
    ['volume_mount', 'done', 'kubernetes.io/configmap'],
  ]);
  expect(of('eviction').map((r) => r.phase)).toEqual(['reclaim', 'rank', 'evict', 'evicted']);
  const evict = of('eviction').find((r) => r.phase === 'evict');
  expect(of('worker')[0]).toMatchObject({ state: 'terminating', cause: evict?.seq });
  expect(of('pod-update').at(-1)).toMatchObject({ updateType: 'kill', cause: evict?.seq });
  expect(foldAll(records).pods['u-1']?.probes).toMatchObject({ 'app/liveness': { run: null, result: 'Failure' } });
});

it('counts the lines of which it made no record, and says whether the catalogue knows them', () => {
  const { extractor } = observeLog(
    `not klog at all\n${lines('"SyncLoop ADD" source="api" pods=[]', '"Setting pods for source" source="file"', '"Never seen" a=1')}${linesOf(
      1432,
      50,
      '"Never seen" a=2',
      'free text number 7 "quoted"',
    )}`,
  );
  expect(new Set(extractor.unread.map(({ msg, count, known }) => `${count} ${known} ${msg}`))).toEqual(
    new Set(['2 false Never seen', '1 false ', '1 true Setting pods for source', '1 false free text number 0 "…"']),
  );
  expect(extractor.unread[0]?.msg).toBe('Never seen');
});

it('takes an update of devices as one turn of containerManager, whatever the number of its pods, from every version', () => {
  for (const event of ['{"PodUIDs":["u-1","u-2"]}', '"{PodUIDs:[u-1 u-2]}"']) {
    const { of, records } = observeLog(
      lines(
        START,
        '"SyncLoop ADD" source="api" pods=["d/web","d/db"]',
        `"Pod is being synced for the first time" ${POD} updateType="create"`,
        '"Pod is being synced for the first time" pod="d/db" podUID="u-2" updateType="create"',
        `"SyncLoop (containermanager): event for pod" pod="d/web" event=${event}`,
        `"SyncLoop (containermanager): event for pod" pod="d/db" event=${event}`,
      ),
    );
    const names = new Map(of('chan-make').map((r) => [r.chan, r.name]));
    const turns = of('select').map((r) => names.get(r.cases[r.chosen] as number));
    expect(turns).toEqual(['configCh', 'containerManager']);
    expect(of('receive').at(-1)?.item).toEqual({ podUIDs: ['u-1', 'u-2'], pods: ['d/web', 'd/db'] });
    expect(of('enter').at(-1)).toMatchObject({ fn: 'HandlePodSyncs', args: ['d/web', 'd/db'], concluded: true });
    expect(of('pod-update').filter((r) => r.updateType === 'sync')).toHaveLength(2);
    expect(foldAll(records).loop.iteration).toBe(2);
  }
});

it('writes a kill once for both lines of it, and what a line says of its reason', () => {
  const id = ID('a');
  const of = observeLog(
    lines(
      START,
      '"SyncLoop ADD" source="file" pods=["d/web"]',
      `"Notifying pod of pending update" ${POD} updateType="create" workType="sync"`,
      `"Message for Container of pod" containerName="app" containerStatusID="containerd://${id}" pod="d/web" containerMessage="Container app failed startup probe, will be restarted"`,
      `"Killing container with a grace period" ${POD} containerName="app" containerID="containerd://${id}" gracePeriod=7`,
      '"Event occurred" object="d/web" fieldPath="spec.containers{app}" kind="Pod" apiVersion="v1" type="Normal" reason="Killing" message="Stopping container app"',
    ),
  ).of('kill');
  expect(of).toMatchObject([
    { container: 'app', id, gracePeriod: 7, reason: 'StartupProbe', pod: 'd/web', uid: 'u-1' },
  ]);
});

it('concludes a kill from its event where the log has no line for it, and leaves out what nothing says', () => {
  const [kill, ...more] = observeLog(
    lines(
      START,
      '"SyncLoop ADD" source="file" pods=["d/web"]',
      `"Notifying pod of pending update" ${POD} updateType="create" workType="sync"`,
      '"Event occurred" object="d/web" fieldPath="spec.containers{app}" kind="Pod" apiVersion="v1" type="Normal" reason="Killing" message="Container app failed liveness probe, will be restarted"',
    ),
  ).of('kill');
  expect(more).toEqual([]);
  expect(kill).toMatchObject({ container: 'app', reason: 'LivenessProbe', pod: 'd/web', concluded: true });
  expect(kill?.gracePeriod ?? kill?.id).toBeUndefined();
});

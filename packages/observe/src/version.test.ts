import { utf8Text } from '@syncloop/core/base';
import { defaultEra } from '@syncloop/core/kubelet/era/versions';
import type { TraceRecord } from '@syncloop/core/trace';
import {
  dateOfLine,
  observedVersion,
  spanText,
  VersionFold,
  versionOfRecords,
  versionSentence,
} from '@syncloop/core/version';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from './catalogue/index.js';
import { captured } from './testing/capture.js';
import { lines, linesOf, observeLog } from './testing/observe-log.js';

/** Logs of real kubelets. */
const REAL = [
  ['v1.21-v4-log/single-pod-lifecycle', 21, 'v1.21', 'v1.21.1'],
  ['v1.25-v4/single-pod-lifecycle', 25, 'v1.25', 'v1.25.9'],
  ['v1.29-v4/liveness-failure', 29, 'v1.32', 'v1.29.14'],
  ['v1.33-v4/crash-loop', 33, 'v1.32', 'v1.33.13'],
  ['v1.36-v4/crash-loop', 36, 'v1.36', 'v1.36.2'],
] as const;
const without = (text: string, what: RegExp): string =>
  text
    .split('\n')
    .filter((line) => !what.test(line))
    .join('\n');

describe('the version of an observed kubelet', () => {
  it.each(REAL)('%s: the log of 1.%i says it', (capture, minor, era, version) => {
    const { all } = observeLog(captured('kubelet.v4.log', capture));
    expect(versionOfRecords(all)).toEqual({ how: 'reported', version, span: { since: minor, until: minor }, era });
  });

  it.each(REAL)('%s: without that line the wording of the others dates it', (capture, minor, era) => {
    const log = utf8Text(captured('kubelet.v4.log', capture));
    // With its flags, and as a log that begins after them.
    for (const left of [/Kubelet version/, /Kubelet version|FLAG: /]) {
      const found = versionOfRecords(observeLog(without(log, left)).all);
      expect(found).toMatchObject({ how: 'dated', version: '', era });
      expect(found.span?.since).toBeLessThanOrEqual(minor);
      expect(found.span?.until).toBeGreaterThanOrEqual(minor);
    }
  });

  it.each([
    // printf, as up to 1.20.
    [['SyncLoop (ADD, "file"): "x_default(u1)"'], 'v1.20 or earlier', 'v1.12'],
    [['SyncLoop (ADD, "file"): "x_default(u1)"', 'marking pod pending termination "u1"'], 'v1.19 to v1.20', 'v1.21'],
    [['E Error syncing pod u1 ("x_default(u1)"), skipping: boom'], 'v1.5 to v1.20', 'v1.12'],
    [['E Error syncing pod u1, skipping: boom'], 'v1.5 or earlier', 'v1.12'],
    [['Liveness probe for "x_default(u1):app" failed (failure): boom'], 'v1.20 or earlier', 'v1.12'],
    [['E [topologymanager] RemoveContainer - Container ID: c'], 'v1.16 to v1.20', 'v1.12'],
    [['"Probe failed" probeType="Liveness" pod="d/x" podUID="u" containerName="c"'], 'v1.21 or later', 'v1.32'],
    [
      [
        'E "Error syncing pod, skipping" err="unmounted volumes=[a], unattached volumes=[], failed to process volumes=[]: context deadline exceeded"',
      ],
      'v1.27 or later',
      'v1.32',
    ],
    [['"Pod admission denied" podUID="u" pod="d/x" reason="NodeAffinity"'], 'v1.31 or later', 'v1.32'],
    [['"Killing unwanted pod" podName="x"'], 'v1.20 to v1.21', 'v1.21'],
    [['"SyncLoop ADD" source="file" pods=[default/x]', '"Killing unwanted pod" podName="x"'], 'v1.21', 'v1.21'],
    [['"Pod is restartable after termination due to UID reuse" pod="d/x" podUID="u"'], 'v1.22 to v1.26', 'v1.25'],
    [
      [
        '"Pod is being synced for the first time" pod="d/x" podUID="u"',
        '"Event occurred" object="d/x" reason="BackOff" message="Back-off restarting failed container"',
      ],
      'v1.22 to v1.25',
      'v1.25',
    ],
    [
      [
        '"SyncPod enter" pod="d/x" podUID="u"',
        '"Event occurred" object="d/x" reason="Created" message="Created container x"',
      ],
      'v1.27 to v1.32',
      'v1.32',
    ],
    [['"Event occurred" object="d/x" reason="Created" message="Created container: x"'], 'v1.29 to v1.34', 'v1.32'],
    [['"Event occurred" object="d/x" reason="Created" message="Container created"'], 'v1.35 or later', 'v1.36'],
    [['"Event occurred" object="d/x" reason="Started" message="Started container x"'], 'v1.14 to v1.34', 'v1.32'],
    [['"Event occurred" object="d/x" reason="Killing" message="Stopping container x"'], 'v1.14 or later', 'v1.32'],
    [['"Event occurred" object="d/x" reason="Pulling" message="Pulling image \\"x\\""'], 'v1.14 or later', 'v1.32'],
    [
      ['"Event occurred" object="d/x" reason="Pulled" message="Successfully pulled image \\"x\\" in 1.2s"'],
      'v1.13 to v1.24',
      'v1.12',
    ],
    [
      [
        '"Event occurred" object="d/x" reason="Pulled" message="Successfully pulled image \\"x\\" in 1.2s (1.3s including waiting)"',
      ],
      'v1.25 to v1.29',
      'v1.32',
    ],
    [
      [
        '"Event occurred" object="d/x" reason="Pulled" message="Successfully pulled image \\"x\\" in 1.2s (1.3s including waiting). Image size: 7 bytes."',
      ],
      'v1.30 or later',
      'v1.32',
    ],
    // As v1.31.1 prints it: the colon came with v1.31.6.
    [
      [
        '"SyncLoop (containermanager): event for pod" pod="d/x"',
        '"Event occurred" object="d/x" reason="Created" message="Created container x"',
      ],
      'v1.31 to v1.32',
      'v1.32',
    ],
    [['FLAG: --container-runtime="remote"', 'FLAG: --seccomp-default="false"'], 'v1.22 to v1.26', 'v1.25'],
  ])('%j is of %s', (texts, span, era) => {
    const found = versionOfRecords(observeLog(lines(...texts)).all);
    expect(found.span && spanText(found.span).en).toBe(span);
    expect(found.era).toBe(era);
  });

  it('is what both lines have in common, and a line that contradicts changes nothing', () => {
    const fold = new VersionFold();
    fold.line({ msg: 'SyncPod enter', fields: {} });
    fold.line({ msg: 'Killing unwanted pod', fields: {} });
    expect(fold.found).toMatchObject({ how: 'dated', era: 'v1.32' });
    expect(fold.found.span?.since).toBe(27);
  });

  it('is that of the last start where a kubelet was upgraded', () => {
    const start = (version: string) => `"Kubelet version" kubeletVersion="${version}"`;
    const { all } = observeLog(linesOf(1, 0, start('v1.25.9')) + linesOf(2, 60_000, start('v1.27.3+k3s1')));
    expect(versionOfRecords(all)).toMatchObject({ version: 'v1.27.3+k3s1', era: 'v1.32' });
  });

  it('is told by the build that /metrics names', () => {
    const values = { 'kubernetes_build_info{build_date="",git_version="v1.23.4-eks-1",go_version="go1.17"}': 1 };
    const record = { seq: 1, time: 0, g: 0, span: 0, cause: 0, kind: 'metrics', values } as TraceRecord;
    expect(versionOfRecords([record])).toMatchObject({ how: 'reported', version: 'v1.23.4-eks-1', era: 'v1.25' });
  });

  it('is unknown where nothing tells', () => {
    expect(versionOfRecords([])).toEqual({ how: 'unknown', version: '', span: null, era: defaultEra });
    expect(observedVersion('built by hand')).toEqual(versionOfRecords([]));
  });

  it('has no other dates than the catalogue has', () => {
    const parted = CATALOGUE.filter(({ msg, since = 0, until = 1000, fields }) => {
      if (typeof msg !== 'string') return false;
      const date = dateOfLine({ msg, fields: Object.fromEntries(fields.map((name) => [name, 'x'])) });
      return date !== null && (date.since > until || date.until < since);
    });
    expect(parted).toEqual([]);
  });
});

describe('in words', () => {
  it.each([
    ['v1.23.4', 'this kubelet is v1.23.4; the nearest kubelet here is v1.25'],
    ['v1.36.2', 'this kubelet is v1.36.2; the nearest kubelet here is v1.36'],
    ['v1.39.0', 'this kubelet is v1.39.0; the nearest kubelet here is v1.36, the newest one available'],
    ['v1.8.0', 'this kubelet is v1.8.0; the nearest kubelet here is v1.12, the oldest one available'],
    ['', 'no source reports the version of this kubelet; the kubelet here is v1.36'],
  ])('%s', (version, text) => {
    expect(versionSentence(observedVersion(version)).en).toBe(text);
    expect(versionSentence(observedVersion(version)).zh).toMatch(/[一-龥]/);
  });

  it('one that somebody chose', () => {
    expect(versionSentence(observedVersion('v1.23.4'), 'v1.36').en).toBe(
      'this kubelet is v1.23.4; the kubelet here is v1.36, which was chosen, and the nearest one is v1.25',
    );
  });
});

describe('the loop of an observed kubelet', () => {
  const channels = (log: string) =>
    observeLog(log)
      .of('chan-make')
      .map(({ name }) => name);
  const begin = (version: string) =>
    channels(lines(`"Kubelet version" kubeletVersion="${version}"`, '"Starting kubelet main sync loop"'));

  it('has the inputs of its version', () => {
    expect(begin('v1.36.2')).toHaveLength(8);
    expect(begin('v1.31.0')).toHaveLength(8);
    expect(begin('v1.25.9')).toEqual(expect.not.arrayContaining(['containerManager']));
    expect(begin('v1.25.9')).toHaveLength(7);
    expect(begin('v1.18.20')).toEqual(['configCh', 'plegCh', 'syncCh', 'livenessManager', 'housekeepingCh']);
  });
  it('has all where nothing tells, and the one that a line proves', () => {
    expect(channels(lines('"Starting kubelet main sync loop"'))).toHaveLength(8);
    const proved = lines(
      '"Kubelet version" kubeletVersion="v1.25.9"',
      '"Starting kubelet main sync loop"',
      '"SyncLoop (containermanager): event for pod" pod="d/x" event={"PodUIDs":["u"]}',
    );
    expect(channels(proved)).toContain('containerManager');
  });
});

describe('the pod killer of a kubelet before 1.22', () => {
  it('ends a removed pod beside its worker', () => {
    const { of } = observeLog(captured('kubelet.v4.log', 'v1.21-v4-log/single-pod-lifecycle'));
    const [killing] = of('enter').filter(({ fn }) => fn === 'killPod');
    const [marked] = of('decision').filter(({ rule }) => rule === 'KillPod');
    expect(killing).toMatchObject({ args: { pod: 'default/web-node1' }, cause: marked?.seq });
    expect(of('enter').find(({ fn }) => fn === 'killContainer')?.cause).toBe(killing?.seq);
    expect(of('exit').map(({ of: open }) => open)).toContain(killing?.seq);
    expect(of('work-start').map(({ workType }) => workType)).toEqual(expect.not.arrayContaining(['terminating']));
  });
});

describe('a log of printf, up to 1.20', () => {
  const POD = 'web-node1_default(u1)';
  const [sandbox, app] = ['a'.repeat(64), 'b'.repeat(64)];
  const log = lines(
    'Starting kubelet main sync loop.',
    `SyncLoop (ADD, "file"): "${POD}"`,
    `Creating a mirror pod for static pod "${POD}"`,
    `No sandbox for pod "${POD}" can be found. Need to start a new one`,
    `computePodActions got {KillPod:true CreateSandbox:true SandboxID: Attempt:0 NextInitContainerToStart:nil ContainersToStart:[0] ContainersToKill:map[]} for pod "${POD}"`,
    `Creating sandbox for pod "${POD}"`,
    `Created PodSandbox "${sandbox}" for pod "${POD}"`,
    `Creating container &Container{Name:app,Image:x,} in pod ${POD}`,
    `GenericPLEG: u1/${app}: non-existent -> running`,
    `SyncLoop (PLEG): "${POD}", event: &pleg.PodLifecycleEvent{ID:"u1", Type:"ContainerStarted", Data:"${app}"}`,
    `SyncLoop (REMOVE, "file"): "${POD}"`,
    'Killing unwanted pod "web-node1"',
    `Killing container "containerd://${app}" with a 5 second grace period`,
  );

  it('tells of sandbox, start and kill, and is drawn as the loop of then', () => {
    const { of } = observeLog(log);
    expect(of('work-start').map(({ workType }) => workType)).toEqual(['sync']);
    expect(of('pod-actions')).toHaveLength(1);
    const enters = of('enter').map(({ fn }) => fn);
    expect(enters).toEqual(expect.arrayContaining(['createPodSandbox', 'startContainer', 'killPod', 'killContainer']));
    expect(of('enter').find(({ fn }) => fn === 'killContainer')?.args).toMatchObject({
      ...{ pod: 'default/web-node1', containerID: app, gracePeriod: 5 },
    });
  });
});

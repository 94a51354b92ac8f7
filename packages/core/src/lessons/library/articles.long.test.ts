import { beforeAll, describe, expect, it } from 'vitest';
import { rpcMethods, rpcs } from '../../cri/index.js';
import { SimulationSession, simulationSource } from '../../debug/index.js';
import { loadEras } from '../../kubelet/era/index.js';
import { advance, notStarted, perform, placeOf } from '../index.js';
import type { Lesson } from '../lesson.js';
import { parseLesson } from '../parse.js';
import { lessons } from './index.js';

beforeAll(loadEras);

/**
 * The names in walk-throughs of each kind: those on v1.12 and v1.16 by huweihuang and gosoon, on v1.19 by luozhiyun, on
 * v1.22 to v1.27 those on the pod worker. Functions, channels, fields and operations, in the articles' order.
 */
const named: Readonly<Record<string, string>> = {
  'article-channels': `syncLoop runtimeErrors syncLoopIteration configCh plegCh syncCh livenessManager.Updates
    housekeepingCh ADD UPDATE REMOVE RECONCILE DELETE RESTORE SET SyncHandler HandlePodAdditions handleMirrorPod
    canAdmitPod rejectPod dispatchWork HandlePodUpdates HandlePodRemoves deletePod podKillingCh podKiller
    HandlePodReconcile HandlePodSyncs isSyncPodWorthy cleanUpContainersInPod getPodsToSync HandlePodCleanups`,
  'article-run': `NewKubeletCommand UnsecuredDependencies RunKubelet CreateAndInitKubelet NewMainKubelet
    makePodSourceConfig BirthCry StartGarbageCollection startKubelet Run initializeModules setupDataDirs
    imageManager.Start serverCertificateManager.Start oomWatcher.Start resourceAnalyzer.Start volumeManager.Run
    syncNodeStatus fastStatusUpdateOnce nodeLeaseController.Run updateRuntimeUp initializeRuntimeDependentModules
    syncNetworkUtil podKiller statusManager.Start probeManager.Start runtimeClassManager pleg.Start syncLoop
    syncLoopIteration HandlePodAdditions dispatchWork UpdatePod managePodLoop syncPod generateAPIPodStatus canRunPod
    SetPodStatus killPod makePodDataDirs WaitForAttachAndMount getPullSecretsForPod containerRuntime.SyncPod
    computePodActions killPodWithSyncResult createPodSandbox generatePodSandboxConfig RunPodSandbox
    findNextInitContainerToRun startContainer EnsureImageExists generateContainerConfig CreateContainer StartContainer
    runner.Run`,
  'article-dispatch': `HandlePodAdditions dispatchWork podIsTerminated UpdatePod podUpdates isWorking managePodLoop
    podCache.GetNewerThan syncPodFn lastUndeliveredWorkUpdate wrapUp workQueue.Enqueue checkForUpdates killPod
    statusManager.TerminatePod HandlePodRemoves deletePod ForgetWorker runtimeCache.GetPods podKillingCh podKiller
    ForgetNonExistingPodWorkers PerformPodKillingWork podAndContainersAreTerminal`,
  'article-worker-states': `UpdatePod podSyncStatuses managePodLoop allowPodStart syncPodFn completeSync
    acknowledgeTerminating syncTerminatingPod completeTerminating syncTerminatedPod completeTerminated completeWork
    allowStaticPodStart startedStaticPodsByFullname waitingToStartStaticPodsByFullname completeUnstartedTerminated
    calculateEffectiveGracePeriod killPodNow completeTerminatingRuntimePod SyncKnownPods removeTerminatedWorker
    restartRequested TerminatedAndRecreatedPod podWorkerLoop`,
};

async function lessonOf(name: string): Promise<Lesson> {
  const entry = lessons.find((l) => l.name === name);
  if (!entry) throw new Error(`there is no lesson ${name}`);
  return parseLesson(await entry.load(), name);
}
const namesOf = (lesson: Lesson) => lesson.steps.flatMap((s) => s.names);

describe('lessons for readers of articles', () => {
  it('are five, in a group of their own', () => {
    const group = lessons.filter((l) => l.group === 'articles').map((l) => l.name);
    expect(group).toEqual([...Object.keys(named), 'article-cri']);
  });

  it.each(Object.entries(named))(
    '%s has every name of its articles, and stops at all but a few',
    async (name, text) => {
      const all = namesOf(await lessonOf(name));
      const missing = text.split(/\s+/).filter((n) => !all.some((a) => a.name === n));
      expect(missing).toEqual([]);
      const absent = all.filter((a) => a.at === null);
      expect(absent.length / all.length).toBeLessThan(0.2);
      for (const { name: what, now } of absent) expect(now.en.length, `${what} says why`).toBeGreaterThan(8);
    },
  );

  it('name each call of the CRI once', async () => {
    const all = namesOf(await lessonOf('article-cri')).map((n) => n.name);
    expect([...all].sort()).toEqual(rpcMethods.map((m) => rpcs[m].name).sort());
  });

  it('name a caller of each call of the CRI that its run makes, and of no other', async () => {
    const lesson = await lessonOf('article-cri');
    const session = new SimulationSession(simulationSource(), { scenario: 'hello' });
    const { command } = advance(lesson, notStarted, { type: 'start' }, placeOf(session));
    if (!command) throw new Error('the lesson loads nothing');
    perform(session, command);
    perform(session, { do: 'until', where: 'time > 200s', within: 900_000_000, pace: 'fast' });
    const made = new Set([...session.store.from(1)].flatMap((r) => (r.kind === 'cri-call' ? [r.method] : [])));
    const told = namesOf(lesson).flatMap((n) => (n.calledBy === undefined ? [] : [n.name]));
    expect(told.sort()).toEqual([...made].sort());
    expect(made.size).toBeGreaterThan(20);
  });
});

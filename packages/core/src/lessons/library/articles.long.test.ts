import { beforeAll, describe, expect, it } from 'vitest';
import { rpcMethods, rpcs } from '../../cri/index.js';
import { SimulationSession, simulationSource } from '../../debug/index.js';
import { loadEras } from '../../kubelet/era/index.js';
import type { EraVersion } from '../../kubelet/era/versions.js';
import { advance, notStarted, perform, placeOf } from '../index.js';
import type { Lesson } from '../lesson.js';
import { parseLesson } from '../parse.js';
import { lessons } from './index.js';

beforeAll(loadEras);

/** An article, and the version of the kubelet on which its lesson begins. */
interface Article {
  readonly era: EraVersion;
  /** Its functions, channels, fields, operations and log lines, in the order of its text. */
  readonly names: readonly string[];
}
const words = (text: string) => text.trim().split(/\s+/);
const lines = (text: string) => text.trim().split(/\s*\n\s*/);

/** Each can be followed from its first section to its last. */
const articles: Readonly<Record<string, Article>> = {
  // syncLoopIteration of v1.12.
  'article-channels': {
    era: 'v1.12',
    names: words(`syncLoop runtimeErrors syncLoopIteration configCh plegCh syncCh livenessManager.Updates housekeepingCh
      ADD UPDATE REMOVE RECONCILE DELETE RESTORE SET isSyncPodWorthy cleanUpContainersInPod getPodsToSync
      sourcesReady.AllReady SyncHandler HandlePodAdditions podManager.AddPod handleMirrorPod filterOutTerminatedPods
      canAdmitPod rejectPod GetMirrorPodByPod probeManager.AddPod HandlePodUpdates SyncPodUpdate HandlePodRemoves
      deletePod podKillingCh podKiller HandlePodReconcile NeedToReconcilePodReadiness PodIsEvicted HandlePodSyncs
      SyncPodSync HandlePodCleanups GetAllPodsFromCgroups GetPodsAndMirrorPods desiredPods ForgetNonExistingPodWorkers
      probeManager.CleanupPods removeOrphanedPodStatuses cleanupOrphanedPodDirs DeleteOrphanedMirrorPods
      cleanupOrphanedPodCgroups dispatchWork podIsTerminated OnCompleteFunc UpdatePod podUpdates isWorking
      lastUndeliveredWorkUpdate managePodLoop GetNewerThan syncPodFn wrapUp`),
  },
  // The annotated source of syncLoop, v1.22 to v1.25.
  'article-syncloop': {
    era: 'v1.25',
    names: lines(`syncLoop
      Starting kubelet main sync loop
      syncTicker
      housekeepingTicker
      pleg.Watch
      dnsConfigurer
      runtimeErrors
      Skipping pod synchronization
      duration
      syncLoopIteration
      configCh
      plegCh
      syncCh
      housekeepingCh
      health manager
      Update channel is closed
      SyncLoop ADD
      SyncLoop UPDATE
      SyncLoop REMOVE
      SyncLoop RECONCILE
      SyncLoop DELETE
      SET
      Invalid operation type received
      lastContainerStartedTime
      isSyncPodWorthy
      GetPodByUID
      SyncLoop (PLEG): event for pod
      SyncLoop (PLEG): pod does not exist, ignore irrelevant event
      cleanUpContainersInPod
      getPodsToSync
      SyncLoop (SYNC) pods
      livenessManager.Updates
      handleProbeSync
      readinessManager.Updates
      SetContainerReadiness
      startupManager.Updates
      SetContainerStartup
      sourcesReady.AllReady
      SyncLoop (housekeeping, skipped): sources aren't ready yet
      SyncLoop (housekeeping)
      HandlePodCleanups
      Failed cleaning pods
      Housekeeping took longer than 15s
      SyncLoop (housekeeping) end`),
  },
  // The table of channels and a section for each, v1.23 to v1.25.
  'article-iteration': {
    era: 'v1.25',
    names: lines(`syncLoopIteration
      select
      syncLoopMonitor
      configCh
      plegCh
      syncCh
      housekeepingCh
      livenessManager
      readinessManager
      startupManager
      HandlePodAdditions
      HandlePodUpdates
      HandlePodRemoves
      HandlePodReconcile
      SET
      sourcesReady.AddSource
      pleg.ContainerStarted
      isSyncPodWorthy
      GetPodByUID
      HandlePodSyncs
      cleanUpContainersInPod
      podCache.Get
      ShouldPodContentBeRemoved
      deleteContainersInPod
      getPodsToSync
      SyncLoop (SYNC) pods
      proberesults.Failure
      SetContainerReadiness
      ready
      SetContainerStartup
      started
      handleProbeSync
      SyncLoop (probe): ignore irrelevant update
      sourcesReady.AllReady
      HandlePodCleanups
      Failed cleaning pods
      housekeepingWarningDuration
      SyncLoop (housekeeping) end`),
  },
  // From Run to startContainer, v1.21 to v1.25.
  'article-run-v1-25': {
    era: 'v1.25',
    names:
      words(`logServer cloudResourceSyncManager initializeModules KubeletSetupFailed volumeManager.Run syncNodeStatus
      fastStatusUpdateOnce nodeLeaseController.Run updateRuntimeUp makeIPTablesUtilChains statusManager.Start
      runtimeClassManager pleg.Start syncLoop imagesManager setNodeStatusFuncs initializeRuntimeDependentModules
      statusManager podConfig pleg sync liveness readiness startup housekeepingCh HandlePodAdditions
      IsPodTerminationRequested filterOutInactivePods canAdmitPod rejectPod dispatchWork SyncPodCreate startContainer
      EnsureImageExists FindContainerStatusByName calcRestartCountByLogDir getTargetID generateContainerConfig
      PreCreateContainer CreateContainer PreStartContainer CreatedContainer StartContainer StartedContainer
      legacyLogSymlink runner.Run FailedPostStartHook killContainer ErrPostStartHook`),
  },
  // From Run to both functions called SyncPod, v1.31.
  'article-run-v1-32': {
    era: 'v1.32',
    names: words(`--pod-manifest-path LivenessProbe ReadinessProbe CAdvisor RuntimeService ImageService logServer
      cloudResourceSyncManager initializeModules warnCgroupV1Usage volumeManager.Run syncNodeStatus fastStatusUpdateOnce
      nodeLeaseController.Run updateRuntimeUp initNetworkUtil statusManager.Start runtimeClassManager.Start pleg.Start
      eventedPleg.Start syncLoop metrics.Register setupDataDirs ContainerLogsDir imageManager.Start
      serverCertificateManager.Start oomWatcher.Start resourceAnalyzer.Start detectImages ListImages
      fastStatusUpdateOnce nodeReadyGracePeriod fastNodeStatusUpdate updateRuntimeUp containerRuntime.Status
      setNetworkState initializeRuntimeDependentModules pleg.Watch runtimeErrors syncLoopMonitor configCh ADD UPDATE
      REMOVE RECONCILE DELETE SET sourcesReady.AddSource isSyncPodWorthy cleanUpContainersInPod sourcesReady.AllReady
      HandlePodCleanups getPodsToSync livenessManager readinessManager SetContainerReadiness startupManager
      SetContainerStartup containerManager.Updates HandlePodAdditions podResizeMutex podManager.AddPod
      GetPodAndMirrorPod IsPodTerminationRequested filterOutInactivePods canAdmitPod rejectPod SetPodAllocation UpdatePod
      podUpdates waitingToStartStaticPodsByFullname workerChannelFn pendingUpdate podWorkerLoop startPodSync RunningPod
      GetNewerThan FailedSync generateAPIPodStatus podStatus.IPs SetPodStatus networkErrors NewPodContainerManager
      EnsureExists CreateMirrorPod makePodDataDirs WaitForAttachAndMount getPullSecretsForPod probeManager.AddPod
      containerRuntime.SyncPod reasonCache.Update computePodActions killPodWithSyncResult purgeInitContainers
      ContainersToKill createPodSandbox StartedPodsTotal PodSandboxStatus generatePodSandboxConfig getImageVolumes
      EphemeralContainersToStart InitContainersToStart doPodResizeAction ContainersToStart startContainer
      getPodRuntimeHandler EnsureImageExists calcRestartCountByLogDir getTargetID generateContainerConfig
      PreCreateContainer CreateContainer PreStartContainer StartContainer runner.Run FailedPostStartHook`),
  },
};

/**
 * The names in other walk-throughs of each kind: on v1.12, v1.16 and v1.19, and on the pod worker of v1.22 to v1.27.
 * Functions, channels, fields and operations.
 */
const named: Readonly<Record<string, string>> = {
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
/** A session that has loaded the lesson's run. */
function begun(lesson: Lesson): SimulationSession {
  const session = new SimulationSession(simulationSource(), { scenario: 'hello' });
  const { command } = advance(lesson, notStarted, { type: 'start' }, placeOf(session));
  if (!command) throw new Error('the lesson loads nothing');
  perform(session, command);
  return session;
}
const namesOf = (lesson: Lesson) => lesson.steps.flatMap((s) => s.names);

describe('lessons for readers of articles', () => {
  it('are nine, in a group of their own', () => {
    const group = lessons.filter((l) => l.group === 'articles').map((l) => l.name);
    expect(group.sort()).toEqual([...Object.keys(articles), ...Object.keys(named), 'article-cri'].sort());
    expect(group).toHaveLength(9);
  });

  it.each(Object.entries(articles))(
    "%s follows its article from beginning to end, in the article's version",
    async (name, article) => {
      const lesson = await lessonOf(name);
      const session = begun(lesson);
      expect(session.info.era).toBe(article.era);
      const all = namesOf(lesson);
      // Each name is found after the one before it.
      let at = -1;
      const outOfPlace = article.names.filter((n) => {
        const next = all.findIndex((a, i) => i > at && a.name === n);
        if (next >= 0) at = next;
        return next < 0;
      });
      expect(outOfPlace).toEqual([]);
      const absent = all.filter((a) => a.at === null);
      expect(absent.length / all.length).toBeLessThan(0.2);
      for (const { name: what, now } of absent) expect(now.en.length, `${what} says why`).toBeGreaterThan(8);
    },
  );

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
    const session = begun(lesson);
    perform(session, { do: 'until', where: 'time > 200s', within: 900_000_000, pace: 'fast' });
    const made = new Set([...session.store.from(1)].flatMap((r) => (r.kind === 'cri-call' ? [r.method] : [])));
    const told = namesOf(lesson).flatMap((n) => (n.calledBy === undefined ? [] : [n.name]));
    expect(told.sort()).toEqual([...made].sort());
    expect(made.size).toBeGreaterThan(20);
  });
});

/**
 * Logs of a kubelet through which many pods pass, as a CI node has them. Plain JavaScript, so that `attack/` makes the
 * same ones. Whoever asks with the same options gets the same log.
 */

const EPOCH = Date.UTC(2026, 10, 22, 10);
const IMAGES = ['localhost/busybox:dev', 'registry.example/ci/runner:v7', 'registry.example/ci/builder:v3'];
const NO_ACTIONS =
  'KillPod: false, CreateSandbox: false, UpdatePodResources: false, Attempt: 0, InitContainersToStart: [], ContainersToStart: [], EphemeralContainersToStart: [],ContainersToUpdate: map[], ContainersToKill: map[]';
const FIRST_ACTIONS =
  'KillPod: true, CreateSandbox: true, UpdatePodResources: false, Attempt: 0, InitContainersToStart: [], ContainersToStart: [0], EphemeralContainersToStart: [],ContainersToUpdate: map[], ContainersToKill: map[]';

/** Numbers from 0 up to 1 that follow from the seed. The algorithm is mulberry32. */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Digits that follow from a number, as long as an id needs them. */
function hex(n, length) {
  let h = (n + 1) >>> 0;
  let out = '';
  while (out.length < length) {
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) >>> 0;
    h = (h + 0x9e3779b9) >>> 0;
    out += h.toString(16).padStart(8, '0');
  }
  return out.slice(0, length);
}
function uidOf(n) {
  const digits = hex(n, 32);
  return [8, 12, 16, 20, 32].map((end, i) => digits.slice([0, 8, 12, 16, 20][i], end)).join('-');
}

function line(millis, text, severity = 'I') {
  const at = new Date(EPOCH + millis).toISOString();
  return `${severity}${at.slice(5, 7)}${at.slice(8, 10)} ${at.slice(11, 23)}000    1432 kubelet.go:100] ${text}\n`;
}

/** The lines before the first pod. */
function head() {
  return [
    line(0, '"Kubelet version" kubeletVersion="v1.36.2"'),
    line(400, '"Starting kubelet main sync loop"'),
    line(500, '"SyncLoop ADD" source="api" pods=[]'),
  ];
}

function statusOf(phase, name, n, restarts) {
  const state =
    phase === 'Succeeded' || phase === 'Failed'
      ? { terminated: { exitCode: phase === 'Failed' ? 1 : 0, containerID: `containerd://${hex(n * 7 + 3, 64)}` } }
      : phase === 'Running'
        ? { running: { startedAt: '2026-11-22T10:00:00Z' } }
        : { waiting: { reason: 'ContainerCreating' } };
  const ready = phase === 'Running' ? 'True' : 'False';
  const conditions = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
    type,
    status: type === 'Initialized' || type === 'PodScheduled' ? 'True' : ready,
  }));
  return JSON.stringify({
    phase,
    conditions,
    containerStatuses: [{ name, state, ready: phase === 'Running', restartCount: restarts }],
  });
}

/** Returns the log of one pod, as pairs of milliseconds since it was created and text. */
function lifeOf(n, next) {
  const name = `job-${n}`;
  const pod = `ci/${name}`;
  const uid = uidOf(n * 4);
  const container = `c${n % 3}`;
  const [sandbox, id] = [hex(n * 7 + 2, 64), hex(n * 7 + 3, 64)];
  const image = IMAGES[Math.floor(next() * IMAGES.length)];
  const about = `pod="${pod}" podUID="${uid}"`;
  const out = [];
  const say = (millis, text, severity) => out.push([millis, text, severity]);
  const event = (millis, reason, message, path = `spec.containers{${container}}`) =>
    say(
      millis,
      `"Event occurred" object="${pod}" fieldPath="${path}" kind="Pod" apiVersion="v1" type="Normal" reason="${reason}" message=${JSON.stringify(message)}`,
    );
  const pleg = (millis, type, data) =>
    say(
      millis,
      `"SyncLoop (PLEG): event for pod" pod="${pod}" event=${JSON.stringify({ ID: uid, Type: type, Data: data })}`,
    );
  const moved = (millis, data, oldState, newState) =>
    say(millis, `"GenericPLEG" podUID="${uid}" containerID="${data}" oldState="${oldState}" newState="${newState}"`);
  const sync = (millis, took, phase, actions) => {
    say(millis, `"Processing pod event" ${about} updateType="sync"`);
    say(millis, `"SyncPod enter" ${about}`);
    if (actions) say(millis + 1, `"computePodActions got for pod" podActions="${actions}" pod="${pod}"`);
    say(millis + took, `"SyncPod exit" ${about} isTerminal=${phase === 'Succeeded' || phase === 'Failed'}`);
    say(millis + took, `"Processing pod event done" ${about} updateType="sync"`);
  };
  const status = (millis, version, phase) =>
    say(
      millis,
      `"Status for pod updated successfully" pod="${pod}" statusVersion=${version} status=${statusOf(phase, container, n, 0)}`,
    );

  say(0, `"SyncLoop ADD" source="api" pods=["${pod}"]`);
  say(1, `"Pod is being synced for the first time" ${about} updateType="create"`);
  say(2, `"Notifying pod of pending update" ${about} updateType="create" workType="sync"`);
  sync(3, 420, 'Pending', FIRST_ACTIONS);
  say(5, `"Creating PodSandbox for pod" pod="${pod}"`);
  say(12, `"SyncLoop RECONCILE" source="api" pods=["${pod}"]`);
  status(14, 1, 'Pending');
  say(190, `"Created PodSandbox for pod" podSandboxID="${sandbox}" pod="${pod}"`);
  say(192, `"Creating container in pod" containerType="container" container="${container}" pod="${pod}"`);
  event(195, 'Pulled', `Container image "${image}" already present on machine and can be accessed by the pod`);
  say(260, `"Added Container" ${about} containerName="${container}" containerID="${id}"`);
  event(261, 'Created', 'Container created');
  event(422, 'Started', 'Container started');
  moved(900, id, 'non-existent', 'running');
  moved(900, sandbox, 'non-existent', 'running');
  pleg(901, 'ContainerStarted', id);
  pleg(902, 'ContainerStarted', sandbox);
  sync(904, 3, 'Running', NO_ACTIONS);
  status(930, 2, 'Running');
  if (next() < 0.3)
    for (let i = 0; i < 2; i++)
      say(1500 + 1000 * i, `"Probe succeeded" probeType="Readiness" ${about} containerName="${container}"`);
  const gone = 3000 + Math.floor(next() * 3000);
  if (next() < 0.5) {
    // It ends by itself, and is deleted afterwards.
    const code = next() < 0.2 ? 1 : 0;
    const phase = code === 0 ? 'Succeeded' : 'Failed';
    moved(gone, id, 'running', 'exited');
    say(gone + 1, `"Generic (PLEG): container finished" podID="${uid}" containerID="${id}" exitCode=${code}`);
    pleg(gone + 2, 'ContainerDied', id);
    sync(gone + 4, 3, phase, NO_ACTIONS);
    status(gone + 30, 3, phase);
  } else {
    say(gone, `"SyncLoop DELETE" source="api" pods=["${pod}"]`);
    say(gone + 1, `"Notifying pod of pending update" ${about} updateType="update" workType="terminating"`);
    say(gone + 1, `"Processing pod event" ${about} updateType="terminating"`);
    say(gone + 2, `"SyncTerminatingPod enter" ${about}`);
    say(
      gone + 3,
      `"Killing container with a grace period" ${about} containerName="${container}" containerID="containerd://${id}" gracePeriod=30`,
    );
    event(gone + 4, 'Killing', `Stopping container ${container}`);
    say(
      gone + 320,
      `"Container exited normally" ${about} containerName="${container}" containerID="containerd://${id}"`,
    );
    say(gone + 480, `"SyncTerminatingPod exit" ${about}`);
    say(gone + 480, `"Processing pod event done" ${about} updateType="terminating"`);
    status(gone + 500, 3, 'Succeeded');
    moved(gone + 900, id, 'running', 'exited');
    moved(gone + 900, sandbox, 'running', 'exited');
    say(gone + 901, `"Generic (PLEG): container finished" podID="${uid}" containerID="${id}" exitCode=0`);
    pleg(gone + 902, 'ContainerDied', id);
    pleg(gone + 903, 'ContainerDied', sandbox);
  }
  say(gone + 1300, `"SyncLoop DELETE" source="api" pods=["${pod}"]`);
  say(gone + 1310, `"SyncLoop REMOVE" source="api" pods=["${pod}"]`);
  return out;
}

/**
 * Yields the lines of a kubelet at -v=4 with pods that come one after the other, run some seconds and go: about 45 of
 * each. `seed` decides how each of them ends; `everyMillis` is the time between two that come.
 */
export function* linesOfPods({ pods, seed = 1, everyMillis = 1000 }) {
  yield* head();
  const next = randomOf(seed);
  let waiting = [];
  for (let n = 0; n < pods; n++) {
    const from = 2000 + n * everyMillis;
    waiting = waiting.concat(lifeOf(n, next).map(([at, text, severity]) => [from + at, text, severity]));
    waiting.sort(([a], [b]) => a - b);
    const until = n + 1 < pods ? from + everyMillis : Number.POSITIVE_INFINITY;
    let i = 0;
    for (; i < waiting.length && waiting[i][0] < until; i++) yield line(...waiting[i]);
    waiting = waiting.slice(i);
  }
}

/** The same as one text. */
export const logOfPods = (options) => [...linesOfPods(options)].join('');

/** A log with `pods` names in `lines` lines of ADD, as many in each: all in one line, or one in each line. */
export function* linesOfAdds({ pods, lines = pods }) {
  yield* head();
  for (let n = 0; n < lines; n++) {
    const [from, to] = [Math.floor((n * pods) / lines), Math.floor(((n + 1) * pods) / lines)];
    const names = Array.from({ length: to - from }, (_, i) => `"ci/job-${from + i}"`);
    yield line(2000 + n, `"SyncLoop ADD" source="api" pods=[${names.join(',')}]`);
  }
}
export const logOfAdds = (options) => [...linesOfAdds(options)].join('');

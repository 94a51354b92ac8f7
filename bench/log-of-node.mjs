/** A log of a kubelet whose pods stay, so that it can be of any length. */

const PODS = 110;
const MINUTE = 60_000;
const FROM = Date.UTC(2026, 10, 22, 11, 25);

/** Ids of a pod in its place: each time that the pod is replaced it has others. */
const uidOf = (i, life) => `1fa4b0c2-5d6e-4f70-${(0x8000 + life).toString(16)}-${i.toString(16).padStart(12, '0')}`;
const idOf = (i, life, of) => `${of}${life.toString(16)}${i.toString(16).padStart(4, '0')}`.padStart(64, '0');

function line(at, place, text) {
  const time = new Date(at).toISOString();
  return `I${time.slice(5, 7)}${time.slice(8, 10)} ${time.slice(11, 23)}000    1432 ${place}] ${text}\n`;
}

/** The lines of the kubelet's start. */
const started = [
  line(FROM, 'server.go:545', '"Kubelet version" kubeletVersion="v1.36.2"'),
  line(FROM + 400, 'kubelet.go:2640', '"Starting kubelet main sync loop"'),
];

/** The lines of a pod in its place. */
function podOf(i, life) {
  const pod = `default/web-${i}`;
  const uid = uidOf(i, life);
  const of = `pod="${pod}" podUID="${uid}"`;
  const loop = (at, line_, op) => line(at, `kubelet.go:${line_}`, `"SyncLoop ${op}" source="api" pods=["${pod}"]`);
  const event = (at, type, id) =>
    line(
      at,
      'kubelet.go:2752',
      `"SyncLoop (PLEG): event for pod" pod="${pod}" event={"ID":"${uid}","Type":"${type}","Data":"${id}"}`,
    );
  const [app, sandbox] = [idOf(i, life, 'c'), idOf(i, life, 'a')];
  return {
    came: (at) => [
      loop(at, 2724, 'ADD'),
      line(at + 10, 'pod_workers.go:786', `"Pod is being synced for the first time" ${of} updateType="create"`),
      event(at + 1000, 'ContainerStarted', app),
      event(at + 1000, 'ContainerStarted', sandbox),
    ],
    /** A sync that changes nothing, as a worker does one every minute or so. */
    synced: (at) => [
      line(at, 'pod_workers.go:1229', `"Processing pod event" ${of} updateType="sync"`),
      line(at + 1, 'kubelet.go:1885', `"SyncPod enter" ${of}`),
      line(at + 3, 'kubelet_pods.go:1903', `"Got phase for pod" pod="${pod}" oldPhase="Running" phase="Running"`),
      line(at + 5, 'kubelet.go:2049', `"SyncPod exit" ${of} isTerminal=false`),
      line(at + 6, 'pod_workers.go:1338', `"Processing pod event done" ${of} updateType="sync"`),
    ],
    went: (at) => [
      loop(at, 2740, 'DELETE'),
      line(
        at + 1,
        'kuberuntime_container.go:915',
        `"Killing container with a grace period" ${of} containerName="app" containerID="containerd://${app}" gracePeriod=5`,
      ),
      event(at + 1000, 'ContainerDied', app),
      event(at + 1000, 'ContainerDied', sandbox),
      loop(at + 1010, 2740, 'DELETE'),
      loop(at + 1012, 2734, 'REMOVE'),
    ],
  };
}

/** A log of so many minutes, in which a pod is replaced each minute: its pieces in order, and a span within it. */
export function logOfNode(minutes) {
  const first = FROM + 2000;
  const lives = new Array(PODS).fill(0);
  function* pieces() {
    yield started.join('');
    for (let i = 0; i < PODS; i++)
      yield podOf(i, 0)
        .came(first + i * 2000)
        .join('');
    for (let turn = 4; turn < minutes; turn++) {
      const at = first + turn * MINUTE;
      const lines = lives.flatMap((life, i) => podOf(i, life).synced(at + i * 400));
      const i = turn % PODS;
      lines.push(...podOf(i, lives[i]).went(at + 50_000), ...podOf(i, ++lives[i]).came(at + 53_000));
      yield lines.join('');
    }
  }
  return { pieces, from: first + 5 * MINUTE, until: first + (minutes - 6) * MINUTE };
}

/**
 * Logs of many kubelets of one cluster, with known causes that several share, and with troubles of single nodes. It
 * needs no cluster. Plain JavaScript, so that `bench/` makes the same ones. The same options give the same bytes.
 */

const EPOCH = Date.UTC(2026, 10, 22, 10);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

/** Numbers from 0 up to 1 that follow from the seed. The algorithm is mulberry32. */
function randomOf(seed) {
  let state = seed >>> 0;
  const float = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(float() * n);
  const pick = (list) => list[below(list.length)];
  const suffix = (n) => Array.from({ length: n }, () => SAFE[below(SAFE.length)]).join('');
  const between = (from, to) => from + below(to - from);
  const hex = (n) => Array.from({ length: n }, () => below(16).toString(16)).join('');
  const uid = () => [8, 4, 4, 4, 12].map(hex).join('-');
  const some = (list, n) => {
    const rest = [...list];
    return Array.from({ length: Math.min(n, rest.length) }, () => rest.splice(below(rest.length), 1)[0]);
  };
  return { float, below, pick, suffix, between, hex, uid, some };
}

const klog = (millis, severity, file, text) => {
  const at = new Date(millis).toISOString();
  return `${severity}${at.slice(5, 7)}${at.slice(8, 10)} ${at.slice(11, 23)}000    1432 ${file}] ${text}\n`;
};
const quoted = (text) => JSON.stringify(text);

/** A node whose lines are said at times of the API server, and printed with its own clock. */
class Node {
  said = [];
  constructor(name, ahead) {
    this.name = name;
    this.ahead = ahead;
  }
  say(at, severity, file, text) {
    this.said.push([at, severity, file, text]);
  }

  /** The kubelet starts, with the pods that it had before. */
  start(pods) {
    this.say(EPOCH, 'I', 'server.go:529', '"Kubelet version" kubeletVersion="v1.33.1"');
    this.say(EPOCH + 300, 'I', 'kubelet.go:2332', '"Starting kubelet main sync loop"');
    this.say(EPOCH + 500, 'I', 'kubelet.go:2468', `"SyncLoop ADD" source="api" pods=${quoted(pods)}`);
  }

  /** A pod comes and runs. `at`: its creation, by the API server. */
  lands(at, pod, random) {
    const arrives = at + random.between(20, 400);
    const runs = arrives + random.between(800, 3000);
    const uid = random.uid();
    this.say(arrives, 'I', 'kubelet.go:2468', `"SyncLoop ADD" source="api" pods=[${quoted(pod)}]`);
    this.say(
      runs,
      'I',
      'kubelet.go:2500',
      `"SyncLoop (PLEG): event for pod" pod=${quoted(pod)} event={"ID":"${uid}","Type":"ContainerStarted","Data":"${random.hex(64)}"}`,
    );
    const created = new Date(at).toISOString();
    const seconds = ((runs - at) / 1000).toFixed(9);
    this.say(
      runs + 100,
      'I',
      'pod_startup_latency_tracker.go:104',
      `"Observed pod startup duration" pod=${quoted(pod)} podStartSLOduration=${seconds} podStartE2EDuration="${seconds}s" podCreationTimestamp="${created.slice(0, 10)} ${created.slice(11, 19)} +0000 UTC" firstStartedPulling="0001-01-01 00:00:00 +0000 UTC" lastFinishedPulling="0001-01-01 00:00:00 +0000 UTC" observedRunningTime="${created.slice(0, 10)} ${created.slice(11, 23)} +0000 UTC m=+10.1" watchObservedRunningTime="${created.slice(0, 10)} ${created.slice(11, 23)} +0000 UTC m=+10.2"`,
    );
  }

  syncFails(at, pod, uid, container, what) {
    this.say(
      at,
      'E',
      'pod_workers.go:1301',
      `"Error syncing pod, skipping" err=${quoted(`failed to "StartContainer" for ${quoted(container)} with ${what}`)} pod=${quoted(pod)} podUID="${uid}"`,
    );
  }

  losesApi(from, to, random) {
    const put = `Put "https://10.0.0.1:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${this.name}?timeout=10s": dial tcp 10.0.0.1:6443: connect: connection refused`;
    const get = `error getting node "${this.name}": Get "https://10.0.0.1:6443/api/v1/nodes/${this.name}?timeout=10s": dial tcp 10.0.0.1:6443: connect: connection refused`;
    for (let at = from; at < to; at += random.between(6, 11) * SECOND)
      this.say(at, 'E', 'controller.go:195', `"Failed to update lease" err=${quoted(put)}`);
    for (let at = from + 2000; at < to; at += 10 * SECOND)
      this.say(at, 'E', 'kubelet_node_status.go:548', `"Error updating node status, will retry" err=${quoted(get)}`);
  }

  crashes(from, pod, container, times, random) {
    const uid = random.uid();
    let delay = 10;
    for (let i = 0, at = from; i < times; i++) {
      const words = `CrashLoopBackOff: "back-off ${delay}s restarting failed container=${container} pod=${pod.replace(/.*\//, '')}_${pod.replace(/\/.*/, '')}(${uid})"`;
      this.syncFails(at, pod, uid, container, words);
      at += delay * SECOND + random.below(2000);
      delay = Math.min(300, delay * 2);
    }
  }

  cannotPull(from, pod, image, why, times, random) {
    const uid = random.uid();
    for (let i = 0, at = from; i < times; i++, at += random.between(20, 60) * SECOND) {
      const words = `failed to pull and unpack image "${image}": ${why}`;
      this.say(
        at,
        'E',
        'log.go:32',
        `"PullImage from image service failed" err=${quoted(`rpc error: code = Unknown desc = ${words}`)} image="${image}"`,
      );
      this.syncFails(at + 1, pod, uid, 'app', `ErrImagePull: ${quoted(words)}`);
    }
  }

  evicts(at, pods) {
    const say = (after, severity, text) => this.say(at + after, severity, 'eviction_manager.go:380', text);
    say(0, 'W', '"Eviction manager: attempting to reclaim" resourceName="memory"');
    say(1, 'I', '"Eviction manager: must evict pod(s) to reclaim" resourceName="memory"');
    say(2, 'I', `"Eviction manager: pods ranked for eviction" pods=${quoted(pods)}`);
    pods.forEach((pod, i) => {
      say(900 + i, 'I', `"Eviction manager: pod is evicted successfully" pod=${quoted(pod)}`);
    });
  }

  refusedByCertificate(from, times, random) {
    for (let i = 0, at = from; i < times; i++, at += random.between(8, 12) * SECOND) {
      const now = new Date(at).toISOString().slice(0, 19);
      const put = `Put "https://10.0.0.1:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${this.name}?timeout=10s": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time ${now}Z is after 2026-11-22T09:59:00Z`;
      this.say(at, 'E', 'controller.go:195', `"Failed to update lease" err=${quoted(put)}`);
    }
  }

  losesRuntime(from, to, random) {
    const err =
      'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: connection refused"';
    for (let at = from; at < to; at += random.between(900, 1100)) {
      this.say(
        at,
        'E',
        'log.go:32',
        `"ListPodSandbox with filter from runtime service failed" err=${quoted(err)} filter="nil"`,
      );
      this.say(at + 1, 'E', 'kuberuntime_sandbox.go:305', `"Failed to list pod sandboxes" err=${quoted(err)}`);
      this.say(at + 2, 'E', 'generic.go:238', `"GenericPLEG: Unable to retrieve pods" err=${quoted(err)}`);
    }
    // A pod whose container ended meanwhile.
    this.say(
      to + 1200,
      'I',
      'kubelet.go:2500',
      `"SyncLoop (PLEG): event for pod" pod="kube-system/cni-${random.suffix(5)}" event={"ID":"${random.uid()}","Type":"ContainerStarted","Data":"${random.hex(64)}"}`,
    );
  }

  /** Ordinary lines, made one by one: a long log takes no memory. */
  *quiet(count, minutes, pods, random) {
    // A pod keeps its UID and its volume.
    const of = new Map(pods.map((pod) => [pod, { uid: random.uid(), volume: `kube-api-access-${random.suffix(5)}` }]));
    for (let i = 0; i < count; i++) {
      const at = EPOCH + SECOND + Math.floor(((minutes * MINUTE - 2 * SECOND) * i) / count);
      const pod = random.pick(pods);
      const { uid, volume } = of.get(pod);
      const kinds = [
        () => ['I', 'kubelet.go:2484', `"SyncLoop RECONCILE" source="api" pods=[${quoted(pod)}]`],
        () => [
          'I',
          'reconciler_common.go:251',
          `"operationExecutor.VerifyControllerAttachedVolume started for volume \\"${volume}\\" (UniqueName: \\"kubernetes.io/projected/${uid}-${volume}\\") pod \\"${pod.replace(/.*\//, '')}\\" (UID: \\"${uid}\\") " pod=${quoted(pod)}`,
        ],
        () => [
          'I',
          'prober.go:120',
          `"Probe succeeded" probeType="Readiness" pod=${quoted(pod)} podUID="${uid}" containerName="app"`,
        ],
        () => ['I', 'kubelet.go:2477', `"SyncLoop UPDATE" source="api" pods=[${quoted(pod)}]`],
      ];
      yield [at, ...random.pick(kinds)()];
    }
  }
}

const REGISTRY_DOWN = (registry, image) =>
  `failed to resolve reference "${image}": failed to do request: Head "https://${registry}/v2/${image.split('/').slice(1).join('/').replace(/:.*/, '')}/manifests/v1": dial tcp: lookup ${registry} on 10.0.0.10:53: no such host`;
const NOT_FOUND = (image) => `failed to resolve reference "${image}": ${image}: not found`;

/** How each cause is planted: what it makes of the nodes, and the truth about it. */
const PLANTS = {
  api(nodes, random, at) {
    const hit = random.some(nodes, Math.max(3, Math.ceil(nodes.length * (0.3 + 0.6 * random.float()))));
    const end = at + random.between(2, 6) * MINUTE;
    for (const node of hit) node.losesApi(at + random.below(14 * SECOND), end + random.below(9 * SECOND), random);
    return { rule: 'window', kind: 'api-unreachable', key: '', nodes: hit };
  },
  registry(nodes, random, at) {
    const registry = `registry-${random.suffix(4)}.example:5000`;
    const hit = random.some(nodes, Math.max(4, Math.ceil(nodes.length * 0.4)));
    for (const [i, node] of hit.entries()) {
      const image = `${registry}/shop/${random.pick(['cart', 'pay', 'stock', 'mail'])}:v${1 + i}`;
      const pod = `shop/${random.suffix(8)}-${random.suffix(9)}-${random.suffix(5)}`;
      node.cannotPull(at + random.below(25 * SECOND), pod, image, REGISTRY_DOWN(registry, image), 4, random);
    }
    return { rule: 'registry', kind: 'image', key: registry, nodes: hit };
  },
  image(nodes, random, at) {
    const image = `ghcr.example/team-${random.suffix(4)}/app:v9`;
    const hit = random.some(nodes, random.between(2, 6));
    for (const node of hit) {
      const pod = `team/app-${random.suffix(9)}-${random.suffix(5)}`;
      node.cannotPull(at + random.below(10 * MINUTE), pod, image, NOT_FOUND(image), 3, random);
    }
    return { rule: 'image', kind: 'image', key: image, nodes: hit };
  },
  workload(nodes, random, at) {
    const name = `monitoring/exporter-${random.suffix(4)}0`;
    const hit = random.some(nodes, random.between(2, Math.max(3, nodes.length)));
    for (const node of hit)
      node.crashes(at + random.below(8 * MINUTE), `${name}-${random.suffix(5)}`, 'exporter', 5, random);
    return { rule: 'workload', kind: 'crash-loop', key: name, nodes: hit };
  },
  landing(nodes, random, at) {
    const name = 'ops/etcd-backup';
    const hit = random.some(nodes, random.between(4, Math.max(5, Math.ceil(nodes.length / 2))));
    hit.forEach((node, i) => {
      // A CronJob: one node after the other.
      const lands = at + i * 90 * SECOND + random.below(20 * SECOND);
      node.lands(lands, `${name}-${28_431_230 + i}-${random.suffix(5)}`, random);
      const evicted = lands + random.between(30, 80) * SECOND;
      const set = `shop/web${i}-${random.suffix(9)}`;
      node.evicts(evicted, [`${set}-${random.suffix(5)}`]);
      // Its ReplicaSet starts another one elsewhere.
      const other = random.pick(nodes.filter((one) => one !== node));
      other.lands(evicted + random.between(1500, 4000), `${set}-${random.suffix(5)}`, random);
    });
    return { rule: 'landing', kind: 'eviction', key: name, nodes: hit };
  },
  certificate(nodes, random, at) {
    const hit = random.some(nodes, random.between(2, 6));
    for (const node of hit) node.refusedByCertificate(at + random.below(12 * MINUTE), 20, random);
    return { rule: 'same-error', kind: 'certificate-invalid', key: '', nodes: hit };
  },
  runtime(nodes, random, at) {
    const hit = random.some(nodes, Math.max(4, Math.ceil(nodes.length * 0.5)));
    for (const node of hit) {
      const from = at + random.below(20 * SECOND);
      node.losesRuntime(from, from + random.between(20, 60) * SECOND, random);
    }
    return { rule: 'window', kind: 'runtime-down', key: '', nodes: hit };
  },
};
export const causeNames = Object.keys(PLANTS);

/** A trouble of one node that has nothing to do with the others. */
function noiseOn(node, random, at, n) {
  const own = `own${n}/${random.suffix(7)}-${random.suffix(9)}-${random.suffix(5)}`;
  random.pick([
    () => node.crashes(at, own, 'app', random.between(3, 6), random),
    () => {
      const image = `registry-${random.suffix(6)}.example/own/${random.suffix(6)}:v1`;
      node.cannotPull(at, own, image, NOT_FOUND(image), 3, random);
    },
    () => node.losesApi(at, at + random.between(20, 90) * SECOND, random),
    () => node.losesRuntime(at, at + random.between(10, 40) * SECOND, random),
    () => node.evicts(at, [own]),
  ])();
}

export function fleetLogs({ seed, nodes: count = 20, minutes = 60, causes = [], noise = 0.5, quiet = 400 }) {
  const random = randomOf(seed);
  const nodes = Array.from({ length: count }, (_, i) => {
    // Most clocks are good.
    const ahead =
      random.float() < 0.2 ? random.between(-40, 40) * SECOND + random.below(900) : random.between(-200, 200);
    return new Node(`node-${String(i + 1).padStart(3, '0')}`, ahead);
  });
  const daemons = ['kube-system/kube-proxy', 'kube-system/cni', 'monitoring/node-exporter'];
  const podsOf = new Map();
  for (const node of nodes) {
    const pods = [
      ...daemons.map((name) => `${name}-${random.suffix(5)}`),
      ...Array.from({ length: 5 }, () => `apps/${random.suffix(6)}-${random.suffix(9)}-${random.suffix(5)}`),
    ];
    podsOf.set(node, pods);
    node.start(pods);
    for (let i = 0; i < 6; i++)
      node.lands(
        EPOCH + MINUTE + random.below((minutes - 2) * MINUTE),
        `apps/${random.suffix(6)}-${random.suffix(9)}-${random.suffix(5)}`,
        random,
      );
  }
  const planted = causes.map((cause, i) => {
    // Each has its own part of the time, so that none hides another.
    const from = EPOCH + 5 * MINUTE + Math.floor(((minutes - 25) * MINUTE * i) / Math.max(1, causes.length));
    const truth = PLANTS[cause](nodes, random, from + random.below(3 * MINUTE));
    return { ...truth, nodes: truth.nodes.map(({ name }) => name).sort() };
  });
  const troubles = Math.round(noise * count);
  for (let n = 0; n < troubles; n++)
    noiseOn(random.pick(nodes), random, EPOCH + 2 * MINUTE + random.below((minutes - 8) * MINUTE), n);
  return {
    planted,
    noise: troubles,
    nodes: nodes.map((node, i) => {
      const said = [...node.said].sort(([a], [b]) => a - b);
      const quietSeed = Math.imul(seed, 7919) + i;
      return {
        name: node.name,
        ahead: node.ahead,
        *lines() {
          let next = 0;
          const print = ([at, severity, file, text]) => klog(at + node.ahead, severity, file, text);
          for (const one of node.quiet(quiet, minutes, podsOf.get(node), randomOf(quietSeed))) {
            while (next < said.length && said[next][0] <= one[0]) yield print(said[next++]);
            yield print(one);
          }
          while (next < said.length) yield print(said[next++]);
        },
      };
    }),
  };
}

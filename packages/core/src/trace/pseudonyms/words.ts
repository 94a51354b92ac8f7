/** Words that are Kubernetes' own: they are nobody's names, or mean something where they stand in a text. */

const split = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Names that every cluster has. They stay. */
export const wellKnownNames = split(`
  default kube-system kube-public kube-node-lease kubernetes kubelet localhost kube-root-ca.crt library
  containerd cri-o docker runc cluster.local svc kube-apiserver kube-controller-manager kube-scheduler kube-proxy etcd
  coredns default-scheduler system-node-critical system-cluster-critical docker.io registry.k8s.io
`);

/**
 * A name that is one of these is replaced where a field says that it is a name, and in a text only where the words
 * around it say so: "the status of container status".
 */
export const commonWords = split(`
  a an the is are was be been has have had not no of to in on at by for from with and or as it its this that will can
  may than then so if but out up off into over under after before until while since when where which who why how all any
  each both other only same again once more most new old last next first
  actual add added address admission again alive alloc already annotations api apiserver args available back backoff bad
  base bearer begin bind body both bound bytes cache call capacity cause cgroup cgroups change changed channel check
  class cleaned client clock close cluster code command concluded condition conditions config configmap configmaps
  connection container containers context control core count counts cpu crash crashed create created creating cri current
  data deadline deadlock dead decision delay delete deleted desired detail details dir dirs disk dns done driver drop
  due dynamic empty end ended enter env envs ephemeral error errors evict evicted eviction event events evidence
  exceeded exec exit exited exits expired expires failed failing failure false fault file files filter finished flag
  found free full gap garbage get global goroutine group grace grpc handler hash health healthy hook hooks host hostname
  hosts housekeeping http https id image images info init initial input internal io item items json key kill killed
  killing kind kube label labels latest left len level lease life limit limits line list listen live liveness local
  lock log logs loop main manager managers manifest manifests map mark master memory message messages method metadata
  metrics missing mock mode mount mounted mounts msg name named names namespace namespaces net network nil node nodes
  none null object objects observed offset ok op open origin output owner parent part path pause paused pending
  period phase pid pids ping pleg pod pods policy port ports present priority probe probes process processes progress
  proto protocol pull pulled pulling qos query queue quota rank ran ready readiness reason receive reclaim reconcile
  record refused registry reject relist remote remove removed replace request requests reset resize resource resources
  response restart restarted restarting restarts result results resync retry return root rule run runner running runtime
  sandbox sandboxes scenario scope seccomp secret secrets select send sent seq service services session set setup shell
  sidecar signal size sleep slot socket source sources span spans spec stack start started starting startup stat state
  static stats status stderr stdin stdout step stop stopped stopping storage stream success sync syncing system tag
  target task tcp term terminate terminated terminating termination test tick time timed timeout timer timestamp tls
  tmp token took total trace transition true try tty type udp uid unavailable unknown unmount update updated url usage
  use used user uts value values var verb verdict verify version virtual volume volumes wait waiting warning watch
  work worker workers write wrote yaml zone
`);

/** Keys of labels that are in every manual. Others say what somebody's organisation is like. */
export const commonLabels = split(`
  app name component tier version release role env environment instance track k8s-app run heritage chart part-of
  managed-by pod-template-hash controller-revision-hash pod-template-generation job-name batch controller-uid
  statefulset.kubernetes.io/pod-name
`);

/** True if the domain of a label's or an annotation's key is Kubernetes' own. */
export const isOwnKey = (key: string): boolean =>
  /(^|\.)(kubernetes\.io|k8s\.io)\//.test(key) || key.startsWith('io.kubernetes.') || key.startsWith('io.cri');

export const staticPods = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: static-pods
  title:
    en: Static pods and their mirrors
    zh: 静态 Pod 与镜像 Pod
  summary:
    en: A file is enough for a pod. See where its uid comes from, what its mirror in the API is good for, and why an edit is not an update but another pod.
    zh: 一个文件就够一个 Pod。看它的 uid 从哪里来，API 里的镜像 Pod 有什么用，以及为什么改文件不是更新，而是换了一个 Pod。
  minutes: 9
spec:
  goal:
    en: You can say what the kubelet does when somebody deletes a mirror pod, or edits the manifest of a static pod, and why for some seconds nothing may run.
    zh: 有人删掉镜像 Pod，或者修改静态 Pod 的清单时，你能说出 kubelet 会做什么，以及为什么可能有几秒什么都不在运行。
  seed: 1
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: static-pods
      title: { en: A static pod on a node of a cluster, zh: 集群节点上的一个静态 Pod }
    spec:
      seed: 1
      node: { apiServer: true, clusterDNS: ["10.96.0.10"] }
      steps:
        - apply:
            apiVersion: v1
            kind: Pod
            metadata:
              name: web
            spec:
              terminationGracePeriodSeconds: 10
              containers:
                - name: app
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  # It takes four seconds to stop.
                  command: ["sh", "-c", "trap 'sleep 4; exit 0' TERM; while true; do sleep 0.2; done"]
        - wait: 1h
  steps:
    - title:
        en: A file is enough
        zh: 一个文件就够
      text:
        en: |-
          The file source has read \`web.yaml\`. The manifest names neither node nor uid, so \`applyDefaults\` fills them in: the pod is **{{ pods[0].pod }}**, its uid {{ pods[0].uid }}.

          The uid is a hash of the manifest, the node and the path. The same file on the same node is the same pod, at every reading and after every restart.
        zh: |-
          文件源读到了 \`web.yaml\`。清单里既没有节点也没有 uid，由 \`applyDefaults\` 补上：Pod 是 **{{ pods[0].pod }}**，uid 是 {{ pods[0].uid }}。

          uid 是清单内容、节点名和路径的哈希。同一节点上的同一个文件，每次读到、每次重启之后，都是同一个 Pod。
      do:
        - until: "kind == 'source' && source == 'file' && len(pods) == 1"
          pace: fast
      show: { level: loop, select: { part: source-file } }
      holds:
        - "pods[0].pod == 'default/web-node1' && len(pods[0].uid) == 32"

    - title:
        en: A step for static pods alone
        zh: 只给静态 Pod 的一步
      text:
        en: |-
          From \`PodConfig\` on it is a pod like any other. But step {{ n }} of \`SyncPod\`, \`tryReconcileMirrorPods\`, is for static pods only. It wants a mirror pod with the same hash; the API source has brought none, so it creates one.

          The API server has no say in this pod. It would start as well if the server were down; only nobody would see it with \`kubectl\`.
        zh: |-
          从 \`PodConfig\` 往后，它和别的 Pod 一样。但 \`SyncPod\` 的第 {{ n }} 步 \`tryReconcileMirrorPods\` 只针对静态 Pod：要有一个带着同样哈希的镜像 Pod。API 来源还没有送来过，于是它建一个。

          这个 Pod 不归 API server 管。就算 API server 停了，它照样启动，只是用 \`kubectl\` 看不到。
      do:
        - until: "kind == 'step' && fn == 'SyncPod' && name == 'mirror pod'"
      show: { level: loop, select: { pod: web }, source: SyncPod }
      holds:
        - "n == 9 && count(state.sandboxes) == 0"
        - { never: { kind: pod-config, where: "source == 'api' && len(pods) > 0" } }

    - title:
        en: The mirror comes back
        zh: 镜像 Pod 回来了
      ask:
        question:
          en: "The mirror was created, and the kubelet's own watch brings it back: \`{{ op }}\` from source \`{{ source }}\`, with a uid that the API server gave it. What does \`HandlePodAdditions\` do with it?"
          zh: "镜像 Pod 建好了，又从 kubelet 自己的 watch 回来：来源 \`{{ source }}\` 的 \`{{ op }}\`，uid 是 API server 给的。\`HandlePodAdditions\` 拿它怎么办？"
        options:
          - value: update
            text:
              en: It sends an update to the worker that the static pod has already
              zh: 给静态 Pod 已有的那个 worker 发一个更新
          - value: create
            text:
              en: It admits it and starts a worker for it, as for every new uid
              zh: 让它通过准入，为它启动一个 worker，新的 uid 都这样
            wrong:
              en: A mirror pod is never admitted and never gets a worker. Otherwise the container would be started twice.
              zh: 镜像 Pod 不经过准入，也绝不会有 worker，否则容器就启动两次了。
          - value: none
            text:
              en: Nothing, it is thrown away as the kubelet knows it already
              zh: 什么也不做：kubelet 本来就知道它，扔掉
            wrong:
              en: The pod manager keeps it beside the static pod, and the worker is told.
              zh: Pod manager 把它和静态 Pod 放在一起记着，worker 也会得到通知。
        then:
          - until: "kind == 'pod-update' || (kind == 'exit' && fn == 'HandlePodAdditions')"
        answer: "updateType ?? 'none'"
        right:
          en: "An \`{{ updateType }}\` for the uid {{ uid }}, the static pod's. There is {{ count(state.pods, p => p.worker != null) }} worker for the two objects."
          zh: "给 uid {{ uid }}，也就是静态 Pod，发一个 \`{{ updateType }}\`。两个对象只有 {{ count(state.pods, p => p.worker != null) }} 个 worker。"
      do:
        - until: "kind == 'pod-config' && source == 'api' && len(pods) == 1"
      show: { level: loop, select: { part: source-api } }
      holds:
        - "op == 'ADD' && len(pods[0].uid) == 36"
        - { records: { kind: log, where: "msg == 'Creating a mirror pod for static pod'", exactly: 1 } }

    - title:
        en: Two uids, one status
        zh: 两个 uid，一份状态
      text:
        en: |-
          The status manager keeps the status under the static pod's uid, and writes it into the mirror, whose uid is another. That is what \`kubectl\` shows.

          The write comes back by the watch as \`{{ op }}\`: only the status differs, so \`HandlePodReconcile\` notes the new object and no worker is woken.
        zh: |-
          状态管理器把状态记在静态 Pod 的 uid 下，写到镜像 Pod 里时换成镜像的 uid。\`kubectl\` 显示的就是它。

          这次写入又从 watch 回来，成了 \`{{ op }}\`：变的只有状态，\`HandlePodReconcile\` 记下新对象，不叫醒任何 worker。
      do:
        - until: "kind == 'pod-config' && source == 'api' && op == 'RECONCILE'"
      show: { level: loop, select: { part: status } }
      holds:
        - "len(pods) == 1 && len(pods[0].uid) == 36"

    - title:
        en: kubectl delete
        zh: kubectl delete
      ask:
        question:
          en: The pod is running. Somebody types \`kubectl delete pod web-node1\`. What becomes of the container \`app\`?
          zh: Pod 在运行。有人执行 \`kubectl delete pod web-node1\`。容器 \`app\` 会怎样？
        options:
          - value: restarted
            text:
              en: It is stopped with its grace period, then started again, as the file is still there
              zh: 按宽限期停掉，然后因为文件还在，又启动
            wrong:
              en: Nothing tells the runtime to stop. What was deleted is the mirror, and nothing in the runtime belongs to it.
              zh: 没有谁叫运行时停。删掉的是镜像 Pod，运行时里没有什么属于它。
          - value: stopped
            text:
              en: It is stopped, and stays so until the file changes
              zh: 停掉，直到文件变化才再启动
            wrong:
              en: The source \`file\` still has the pod, and what a source has is wanted.
              zh: 来源 \`file\` 里还有这个 Pod，来源里有，就是要它运行。
          - value: same
            text:
              en: Nothing, the same container runs on
              zh: 什么也没发生，还是同一个容器在运行
        then:
          - delete: { pod: web-node1, to: api }
          - until: "kind == 'pod-config' && source == 'api' && op == 'ADD'"
            within: 20s
        answer: "first(state.containers, c => c.name == 'app' && c.attempt == 0).state != 'running' ? 'stopped' : count(state.containers, c => c.name == 'app') > 1 ? 'restarted' : 'same'"
        right:
          en: It runs on, and there is a new mirror, {{ pods[0].uid }}. The deletion came to the static pod's worker as an update; \`SyncPod\` saw a mirror that is being deleted, removed it for good, and made another.
          zh: 它照样运行，而且已经有了新的镜像 Pod {{ pods[0].uid }}。删除对静态 Pod 的 worker 只是一次更新；\`SyncPod\` 看到镜像正被删除，就把它彻底删掉，另建一个。
      do:
        - until: "kind == 'status' && pod.phase == 'Running'"
        - go: { time: 5s }
      show: { level: loop, select: { container: app, pod: web } }
      holds:
        - { pod: web, container: app, running: true, atMostRestarts: 0 }

    - title:
        en: Now the file
        zh: 现在改文件
      ask:
        question:
          en: It is {{ round(seconds(time)) }} s. Somebody adds a label to \`web.yaml\`, nothing else. What does \`PodConfig\` send first?
          zh: 现在是第 {{ round(seconds(time)) }} 秒。有人给 \`web.yaml\` 加了一个标签，别的没动。\`PodConfig\` 先发出什么？
        options:
          - value: UPDATE
            text:
              en: "An \`UPDATE\`: name and namespace are the same"
              zh: "\`UPDATE\`：名字和命名空间都没变"
            wrong:
              en: Within a source pods are known by their uid, not by their name. The uid has changed with the content.
              zh: 来源里的 Pod 按 uid 而不是按名字区分。内容变了，uid 也变了。
          - value: REMOVE
            text:
              en: "A \`REMOVE\`"
              zh: "\`REMOVE\`"
          - value: RECONCILE
            text:
              en: "A \`RECONCILE\`: a label does not concern the containers"
              zh: "\`RECONCILE\`：标签不影响容器"
            wrong:
              en: That is for a change of the status alone, as it comes back from the API server.
              zh: 那只用于状态的变化，也就是从 API server 回来的那种。
        then:
          - edit: { pod: web, patch: { metadata: { labels: { version: "2" } } } }
          - until: "kind == 'pod-config' && source == 'file' && len(pods) > 0"
            within: 25s
        answer: op
        right:
          en: "A \`{{ op }}\` of {{ pods[0].uid }}. The hash is another one, so it is another pod: the \`ADD\` of the new uid follows in the same merge. The container will be stopped, for a label."
          zh: "是 {{ pods[0].uid }} 的 \`{{ op }}\`。哈希变了，就是另一个 Pod：新 uid 的 \`ADD\` 在同一次合并里跟着来。为了一个标签，容器要停掉。"
      do:
        - go: { time: 10s }
      show: { level: loop, select: { part: podConfig } }
      holds:
        - "round(seconds(time)) == 10"

    - name: wait
      title:
        en: Same name, another pod
        zh: 名字相同的另一个 Pod
      text:
        en: |-
          Two pods are called {{ pod }} now, each with a worker. The old one is terminating. The new one has asked \`allowStaticPodStart\`, and heard: "{{ verdict }}".

          Of static pods with the same name only one may be started at a time. They would share their host ports, their paths and the one mirror.
        zh: |-
          现在有两个 Pod 都叫 {{ pod }}，各有一个 worker。旧的正在终止。新的问了 \`allowStaticPodStart\`，得到的回答是“{{ verdict }}”。

          同名的静态 Pod 一次只许启动一个，否则它们会共用主机端口、路径和那一个镜像 Pod。
      do:
        - until: "kind == 'decision' && rule == 'allowPodStart' && verdict == 'not yet'"
      show: { level: loop, select: { record: here }, tab: why }
      holds:
        - "pod == 'default/web-node1' && count(state.pods, p => p.pod == 'default/web-node1' && p.worker != null) == 2"
        - "any(state.pods, p => p.worker.state == 'terminating') && worker.state == 'sync'"
        - { sequence: [{ kind: pod-config, where: "source == 'file' && op == 'REMOVE'" }, { kind: pod-config, where: "source == 'file' && op == 'ADD'" }] }

    - title:
        en: Who wakes it?
        zh: 谁来叫醒它
      ask:
        question:
          en: The old container takes 4 s to stop, and a second later its worker is done, at {{ round(seconds(time)) }} s. When will the new pod start?
          zh: 旧容器停止要 4 秒，又过 1 秒它的 worker 结束，现在是第 {{ round(seconds(time)) }} 秒。新 Pod 什么时候启动？
        options:
          - value: at once
            text:
              en: At once, the old worker passes the name on
              zh: 立刻：旧 worker 把名字让给它
            wrong:
              en: The old worker only frees the name. It does not know who waits for it.
              zh: 旧 worker 只是把名字让出来，并不知道谁在等。
          - value: housekeeping
            text:
              en: "With the next \`housekeepingCh\`, within 2 s"
              zh: "下一次 \`housekeepingCh\`，2 秒之内"
            wrong:
              en: Housekeeping creates workers for pods that have none. This one has a worker, it only does not look.
              zh: housekeeping 给没有 worker 的 Pod 补建 worker。这个 Pod 有 worker，只是它没在看。
          - value: retry
            text:
              en: When it looks again by itself, 10 to 15 s after its first look
              zh: 等它自己再看一次，也就是第一次之后 10 到 15 秒
        then:
          - until: "kind == 'decision' && rule == 'allowPodStart' && verdict == 'start'"
            pace: fast
        answer: "time < 16s ? 'at once' : time < 18s ? 'housekeeping' : 'retry'"
        right:
          en: At {{ seconds(time) }} s. Nobody wakes a worker whose turn has come; it had put itself into the work queue. For some seconds neither the old nor the new version was there.
          zh: 第 {{ seconds(time) }} 秒。轮到它时没有人叫醒它，是它自己排进了 work queue。有好几秒，新旧两个版本都不在运行。
      do:
        - until: "kind == 'worker' && state == 'finished'"
      show: { level: loop, select: { pod: web }, panel: timeline }
      holds:
        - "round(seconds(time)) == 15"
        - { records: { kind: actual-container, where: "name == 'app' && state == 'exited'", exactly: 1 } }

    - title:
        en: The mirror has to go, too
        zh: 镜像 Pod 也得换
      text:
        en: |-
          The first \`SyncPod\` of the new pod finds a mirror with the old hash. It is not changed but deleted, and another is made in the same step.

          A static pod with a uid of its own in the manifest would keep both: the uid stands for the hash, and an edit is an \`UPDATE\`. Its mirror then goes on showing the old spec.
        zh: |-
          新 Pod 的第一次 \`SyncPod\` 发现镜像 Pod 带的是旧哈希。它不会被修改，而是被删掉，同一步里再建一个。

          如果清单自己写了 uid，两者都保得住：uid 就当作哈希，修改就是 \`UPDATE\`。只是镜像 Pod 从此还显示旧的 spec。
      do:
        - until: "kind == 'log' && msg =~ 'Deleted mirror pod as*'"
        - until: "kind == 'pod-config' && source == 'api' && op == 'ADD'"
      show: { level: loop, select: { pod: web } }
      holds:
        - { records: { kind: log, where: "msg == 'Creating a mirror pod for static pod'", exactly: 3 } }
        - { records: { kind: step, where: "fn == 'SyncPod' && name == 'mirror pod' && uid == state.pods['web'].uid", atLeast: 1 } }

    - title:
        en: An edit that is an update
        zh: 让修改成为更新
      exercise:
        text:
          en: Bring about an edit of a static pod that \`PodConfig\` takes for an \`UPDATE\`.
          zh: 修改一个静态 Pod，让 \`PodConfig\` 把它当作 \`UPDATE\`。
        done:
          - { records: { kind: pod-config, where: "source == 'file' && op == 'UPDATE' && len(pods) == 1", atLeast: 1 } }
        hint:
          en: The hash is taken only where the manifest has no \`metadata.uid\`. Apply a manifest that has one, then apply it again with a change.
          zh: 清单里没有 \`metadata.uid\` 时才用哈希。先应用一个写了 uid 的清单，再改一处，重新应用。
        solution:
          - apply:
              apiVersion: v1
              kind: Pod
              metadata:
                name: fixed
                uid: 11111111-2222-3333-4444-555555555555
              spec:
                terminationGracePeriodSeconds: 2
                containers:
                  - name: app
                    image: localhost/busybox:dev
                    imagePullPolicy: IfNotPresent
                    command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
          - until: "kind == 'status' && pod == 'default/fixed-node1' && pod.phase == 'Running'"
          - edit: { pod: fixed, patch: { metadata: { labels: { version: "2" } } } }
          - until: "kind == 'pod-config' && source == 'file' && op == 'UPDATE'"

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          The file decides. The mirror is there to be seen: delete it, and it is made again.

          The uid is the content. So every edit of a manifest without a uid is a stop and a start, with up to 15 s of nothing between: also on a control plane node that is upgraded by new manifests.
        zh: |-
          说了算的是文件。镜像 Pod 是给人看的：删掉它，还会再建。

          uid 就是内容。所以没写 uid 的静态 Pod，每次修改都是一停一起，中间最多空上 15 秒。靠改清单升级的控制面节点也是这样。
      show: { level: loop, select: { part: podConfig } }
      holds:
        - { pod: web, phase: Running }
        - { records: { kind: actual-container, where: "name == 'app' && state == 'running'", atLeast: 3 } }
`;

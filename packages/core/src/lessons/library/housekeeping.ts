export const housekeeping = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: housekeeping
  title:
    en: Housekeeping, and why it waits
    zh: housekeeping，以及它为什么要等
  summary:
    en: Every 2 s the kubelet compares what should be with what runs. Restart it while the API server is away, and see what it must not clean up before every source has been heard.
    zh: kubelet 每 2 秒比较一次应该有的和正在运行的。在 API server 不可用时重启它，看看在听过每个来源之前，有什么是它不能清理的。
  minutes: 9
spec:
  goal:
    en: You can say what \`HandlePodCleanups\` sets right, what an orphan is, and why nothing is cleaned up until all sources are ready.
    zh: 你能说出 \`HandlePodCleanups\` 纠正什么、什么是孤儿，以及为什么所有来源就绪之前什么也不清理。
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: housekeeping
    spec:
      seed: 1
      node:
        apiServer: true
        fileCheckFrequency: 1s
        clusterDNS: ["10.96.0.10"]
      steps:
        - apply:
            apiVersion: v1
            kind: Pod
            metadata:
              name: local
            spec:
              terminationGracePeriodSeconds: 30
              containers:
                - name: agent
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
        - apply:
            to: api
            manifest:
              apiVersion: v1
              kind: Pod
              metadata:
                name: web
              spec:
                terminationGracePeriodSeconds: 30
                containers:
                  - name: app
                    image: localhost/busybox:dev
                    imagePullPolicy: IfNotPresent
                    command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
        - wait: 10m
  seed: 1
  steps:
    - title:
        en: Every two seconds
        zh: 每两秒一次
      text:
        en: |-
          {{ round(seconds(time)) }} s: \`housekeepingCh\` ticked, and the loop called \`{{ fn }}\`. No event brings it here; it looks for what no event will tell: a pod that runs and that nobody wants, a worker whose pod is gone.

          It runs on the loop's own goroutine, so it must be quick.
        zh: |-
          第 {{ round(seconds(time)) }} 秒：\`housekeepingCh\` 滴答了一下，循环调用了 \`{{ fn }}\`。它不是因为哪个事件而来，它找的正是没有事件会说的事：没人要却在运行的 Pod，Pod 已经没了的 worker。

          它在循环自己的 goroutine 里运行，所以必须快。
      do:
        - until: "kind == 'enter' && fn == 'HandlePodCleanups' && time > 5s"
          pace: fast
      show: { level: loop, select: { channel: housekeepingCh }, source: HandlePodCleanups }
      holds:
        - "goroutine.name == 'syncLoop' && state.loop.phase == 'handling'"
        - { records: { kind: enter, where: "fn == 'HandlePodCleanups'", exactly: 3 } }

    - title:
        en: Two lists, nothing to do
        zh: 两份列表，无事可做
      text:
        en: |-
          It asked the runtime for ready sandboxes and running containers, fresh, not from a cache, and set them against the pods of \`podManager\` and the workers.

          \`local\`, from a manifest, and \`web\`, from the API server, both have a worker. So there was nothing to do: it took {{ kv.duration }}, and the loop goes on.
        zh: |-
          它向运行时要了就绪的沙箱和运行中的容器，要的是新列表，不用缓存，再和 \`podManager\` 里的 Pod、和各个 worker 对照。

          \`local\` 来自清单，\`web\` 来自 API server，都有 worker。所以无事可做：用时 {{ kv.duration }}，循环继续。
      do:
        - until: "kind == 'log' && msg == 'SyncLoop (housekeeping) end'"
      show: { level: loop, select: { part: cri }, panel: log }
      holds:
        - "state.pods['local'].worker.state == 'sync' && state.pods['web'].worker.state == 'sync'"
        - { never: { kind: pod-update, where: "updateType == 'kill'" } }
        - "state.cri.recent[-1].method == 'ListContainers' && state.cri.recent[-2].method == 'ListPodSandbox'"

    - name: alone
      title:
        en: A kubelet that knows nothing yet
        zh: 什么还不知道的 kubelet
      text:
        en: |-
          The kubelet was stopped. While it was away the manifest of \`local\` was deleted, and the API server cannot be reached. Now a new kubelet runs. It has heard the source \`{{ source }}\`: no pods. Are all sources ready? {{ all }}.

          Of containers {{ count(state.containers, c => c.state == 'running') }} are running. The workers are gone with the old process.
        zh: |-
          kubelet 停掉了。它不在的时候，\`local\` 的清单被删了，API server 也连不上。现在新的 kubelet 在运行，它听过了来源 \`{{ source }}\`：没有 Pod。所有来源都就绪了吗：{{ all }}。

          运行中的容器有 {{ count(state.containers, c => c.state == 'running') }} 个。worker 随旧进程一起没了。
      do:
        - stopKubelet
        - fault: { name: away, api: unreachable }
        - delete: local
        - startKubelet
        - until: "kind == 'sources-ready'"
      show: { level: loop, select: { part: podConfig }, tab: what }
      holds:
        - "source == 'file' && all == false"
        - "count(state.containers, c => c.state == 'running') == 2"
        - "count(state.pods, p => p.desired) == 0"
        - "!any(state.goroutines, w => startsWith(w.name, 'podWorker') && w.state != 'dead')"

    - title:
        en: The next tick
        zh: 下一个滴答
      ask:
        question:
          en: The runtime shows two running pods, \`local\` and \`web\`; the kubelet has none. What does the next tick of \`housekeepingCh\` lead to?
          zh: 运行时里有两个运行的 Pod：\`local\` 和 \`web\`；kubelet 这边一个也没有。\`housekeepingCh\` 的下一个滴答会引出什么？
        options:
          - value: nothing
            text:
              en: Nothing, \`HandlePodCleanups\` is not even called
              zh: 什么也没有，连 \`HandlePodCleanups\` 都不调用
          - value: local
            text:
              en: "\`local\` is killed: the file source is ready, and does not have it"
              zh: "杀掉 \`local\`：文件源已经就绪，里面没有它"
            wrong:
              en: The runtime does not say which source a pod came from. \`local\` might just as well be in the API server.
              zh: 运行时不会说 Pod 来自哪个来源。\`local\` 也可能就在 API server 里。
          - value: both
            text:
              en: Both are killed, as orphans
              zh: 两个都作为孤儿杀掉
            wrong:
              en: Then each restart of a kubelet without its API server would kill the whole node's pods. That is what the check is for.
              zh: 那样的话，连不上 API server 时重启一次 kubelet，整个节点的 Pod 就全没了。这个检查防的就是它。
        then:
          - until: "kind == 'log' && startsWith(msg, 'SyncLoop (housekeeping')"
        answer: "contains(msg, 'skipped') ? 'nothing' : 'both'"
        right:
          en: "\`sourcesReady\` says no, and the loop logs: {{ msg }}. A pod that runs and that no source has named may be an orphan, or one that has not been named yet. Only when all have spoken are these different."
          zh: "\`sourcesReady\` 说还没有，循环记下：{{ msg }}。一个在运行、没有来源提到的 Pod，可能是孤儿，也可能只是还没提到。要等所有来源都说过话，两者才分得清。"

    - name: waiting
      title:
        en: What else waits
        zh: 还有什么在等
      text:
        en: |-
          Skipped {{ round((time - 6s) / 2s) }} times now. \`deletePod\` would refuse as well, and the container GC keeps the logs and the last dead containers of pods that it does not know.

          The price: nobody tends \`web\`. The PLEG did tell of its container, but the loop ignored it, for no such pod is known. If \`app\` died now, it would stay dead.
        zh: |-
          到现在跳过了 {{ round((time - 6s) / 2s) }} 次。\`deletePod\` 也会拒绝，容器 GC 对不认识的 Pod 也留着日志和最后的死容器。

          代价是没人照看 \`web\`。PLEG 报告过它的容器，但循环忽略了，因为不认识这个 Pod。如果 \`app\` 现在死掉，就没人重启它。
      do:
        - until: "kind == 'log' && startsWith(msg, 'SyncLoop (housekeeping') && time > 14s"
          pace: fast
      show: { level: loop, select: { channel: housekeepingCh }, panel: log }
      holds:
        - { records: { kind: log, where: "msg =~ 'housekeeping, skipped'", exactly: 4 } }
        - "round((time - 6s) / 2s) == 4"
        - { records: { kind: decision, where: "rule == 'isSyncPodWorthy' && verdict == 'ignore: unknown pod'", atLeast: 4 } }
        - "count(state.containers, c => c.state == 'running') == 2"
        - { never: { kind: cri-call, where: "method == 'StopContainer'" } }

    - title:
        en: The last source speaks
        zh: 最后一个来源开口
      text:
        en: |-
          The API server can be reached again. Its list came as one \`ADD\`, \`HandlePodAdditions\` gave \`web\` a worker, and only **after** it had returned was the source \`{{ source }}\` marked as seen. All are ready: {{ all }}.

          The list also has the mirror pod of \`local\`. Its static pod is unknown, so it was skipped.
        zh: |-
          API server 又连上了。它的列表作为一个 \`ADD\` 到来，\`HandlePodAdditions\` 给了 \`web\` 一个 worker，等它返回**之后**，来源 \`{{ source }}\` 才记为见过。全都就绪：{{ all }}。

          列表里还有 \`local\` 的镜像 Pod，它的静态 Pod 不认识，所以跳过。
      do:
        - clearFaults: away
        - until: "kind == 'sources-ready' && all"
          pace: fast
      show: { level: loop, select: { part: podConfig }, panel: log, source: HandlePodAdditions }
      holds:
        - "source == 'api' && state.pods['web'].worker.state == 'sync'"
        - { sequence: [{ kind: sources-ready, where: "source == 'file' && !all && time > 6s" }, { kind: exit, where: "fn == 'HandlePodAdditions' && time > 14s" }, { kind: sources-ready, where: "source == 'api' && all && time > 14s" }] }
        - { records: { kind: log, where: "msg == 'Unable to find pod for mirror pod, skipping'", exactly: 1 } }

    - title:
        en: Now the orphan
        zh: 轮到孤儿了
      ask:
        question:
          en: The next pass will find that \`local\` is an orphan. Its manifest had \`terminationGracePeriodSeconds\` 30. Which timeout does its \`StopContainer\` get?
          zh: 下一轮会发现 \`local\` 是孤儿。它的清单里 \`terminationGracePeriodSeconds\` 是 30。它的 \`StopContainer\` 会得到多长的超时？
        options:
          - value: "30"
            text:
              en: 30 s, as the pod was promised
              zh: 30 秒，当初就是这么定的
            wrong:
              en: No source has this pod, so its spec is not known any more. What the kubelet has was put together from the runtime's lists.
              zh: 没有来源有这个 Pod，它的 spec 已经无从得知。kubelet 手里的是用运行时的列表拼出来的。
          - value: "0"
            text:
              en: 0 s, for nobody wants it
              zh: 0 秒，反正没人要它
            wrong:
              en: Even so the process gets SIGTERM and a moment. \`killContainer\` never gives less than 2 s.
              zh: 即便如此，进程也会收到 SIGTERM 和一点时间。\`killContainer\` 不会给得少于 2 秒。
          - value: "2"
            text:
              en: 2 s, the least there is
              zh: 2 秒，最少的那个
        then:
          - until: "kind == 'cri-call' && method == 'StopContainer'"
        answer: "request.timeout"
        right:
          en: "\`HandlePodCleanups\` sent a \`kill\` with a grace period of 1 s, and \`killContainer\` raised it to {{ request.timeout }} s. There is no \`preStop\` either, for that too is in the spec."
          zh: "\`HandlePodCleanups\` 发出宽限期为 1 秒的 \`kill\`，\`killContainer\` 提到了 {{ request.timeout }} 秒。也没有 \`preStop\`，它同样写在 spec 里。"

    - title:
        en: Who did it
        zh: 是谁做的
      text:
        en: |-
          Housekeeping killed nothing itself, it called \`UpdatePod\`. A worker was made for the orphan, ran \`SyncTerminatingRuntimePod\`, and was \`{{ record.state }}\` at once, for there is no status to write.

          In the same pass the mirror pod of \`local\` was deleted, since no static pod stands behind it. \`web\` has a worker and was left alone.
        zh: |-
          housekeeping 自己什么也没杀，它调用的是 \`UpdatePod\`。于是为孤儿建了一个 worker，运行 \`SyncTerminatingRuntimePod\`，随即变为 \`{{ record.state }}\`，因为没有状态要写。

          同一轮里删掉了 \`local\` 的镜像 Pod，它背后没有静态 Pod。\`web\` 有 worker，没人动它。
      do:
        - until: "kind == 'worker' && record.state == 'removed'"
      show: { level: loop, select: { pod: web }, panel: timeline, source: SyncTerminatingRuntimePod }
      holds:
        - "record.from == 'terminating' && contains(record.reason, 'orphaned')"
        - { records: { kind: cri-call, where: "method == 'StopContainer'", exactly: 1 } }
        - { records: { kind: log, where: "msg == 'Deleted mirror pod'", exactly: 1 } }
        - { records: { kind: log, where: "msg == 'Clean up containers for orphaned pod we had not seen before'", exactly: 1 } }
        - "first(state.containers, c => c.name == 'app').state == 'running' && first(state.containers, c => c.name == 'app').attempt == 0"

    - title:
        en: Make an orphan of web
        zh: 让 web 成为孤儿
      exercise:
        text:
          en: Bring it about that \`web\`, too, is stopped as an orphan by \`SyncTerminatingRuntimePod\`, with 2 s instead of its 30.
          zh: 请设法让 \`web\` 也变成孤儿，由 \`SyncTerminatingRuntimePod\` 停掉，只给 2 秒，而不是它的 30 秒。
        done:
          - { records: { kind: enter, where: "fn == 'SyncTerminatingRuntimePod' && args.pod == 'default/web'", atLeast: 1 } }
          - { records: { kind: cri-call, where: "method == 'StopContainer' && request.timeout == '2'", atLeast: 1 } }
        hint:
          en: A running kubelet hears of every deletion; the fault that restarts it can keep it away for some seconds. And a deletion with grace leaves the object in the API server until a kubelet has stopped the pod. In the console, \`kubectl delete pod web --grace-period=0 --force\` does not.
          zh: 运行中的 kubelet 听得到每次删除；重启它的那个故障可以让它离开几秒。而带宽限的删除会把对象留在 API server 里，直到 kubelet 停掉 Pod。控制台里的 \`kubectl delete pod web --grace-period=0 --force\` 则不会。
        solution:
          - stopKubelet
          - delete: { pod: web, to: api, gracePeriodSeconds: 0 }
          - startKubelet
          - until: "kind == 'cri-call' && method == 'StopContainer'"
      show: { level: loop, select: { pod: web }, panel: console }

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          One pass: purge finished workers, list what runs, stop probes and drop statuses of gone pods, delete orphaned mirror pods, start wanted pods that no worker knows, kill what runs unwanted, remove cgroups.

          Nearly all of it rests on "nobody wants this", and that can be said only when every source has spoken once.
        zh: |-
          一轮的内容：清除完结的 worker，列出在运行的，停掉已消失的 Pod 的探针、丢掉它们的状态，删除孤儿镜像 Pod，启动想要却没有 worker 的 Pod，杀掉没人要却在运行的，删除 cgroup。

          这些几乎都建立在“没人要它”上，而这句话要等每个来源都开过一次口才能说。
      show: { level: loop, select: { part: loop }, source: HandlePodCleanups }
      holds:
        - { records: { kind: cri-call, where: "method == 'StopContainer' && request.timeout == '2'", exactly: 2 } }
        - { records: { kind: enter, where: "fn == 'SyncTerminatingRuntimePod'", exactly: 2 } }
`;

export const configOps = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: config-ops
  title:
    en: From a source to an operation
    zh: 从来源到操作
  summary:
    en: Sources say what pods there are, PodConfig says what has changed. Follow one pod through ADD, RECONCILE, UPDATE, DELETE and REMOVE, and see why DELETE is handled as an update.
    zh: 来源只说有哪些 Pod，PodConfig 才说什么变了。跟着一个 Pod 走完 ADD、RECONCILE、UPDATE、DELETE 和 REMOVE，看看为什么 DELETE 当作更新来处理。
  minutes: 9
spec:
  goal:
    en: You can say what makes each of the five operations, which handler takes it, and why a deleted pod comes as an update first.
    zh: 你能说出五种操作各由什么引起、由哪个处理函数接手，以及被删除的 Pod 为什么先以更新的形式到来。
  scenario: api-pod
  seed: 1
  steps:
    - title:
        en: Two sources, nothing to say
        zh: 两个来源，都没有话说
      text:
        en: |-
          This kubelet has {{ len(state.sources) }} sources of pods: \`file\`, the manifest folder, and \`api\`, the API server. Both are empty, and yet each got an \`ADD\` sent - with no pods in it.

          The loop must have heard of every source once. Before that it deletes no pod: one that it does not know may still be announced.
        zh: |-
          这个 kubelet 有 {{ len(state.sources) }} 个 Pod 来源：\`file\` 是清单目录，\`api\` 是 API server。两边都是空的，却各有一个 \`ADD\` 发了出来，里面一个 Pod 也没有。

          循环必须把每个来源都听过一遍。在那之前它什么也不删：眼下不认识的 Pod，也许只是还没报到。
      do:
        - until: "kind == 'sources-ready' && record.all"
          pace: fast
      show: { level: loop, select: { part: podConfig }, tab: what }
      holds:
        - "len(state.sources) == 2"
        - { records: { kind: pod-config, where: "op == 'ADD' && len(pods) == 0", exactly: 2 } }
        - { records: { kind: sources-ready, where: "true", exactly: 2 } }

    - title:
        en: A source sends everything it knows
        zh: 来源发的是全部
      text:
        en: |-
          At {{ round(seconds(time)) }} s somebody created the pod \`web\`. The API server's watch reported one event; what the source made of it is a **snapshot**: the complete list of its pods, {{ len(pods) }} by now.

          No source ever says "add" or "remove". A list of files, a body from a URL, a watch: all of them arrive here as a list.
        zh: |-
          第 {{ round(seconds(time)) }} 秒，有人创建了 Pod \`web\`。API server 的 watch 报来一个事件，来源把它变成一份**快照**：自己所有 Pod 的完整列表，目前 {{ len(pods) }} 个。

          来源从不说“增加”或“删除”。目录里的文件、URL 返回的内容、watch，到这里都是一份列表。
      do:
        - until: "kind == 'source' && source == 'api' && origin == 'watch'"
      show: { level: loop, select: { part: source-api } }
      holds:
        - "len(pods) == 1 && goroutine.name == 'mux api'"
        - { records: { kind: receive, where: "item.type == 'ADDED' && item.object == 'Pod'", exactly: 1 } }

    - name: add
      title:
        en: Merge finds the difference
        zh: Merge 找出差别
      text:
        en: |-
          \`Merge\` compares the snapshot with the last one **of the same source**, pod by pod, by uid. \`web\` was not in it, so the operation is \`{{ op }}\`.

          One comparison gives at most one message per operation, always in the order \`REMOVE\`, \`ADD\`, \`UPDATE\`, \`DELETE\`, \`RECONCILE\`: what goes makes room for what comes under the same name.
        zh: |-
          \`Merge\` 把这份快照和**同一来源**的上一份按 uid 逐个比较。上一份里没有 \`web\`，所以操作是 \`{{ op }}\`。

          一次比较里每种操作最多一条消息，顺序总是 \`REMOVE\`、\`ADD\`、\`UPDATE\`、\`DELETE\`、\`RECONCILE\`：先让走的走，同名的才好进来。
      do:
        - until: "kind == 'pod-config' && source == 'api' && len(pods) == 1"
      show: { level: loop, select: { channel: configCh }, source: Merge }
      holds:
        - "op == 'ADD' && pods[0].pod == 'default/web'"
        - "any(goroutine.stack, f => f.fn == 'Merge')"

    - title:
        en: The kubelet hears itself
        zh: kubelet 听到自己
      text:
        en: |-
          \`HandlePodAdditions\` is done, the worker of \`web\` runs, and the first status has been written to the API server: \`{{ state.pods['web'].phase }}\`. The write changes the pod there, so the watch reports it - back to the kubelet that wrote it.

          The source sends its list again.
        zh: |-
          \`HandlePodAdditions\` 已经处理完，\`web\` 的 worker 在跑，第一个状态也写进了 API server：\`{{ state.pods['web'].phase }}\`。这一写改动了那边的 Pod，于是 watch 又把它报给了写它的 kubelet。

          来源再次发出列表。
      do:
        - until: "kind == 'source' && source == 'api' && origin == 'watch'"
      show: { level: loop, select: { part: source-api } }
      holds:
        - { sequence: [{ kind: exit, where: "fn == 'HandlePodAdditions'" }, { kind: status, where: "version == 1 && status.phase == 'Pending'" }, { kind: receive, where: "item.type == 'MODIFIED' && item.object == 'Pod'" }] }
        - "state.pods['web'].phase == 'Pending'"

    - title:
        en: Is that an update?
        zh: 这算更新吗
      ask:
        question:
          en: The pod's status is the only thing that differs from the last snapshot. What does \`Merge\` make of it?
          zh: 和上一份快照相比，只有 Pod 的状态不同。\`Merge\` 会得出什么？
        options:
          - value: UPDATE
            text:
              en: "\`UPDATE\`, for the object has changed"
              zh: "\`UPDATE\`，因为对象变了"
            wrong:
              en: For \`UPDATE\` only spec, labels, annotations and the two deletion fields count. The kubelet is the author of the status; its own words are no order to it.
              zh: 只有 spec、标签、注解和两个删除字段变了才算 \`UPDATE\`。状态是 kubelet 自己写的，自己说过的话不会变成给自己的命令。
          - value: nothing
            text:
              en: Nothing, since the kubelet wrote it itself
              zh: 什么也没有，反正是 kubelet 自己写的
            wrong:
              en: "\`Merge\` does not know who wrote it. The loop is told, so that the pod it keeps has the new status, too."
              zh: "\`Merge\` 并不知道是谁写的。它会告诉循环，好让循环手里那份 Pod 也带上新的状态。"
          - value: RECONCILE
            text:
              en: "\`RECONCILE\`"
              zh: "\`RECONCILE\`"
        then:
          - until: "kind in ['pod-config', 'exit'] && (kind == 'pod-config' || fn == 'Merge')"
        answer: "op ?? 'nothing'"
        right:
          en: "\`{{ op ?? 'nothing' }}\`: only the status differs. Each status that the kubelet writes comes back like this."
          zh: "\`{{ op ?? 'nothing' }}\`：只有状态不同。kubelet 每写一次状态，都会这样回来一次。"

    - title:
        en: Nobody is woken
        zh: 谁也不惊动
      text:
        en: |-
          \`HandlePodReconcile\` put the new object into the pod manager and returned; no worker got an update. It would only call one for a pod with readiness gates whose \`Ready\` condition has to change.

          If this were an \`UPDATE\`, each written status would cause a sync, and a sync may write a status.
        zh: |-
          \`HandlePodReconcile\` 把新对象放进 pod manager 就返回了，没有一个 worker 收到更新。只有带 readiness gate、\`Ready\` 条件又需要改变的 Pod，它才会去叫 worker。

          假如这算 \`UPDATE\`，每写一次状态就会引发一次同步，而同步又可能写状态。
      do:
        - until: "kind == 'exit' && fn == 'HandlePodReconcile'"
      show: { level: loop, select: { pod: web }, source: HandlePodReconcile }
      holds:
        - { records: { kind: pod-update, where: "true", exactly: 1 } }
        - { sequence: [{ kind: pod-update, where: "updateType == 'create'" }, { kind: enter, where: "fn == 'HandlePodReconcile'" }] }

    - name: update
      title:
        en: A label is changed
        zh: 改了一个标签
      text:
        en: |-
          Now somebody has set a label. \`checkAndUpdatePod\` found: labels differ: {{ values.labelsDiffer }}, spec differs: {{ values.specDiffers }}. So it said \`{{ verdict }}\`.

          \`HandlePodUpdates\` will hand the new object to the worker. There is no new admission, and no container is restarted for it: a container's hash covers only its name and image.
        zh: |-
          有人改了一个标签。\`checkAndUpdatePod\` 的结论：标签不同为 {{ values.labelsDiffer }}，spec 不同为 {{ values.specDiffers }}，于是判为 \`{{ verdict }}\`。

          \`HandlePodUpdates\` 会把新对象交给 worker。不会重新做准入，也不会因此重启容器：容器的哈希只由名字和镜像算出。
      do:
        - until: "kind == 'decision' && rule == 'checkAndUpdatePod' && verdict != 'RECONCILE'"
          pace: fast
      show: { level: loop, select: { record: here }, tab: why }
      holds:
        - "verdict == 'UPDATE' && values.labelsDiffer && !values.specDiffers"
        - "any(state.containers, c => c.name == 'app' && c.state == 'running')"

    - name: delete
      title:
        en: Somebody deletes the pod
        zh: 有人删除了这个 Pod
      text:
        en: |-
          A label restarted nothing. At {{ seconds(time) }} s somebody ran \`kubectl delete\`. The API server does not remove the pod: it sets \`deletionTimestamp\` and \`deletionGracePeriodSeconds\`. So \`web\` is still in the source's list.

          A semantic change on a pod with \`deletionTimestamp\` is \`{{ op }}\`.
        zh: |-
          改标签没有重启任何东西。第 {{ seconds(time) }} 秒，有人执行了 \`kubectl delete\`。API server 并不删掉 Pod，只是写上 \`deletionTimestamp\` 和 \`deletionGracePeriodSeconds\`。所以 \`web\` 还在来源的列表里。

          带着 \`deletionTimestamp\` 的 Pod 有了实质变化，就是 \`{{ op }}\`。
      do:
        - until: "kind == 'pod-config' && op == 'DELETE'"
          pace: fast
      show: { level: loop, select: { channel: configCh } }
      holds:
        - "len(first(state.sources, s => s.source == 'api').pods) == 1"
        - { never: { kind: cri-call, where: "method == 'StopContainer'" } }
        - { sequence: [{ kind: enter, where: "fn == 'HandlePodUpdates'" }, { kind: decision, where: "rule == 'checkAndUpdatePod' && verdict == 'DELETE' && values.deletionTimestamp != null" }] }

    - title:
        en: Who takes a DELETE?
        zh: DELETE 归谁处理
      ask:
        question:
          en: The loop reads this \`DELETE\` from \`configCh\`. Which handler does it call?
          zh: 循环从 \`configCh\` 读到这个 \`DELETE\`，会调用哪个处理函数？
        options:
          - value: HandlePodRemoves
            text:
              en: "\`HandlePodRemoves\`"
              zh: "\`HandlePodRemoves\`"
            wrong:
              en: That one takes \`REMOVE\` - pods that are no longer in their source's list. It would also drop \`web\` from the pod manager, though its containers still run.
              zh: 它处理的是 \`REMOVE\`，即已经不在来源列表里的 Pod。它还会把 \`web\` 从 pod manager 里去掉，可它的容器还在运行。
          - value: HandlePodUpdates
            text:
              en: "\`HandlePodUpdates\`"
              zh: "\`HandlePodUpdates\`"
          - value: HandlePodDeletes
            text:
              en: "\`HandlePodDeletes\`"
              zh: "\`HandlePodDeletes\`"
            wrong:
              en: There is no such function. Five operations share four handlers.
              zh: 没有这个函数。五种操作共用四个处理函数。
        then:
          - until: "kind == 'enter' && goroutine.name == 'syncLoop' && startsWith(fn, 'HandlePod') && fn != 'HandlePodCleanups'"
        answer: fn
        right:
          en: "\`{{ fn }}\`. To the kubelet, a graceful delete is a pod whose metadata has changed: it is wanted until it has stopped, and the worker needs the object with the new grace period."
          zh: "\`{{ fn }}\`。在 kubelet 看来，优雅删除就是 Pod 的元数据变了：停下来之前它仍归 kubelet 管，worker 也需要这个带着新宽限期的对象。"

    - title:
        en: The worker sees it by itself
        zh: worker 自己看得出来
      text:
        en: |-
          The update's type is just \`{{ updateType }}\`, as it was for the label. But \`UpdatePod\` looks at the pod: it has a \`deletionTimestamp\`, so the worker goes from \`sync\` to \`{{ state.pods['web'].worker.state }}\`, and never back.

          It is not the name of the operation that ends the pod, it is this field.
        zh: |-
          更新的类型不过是 \`{{ updateType }}\`，和改标签时一样。但 \`UpdatePod\` 会看 Pod 本身：它有 \`deletionTimestamp\`，所以 worker 从 \`sync\` 进入 \`{{ state.pods['web'].worker.state }}\`，不再回头。

          让 Pod 结束的不是操作的名字，而是这个字段。
      do:
        - until: "kind == 'pod-update' && pod == 'default/web'"
      show: { level: loop, select: { pod: web }, source: UpdatePod }
      holds:
        - "updateType == 'update' && workType == 'terminating'"
        - "state.pods['web'].worker.state == 'terminating'"
        - { records: { kind: worker, where: "record.state == 'terminating' && record.from == 'sync' && contains(reason, 'graceful deletion')", exactly: 1 } }

    - title:
        en: And REMOVE?
        zh: 那 REMOVE 呢
      ask:
        question:
          en: Let it run on. \`REMOVE\` comes when \`web\` is missing in the snapshot. In what state is its worker by then?
          zh: 让它继续跑。等快照里没有 \`web\` 了，\`REMOVE\` 才会来。那时它的 worker 处于什么状态？
        options:
          - value: finished
            text:
              en: Finished - nothing of the pod is left to do
              zh: finished：这个 Pod 已经没有事情可做了
          - value: terminating
            text:
              en: Terminating - \`REMOVE\` is what makes it kill the containers
              zh: terminating：正是 \`REMOVE\` 让它去杀容器
            wrong:
              en: That holds for static pods, whose file is gone without warning. Here \`DELETE\` came first, and the containers were stopped because of it.
              zh: 静态 Pod 才是这样，它的文件说没就没。这里先来了 \`DELETE\`，容器是因为它才停的。
          - value: terminated
            text:
              en: Terminated - the containers have stopped, volumes and cgroup come next
              zh: terminated：容器停了，接下来处理卷和 cgroup
            wrong:
              en: "The kubelet keeps the pod in the API server until that is done, too: only after \`SyncTerminatedPod\` the status manager deletes it there."
              zh: 这些做完之前，kubelet 也会把 Pod 留在 API server 里：\`SyncTerminatedPod\` 之后，status manager 才去那边删除它。
        then:
          - until: "kind == 'pod-config' && op == 'REMOVE'"
            pace: fast
        answer: "state.pods['web'].worker.state"
        right:
          en: It is \`{{ state.pods['web'].worker.state }}\`. The kubelet itself deleted the pod from the API server, without grace this time, and hears of that by the watch like everybody else.
          zh: 是 \`{{ state.pods['web'].worker.state }}\`。是 kubelet 自己把 Pod 从 API server 删掉的，这次没有宽限期；它和别人一样，也是从 watch 得知的。

    - title:
        en: An UPDATE from a file
        zh: 从文件来一个 UPDATE
      exercise:
        text:
          en: The manifest folder is still empty. Put a pod there and change it in such a way that the source \`file\` causes an \`UPDATE\`.
          zh: 清单目录还是空的。放一个 Pod 进去，再改动它，让来源 \`file\` 引起一个 \`UPDATE\`。
        done:
          - { records: { kind: pod-config, where: "source == 'file' && op == 'UPDATE'", atLeast: 1 } }
        hint:
          en: The uid of a static pod is a hash of its manifest, so an edited one is another pod - \`REMOVE\` and \`ADD\`. Unless the manifest has a \`metadata.uid\` of its own.
          zh: 静态 Pod 的 uid 是清单内容的哈希，改过的就成了另一个 Pod，得到 \`REMOVE\` 和 \`ADD\`。除非清单里自己写了 \`metadata.uid\`。
        solution:
          - apply:
              apiVersion: v1
              kind: Pod
              metadata: { name: static, uid: 99999999-8888-7777-6666-555555555555 }
              spec:
                containers:
                  - { name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: [sleep, "600"] }
          - until: "kind == 'status' && contains(record.pod, 'static') && status.phase == 'Running'"
          - edit: { pod: static, patch: { metadata: { labels: { team: blue } } } }
          - until: "kind == 'pod-config' && op == 'UPDATE'"

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          Sources send lists; \`Merge\` makes operations of them. Missing in the list: \`REMOVE\`. New uid: \`ADD\`. Spec or metadata changed: \`UPDATE\`, or \`DELETE\` where a \`deletionTimestamp\` is set. Only the status: \`RECONCILE\`.

          All of them go through \`configCh\`, {{ first(state.channels, c => c.name == 'configCh').received }} messages so far.
        zh: |-
          来源发列表，\`Merge\` 把它变成操作。列表里没了：\`REMOVE\`。uid 是新的：\`ADD\`。spec 或元数据变了：\`UPDATE\`，带 \`deletionTimestamp\` 的则是 \`DELETE\`。只有状态变了：\`RECONCILE\`。

          它们都经过 \`configCh\`，到现在共 {{ first(state.channels, c => c.name == 'configCh').received }} 条消息。
      do:
        - until: "kind == 'exit' && fn == 'HandlePodUpdates'"
      show: { level: loop, select: { part: podConfig }, panel: timeline }
      holds:
        - "first(state.channels, c => c.name == 'configCh').received > 8"
        - { sequence: [{ kind: enter, where: "fn == 'TerminatePod'" }, { kind: send, where: "item.type == 'DELETED' && goroutine.name == 'statusManager'" }, { kind: pod-config, where: "source == 'api' && op == 'REMOVE'" }, { kind: enter, where: "fn == 'HandlePodRemoves'" }] }
`;

export const syncloop = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: syncloop
  title:
    en: The loop
    zh: 主循环
  summary:
    en: One goroutine decides everything that happens to pods. See what it waits for, what it hands on, and how it holds back while the runtime is away.
    zh: Pod 的一切都由一个 goroutine 决定。看它在等什么、把什么交出去，以及运行时不在时它怎样收手。
  minutes: 8
spec:
  goal:
    en: You can say what one round of \`syncLoop\` does, why it is quick, and what the kubelet still does while the runtime is away.
    zh: 你能说出 \`syncLoop\` 的一轮做了什么、为什么很快，以及运行时不在时 kubelet 还做些什么。
  scenario: hello
  seed: 1
  steps:
    - name: start
      title:
        en: One goroutine
        zh: 一个 goroutine
      text:
        en: |-
          A kubelet runs dozens of goroutines. One of them, after starting the others, calls \`syncLoop\` and never comes back.

          Everything that is to happen to a pod passes through it: a new manifest, a dead container, a failed probe. It has just been entered, {{ round(time / 1000) }} ms after the start.
        zh: |-
          kubelet 里有几十个 goroutine。其中一个在启动其他 goroutine 之后，调用 \`syncLoop\`，从此不再返回。

          Pod 要发生的一切都经过它：新的清单、死掉的容器、失败的探针。它刚刚被调用，距启动 {{ round(time / 1000) }} 毫秒。
      do:
        - until: "kind == 'enter' && fn == 'syncLoop'"
          pace: fast
      show: { level: story, select: { part: loop }, tab: what }
      holds:
        - "goroutine.name == 'syncLoop'"
        - "count(state.goroutines, g => g.process == 'kubelet') > 12"

    - title:
        en: First, is the runtime there?
        zh: 先问：运行时在吗
      text:
        en: |-
          Before every round \`syncLoop\` looks at \`runtimeErrors\`. Just now there are {{ len(errors) }}: nobody has asked the runtime for its status yet, and the PLEG has not listed the containers yet.

          So it logs \`Skipping pod synchronization\`, reads no channel, and sleeps {{ backoff / 1000 }} ms.
        zh: |-
          每一轮之前，\`syncLoop\` 都先看 \`runtimeErrors\`。现在有 {{ len(errors) }} 条：还没有人问过运行时的状态，PLEG 也还没有列过容器。

          于是它记下 \`Skipping pod synchronization\`，不读任何通道，睡 {{ backoff / 1000 }} 毫秒。
      do:
        - until: "kind == 'runtime-state' && backoff"
          pace: fast
      show: { level: loop, select: { part: loop }, source: syncLoop }
      holds:
        - "len(errors) == 2 && backoff == 100ms"
        - "any(errors, e => e =~ 'PLEG is not healthy')"
        - { records: { kind: log, where: "msg == 'Skipping pod synchronization'", exactly: 1 } }

    - title:
        en: The wait
        zh: 等待
      text:
        en: |-
          The errors are gone, and the rounds have begun: \`syncLoopIteration\` is one \`select\` over {{ len(state.loop.cases) }} channels. Nothing is ready now, so the goroutine is parked in it.

          This is how the loop spends nearly all of its life: it does not poll, it waits to be told.
        zh: |-
          错误没有了，循环开始转：\`syncLoopIteration\` 就是在 {{ len(state.loop.cases) }} 个通道上做一次 \`select\`。现在没有一个就绪，goroutine 就停在里面。

          循环的一生几乎都这样度过：它不轮询，而是等别人来告诉它。
      do:
        - until: "kind == 'sources-ready'"
        - until: "kind == 'wait' && goroutine.name == 'syncLoop' && on.op == 'select'"
      show: { level: loop, select: { goroutine: syncLoop }, source: syncLoopIteration }
      holds:
        - "state.loop.phase == 'waiting' && len(state.loop.cases) == 8"
        - "len(state.runtime.errors) == 0"

    - name: add
      title:
        en: Something to do
        zh: 有事可做了
      text:
        en: |-
          At {{ round(seconds(time)) }} s somebody put \`hello.yaml\` into the manifest folder. The file source read it, \`PodConfig\` made an \`ADD\` of it and put that on \`configCh\`.

          Now one case of the select is ready, and the loop takes it.
        zh: |-
          第 {{ round(seconds(time)) }} 秒，有人把 \`hello.yaml\` 放进清单目录。文件源读到它，\`PodConfig\` 把它变成一个 \`ADD\`，放到 \`configCh\` 上。

          现在 select 有一个分支就绪，循环取走了它。
      do:
        - until: "kind == 'select' && len(cases) == 8 && channel.name == 'configCh'"
      show: { level: loop, select: { channel: configCh } }
      holds:
        - "len(ready) == 1"
        - { records: { kind: pod-config, where: "op == 'ADD' && len(pods) == 1", exactly: 1 } }

    - title:
        en: Who gets it?
        zh: 交给谁
      ask:
        question:
          en: The message says \`ADD\`. Which handler does the loop call with it?
          zh: 这条消息是 \`ADD\`。循环会用它调用哪个处理函数？
        options:
          - value: HandlePodSyncs
            text:
              en: "\`HandlePodSyncs\`, as for everything that is to be synced"
              zh: "\`HandlePodSyncs\`，凡是要同步的都由它来"
            wrong:
              en: That one is for pods that the kubelet has already - after a PLEG event, a probe result, or when they are due again.
              zh: 它处理的是 kubelet 已经有的 Pod：PLEG 事件、探针结果之后，或者又到时间的时候。
          - value: HandlePodAdditions
            text:
              en: "\`HandlePodAdditions\`"
              zh: "\`HandlePodAdditions\`"
          - value: SyncPod
            text:
              en: "\`SyncPod\`, which starts the containers"
              zh: "\`SyncPod\`，由它启动容器"
            wrong:
              en: That comes later, and not on the loop's goroutine - a pod worker calls it.
              zh: 那是后面的事，而且不在循环的 goroutine 里：由 Pod worker 调用。
        then:
          - until: "kind == 'enter' && goroutine.name == 'syncLoop' && fn in ['HandlePodSyncs', 'HandlePodAdditions', 'HandlePodUpdates', 'SyncPod']"
        answer: fn
        right:
          en: The operation decides. \`ADD\` goes to \`HandlePodAdditions\`, \`UPDATE\` and \`DELETE\` to \`HandlePodUpdates\`, \`REMOVE\` to \`HandlePodRemoves\`, \`RECONCILE\` to \`HandlePodReconcile\`.
          zh: 由操作决定。\`ADD\` 交给 \`HandlePodAdditions\`，\`UPDATE\` 和 \`DELETE\` 交给 \`HandlePodUpdates\`，\`REMOVE\` 交给 \`HandlePodRemoves\`，\`RECONCILE\` 交给 \`HandlePodReconcile\`。

    - name: handed-over
      title:
        en: Handed over
        zh: 交出去
      text:
        en: |-
          The handler has returned at {{ seconds(time) }} s, and hardly any time has passed in it. It admitted the pod and gave an update to the pod's worker, a goroutine of its own.

          Of sandboxes there are {{ count(state.sandboxes) }}: nobody waited for the runtime here. That is why one slow pod does not stop the others.
        zh: |-
          处理函数在第 {{ seconds(time) }} 秒返回，几乎没花时间。它让 Pod 通过准入，把一个更新交给这个 Pod 的 worker，那是另一个 goroutine。

          沙箱现在有 {{ count(state.sandboxes) }} 个：这里谁也没有等运行时。所以一个慢的 Pod 不会拖住别的 Pod。
      do:
        - until: "kind == 'exit' && fn == 'HandlePodAdditions'"
      show: { level: loop, select: { pod: hello }, source: HandlePodAdditions }
      holds:
        - "count(state.sandboxes) == 0"
        - "state.pods['hello'].worker.state == 'sync'"
        - "round(seconds(time)) == 1"

    - title:
        en: A round for nothing
        zh: 空转的一轮
      text:
        en: |-
          Round {{ state.loop.iteration }}: \`syncCh\` ticked, as it does every second. The loop asks which pods are due to be synced again; none is, so no handler is called.

          Most rounds are like this. Meanwhile, the worker of \`hello\` talks to the runtime.
        zh: |-
          第 {{ state.loop.iteration }} 轮：\`syncCh\` 滴答了一下，它每秒一次。循环问哪些 Pod 又该同步了；一个也没有，所以没有调用处理函数。

          多数轮次都是这样。与此同时，\`hello\` 的 worker 正在和运行时打交道。
      do:
        - until: "kind == 'select' && len(cases) == 8 && channel.name == 'syncCh'"
        - until: "kind == 'enter' && fn == 'syncLoopIteration'"
      show: { level: loop, select: { channel: syncCh } }
      holds:
        - "len(state.cri.inFlight) == 1"
        - { never: { kind: enter, where: "fn == 'HandlePodSyncs'" } }

    - name: away
      title:
        en: The runtime goes away
        zh: 运行时不见了
      text:
        en: |-
          The pod has been running for a while when the runtime is stopped. Another goroutine, \`updateRuntimeUp\`, asks for its status every 5 s. After 30 s without a good answer it says: {{ state.runtime.errors[0] }}.

          The loop skips its round, and sleeps {{ backoff / 1000 }} ms.
        zh: |-
          Pod 运行了一阵之后，运行时停掉了。另一个 goroutine \`updateRuntimeUp\` 每 5 秒问一次它的状态。30 秒没有一次好的回答，它就说：{{ state.runtime.errors[0] }}。

          循环跳过这一轮，睡 {{ backoff / 1000 }} 毫秒。
      do:
        - until: "kind == 'status' && pod.phase == 'Running'"
          pace: fast
        - go: { time: 8s }
        - stopRuntime
        - until: "kind == 'runtime-state' && backoff"
          within: 60s
          pace: fast
      show: { level: loop, select: { part: loop }, panel: timeline, source: syncLoop }
      holds:
        - "backoff == 100ms && state.loop.phase == 'backoff'"
        - "state.runtime.errors[0] == 'container runtime is down'"
        - "time > 30s"

    - title:
        en: How long the next time?
        zh: 下一次多久
      ask:
        question:
          en: The first pause is {{ backoff / 1000 }} ms. The runtime stays away. How long is the **third** pause in a row?
          zh: 第一次停 {{ backoff / 1000 }} 毫秒。运行时一直不在。连续的**第三次**停多久？
        number: { unit: ms, tolerance: 0 }
        then:
          - until: "kind == 'runtime-state' && backoff"
          - until: "kind == 'runtime-state' && backoff"
        answer: "backoff / 1000"
        right:
          en: It doubles each time - 100, 200, and now {{ backoff / 1000 }} ms. One healthy check sets it back to 100 ms.
          zh: 每次加倍：100、200，现在是 {{ backoff / 1000 }} 毫秒。只要有一次检查是好的，就回到 100 毫秒。

    - title:
        en: Never more than five seconds
        zh: 最多五秒
      text:
        en: |-
          800, 1600, 3200 - and then {{ seconds(backoff) }} s, again and again. It is {{ round(seconds(time)) }} s now, and the loop reads no channel.

          They fill meanwhile: \`syncCh\` and \`housekeepingCh\` hold {{ len(first(state.channels, c => c.name == 'syncCh').items) }} tick each. A ticker has one slot; a tick that finds it taken is dropped.
        zh: |-
          800、1600、3200，然后是 {{ seconds(backoff) }} 秒，一次又一次。现在是第 {{ round(seconds(time)) }} 秒，循环不读任何通道。

          通道在这期间积了起来：\`syncCh\` 和 \`housekeepingCh\` 里各有 {{ len(first(state.channels, c => c.name == 'syncCh').items) }} 个滴答。ticker 只有一个槽，槽被占着时，再来的滴答就丢掉。
      do:
        - until: "kind == 'runtime-state' && backoff == 5s"
          pace: fast
      show: { level: loop, select: { channel: syncCh } }
      holds:
        - "all(['syncCh', 'housekeepingCh'], n => len(first(state.channels, c => c.name == n).items) == 1)"
        - { sequence: [{ kind: runtime-state, where: "backoff == 800ms" }, { kind: runtime-state, where: "backoff == 1600ms" }, { kind: runtime-state, where: "backoff == 3200ms" }, { kind: runtime-state, where: "backoff == 5s" }] }

    - title:
        en: And the container?
        zh: 那容器呢
      ask:
        question:
          en: The runtime has been away for half a minute, and the loop does nothing. In what state is the container \`app\` really?
          zh: 运行时离开了半分钟，循环什么也不做。容器 \`app\` 实际上处于什么状态？
        options:
          - value: exited
            text:
              en: Exited - it cannot live without the runtime
              zh: 已退出：没有运行时它活不了
            wrong:
              en: The runtime starts processes, it does not carry them. Each container has a shim that goes on.
              zh: 运行时启动进程，但进程不靠它活着。每个容器都有一个 shim，它会继续运行。
          - value: created
            text:
              en: Created - it waits to be started again
              zh: 已创建：等着重新启动
          - value: running
            text:
              en: Running, as before
              zh: 照样在运行
        answer: "first(state.containers, c => c.name == 'app').state"
        right:
          en: It runs. The kubelet only does not know what becomes of it, and would not restart it if it ended.
          zh: 它在运行。只是 kubelet 不知道它怎么样了，如果它结束了，也不会重启它。

    - title:
        en: Bring it back
        zh: 让它回来
      exercise:
        text:
          en: Start the runtime again, let the time run, and stop when the loop has read a channel.
          zh: 重新启动运行时，让时间走下去，等循环又读了一次通道。
        done:
          - "len(state.runtime.errors) == 0"
          - { records: { kind: select, where: "len(cases) == 8", atLeast: 1 } }
        hint:
          en: Among the faults there is one that starts the runtime. Then run. The status is asked every 5 s, and the loop may still have to sleep out its pause.
          zh: 故障里有一项是启动运行时。然后运行。状态每 5 秒问一次，循环可能还要把这次停顿睡完。
        solution:
          - startRuntime
          - until: "kind == 'select' && len(cases) == 8"

    - title:
        en: The whole of it
        zh: 全部就是这些
      text:
        en: |-
          One round: look for errors of the runtime, wait in the select, take **one** message, call its handler, go round again. {{ state.loop.iteration }} rounds so far.

          Everything else - sources, workers, PLEG, probes - runs in other goroutines and meets the loop only at its channels. The next lesson is about those.
        zh: |-
          一轮就是：看运行时有没有错误，在 select 里等，取**一条**消息，调用它的处理函数，再来一轮。到现在共 {{ state.loop.iteration }} 轮。

          其余的一切，来源、worker、PLEG、探针，都在别的 goroutine 里，只在通道上与循环相遇。下一课就讲这些通道。
      do:
        - step: { unit: iteration, count: 3 }
      show: { level: loop, select: { part: loop } }
      holds:
        - "len(state.runtime.errors) == 0"
        - "state.loop.iteration > 40"
`;

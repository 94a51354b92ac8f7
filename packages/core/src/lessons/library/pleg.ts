export const pleg = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: pleg
  title:
    en: How the kubelet sees a container die
    zh: kubelet 怎样看到容器死掉
  summary:
    en: The PLEG lists, compares and tells. Follow a killed process from the runtime to plegCh, and work out how late the news is.
    zh: PLEG 列出、比较、通知。跟着一个被杀的进程，从运行时一直到 plegCh，并算出消息迟到了多久。
  minutes: 9
spec:
  goal:
    en: You can say what a relist does, in what order cache and events are written, and why a crash is seen up to a second late.
    zh: 你能说出一次 relist 做了什么、缓存和事件按什么顺序写出，以及崩溃为什么可能晚一秒才被看到。
  scenario: container-killed
  seed: 1
  steps:
    - title:
        en: Two calls a second
        zh: 每秒两次调用
      text:
        en: |-
          The PLEG (pod lifecycle event generator) has finished its first \`Relist\`: \`ListPodSandbox\`, then \`ListContainers\`, both without a filter. It found {{ pods }} pods.

          With the gate \`EventedPLEG\` off, as it is by default, the runtime tells the kubelet nothing by itself. Whatever the kubelet is to learn about a container, it has to notice in such a list. The next comes 1 s after this one has **ended**.
        zh: |-
          PLEG（Pod 生命周期事件生成器）做完了第一次 \`Relist\`：先 \`ListPodSandbox\`，再 \`ListContainers\`，都不带过滤条件。列到 {{ pods }} 个 Pod。

          特性门控 \`EventedPLEG\` 默认关闭，运行时不会主动告诉 kubelet 什么。容器的一切，kubelet 都得从这样的列表里自己看出来。下一次在这次**结束**之后 1 秒。
      do:
        - until: "kind == 'relist'"
          pace: fast
      show: { level: loop, select: { part: pleg }, source: Relist }
      holds:
        - "scope == 'global' && pods == 0 && goroutine.name == 'genericPLEG'"
        - { sequence: [{ kind: cri-call, where: "goroutine.name == 'genericPLEG' && method == 'ListPodSandbox'" }, { kind: cri-call, where: "goroutine.name == 'genericPLEG' && method == 'ListContainers' && len(request.filter) == 0" }] }

    - title:
        en: Old and new
        zh: 旧与新
      text:
        en: |-
          At {{ seconds(time) }} s the pod \`pair\` has been started, and the list shows it. For each pod the PLEG keeps a record with two views: the list before, and this one.

          For a container that only the new one has, the old state is \`{{ old }}\`; here the new state is \`{{ new }}\`. Nothing but this pair decides what event comes of it.
        zh: |-
          第 {{ seconds(time) }} 秒，Pod \`pair\` 已经启动，列表里看得到它了。PLEG 为每个 Pod 保留两份视图：上一份列表里的，和这一份里的。

          只有新列表里才有的容器，旧状态是 \`{{ old }}\`；这里的新状态是 \`{{ new }}\`。会产生什么事件，只由这一对状态决定。
      do:
        - until: "kind == 'pleg-transition'"
          pace: fast
      show: { level: loop, select: { record: here }, tab: what }
      holds:
        - "old == 'non-existent' && new == 'running'"
        - "any(goroutine.stack, f => f.fn == 'reconcilePodRecord')"

    - title:
        en: First the cache, then the event
        zh: 先写缓存，再发事件
      text:
        en: |-
          A pod with changes is inspected by \`GetPodStatus\`. The answer goes to the cache, and only then are the events sent: whoever is woken by one finds the new state there.

          There are {{ len(state.pods['pair'].cache.containers) }} containers, but 3 events: the PLEG treats the sandbox as a container, too.
        zh: |-
          有变化的 Pod 会由 \`GetPodStatus\` 仔细查看。结果写进缓存，然后才发事件：谁被事件叫醒，在缓存里看到的都已经是新状态。

          容器有 {{ len(state.pods['pair'].cache.containers) }} 个，事件却有 3 个：PLEG 把沙箱也当作容器。
      do:
        - until: "kind == 'relist'"
      show: { level: loop, select: { channel: plegCh }, source: reconcilePodRecord }
      holds:
        - { records: { kind: pleg-event, where: "type == 'ContainerStarted'", exactly: 3 } }
        - "len(state.pods['pair'].cache.containers) == 2"
        - { sequence: [{ kind: pleg-transition, where: "true" }, { kind: cri-call, where: "method == 'ContainerStatus'" }, { kind: cache, where: "op == 'set'" }, { kind: pleg-event, where: "true" }] }

    - title:
        en: Mostly nothing
        zh: 多半什么也没有
      text:
        en: |-
          The relist that has ended now, at {{ seconds(time) }} s, found {{ changed }} pods changed: two calls, no inspection, no event.

          So the price of looking every second does not grow with what a container does, only with how many there are.
        zh: |-
          刚结束的这次 relist 在第 {{ seconds(time) }} 秒，有变化的 Pod 是 {{ changed }} 个：两次调用，没有查看，没有事件。

          所以每秒看一眼的代价，和容器在做什么无关，只和容器有多少有关。
      do:
        - until: "kind == 'relist' && changed == 0 && time > 4s"
          pace: fast
      show: { level: loop, select: { part: pleg } }
      holds:
        - "scope == 'global' && changed == 0"
        - { records: { kind: pleg-event, where: "true", exactly: 3 } }

    - title:
        en: A process dies
        zh: 一个进程死了
      text:
        en: |-
          {{ seconds(time) }} s: somebody killed the process of \`app\`. To the runtime the container is \`{{ record.state }}\`. The kubelet's cache still says \`{{ first(state.pods['pair'].cache.containers, c => c.name == 'app').state }}\`.

          No signal and no message goes to the kubelet; it is not the parent of that process.
        zh: |-
          第 {{ seconds(time) }} 秒：有人杀掉了 \`app\` 的进程。对运行时来说容器已经 \`{{ record.state }}\`，而 kubelet 的缓存里还写着 \`{{ first(state.pods['pair'].cache.containers, c => c.name == 'app').state }}\`。

          没有信号，也没有消息传给 kubelet，它不是那个进程的父进程。
      do:
        - until: "kind == 'actual-container' && record.state == 'exited'"
          pace: fast
      show: { level: loop, select: { container: app, pod: pair } }
      holds:
        - "record.name == 'app' && exitCode == 137"
        - "first(state.pods['pair'].cache.containers, c => c.name == 'app').state == 'running'"

    - title:
        en: How late is the news?
        zh: 消息迟到多久
      ask:
        question:
          en: The container died at {{ seconds(time) }} s. The last relist ended at {{ seconds(state.pleg.lastRelist) }} s. How many seconds after the death does the PLEG find it?
          zh: 容器死于第 {{ seconds(time) }} 秒，上一次 relist 结束于第 {{ seconds(state.pleg.lastRelist) }} 秒。死后多少秒，PLEG 才会发现？
        number: { unit: s, tolerance: 0.15 }
        then:
          - until: "kind == 'pleg-transition' && new == 'exited'"
            pace: fast
        answer: "seconds(time - state.containers[record.id].since)"
        right:
          en: After {{ seconds(time - state.containers[record.id].since) }} s. The next relist began 1 s after the end of the last, and its two lists took a few milliseconds. At worst it is a whole second, plus what the listing takes.
          zh: "{{ seconds(time - state.containers[record.id].since) }} 秒之后。下一次 relist 在上一次结束 1 秒后开始，两次列出又花了几毫秒。最坏要整整一秒，再加上列出所用的时间。"

    - title:
        en: The exit code comes separately
        zh: 退出码另外来
      text:
        en: |-
          The lists only told \`running\` to \`exited\`. The exit code came from \`ContainerStatus\`, which was called for **every** container of the pod, as was \`PodSandboxStatus\`. The cache has it now: {{ first(containers, c => c.name == 'app').exitCode }}.

          The cache entry is of {{ seconds(modified) }} s, when the listing began - not of the time when it was written.
        zh: |-
          列表只说了从 \`running\` 到 \`exited\`。退出码来自 \`ContainerStatus\`，这个 Pod 的**每个**容器都调用了一次，\`PodSandboxStatus\` 也是。现在缓存里有了：{{ first(containers, c => c.name == 'app').exitCode }}。

          缓存项的时间是第 {{ seconds(modified) }} 秒，即开始列出的时刻，而不是写入的时刻。
      do:
        - until: "kind == 'cache'"
      show: { level: loop, select: { pod: pair }, source: updateCache }
      holds:
        - "first(containers, c => c.name == 'app').exitCode == 137 && first(containers, c => c.name == 'app').state == 'exited'"
        - "modified < time && time - modified < 50ms"
        - { never: { kind: pleg-event, where: "type == 'ContainerDied'" } }

    - title:
        en: A short message
        zh: 消息很短
      text:
        en: |-
          \`plegCh\` brought \`{{ first(state.pleg.transitions, t => t.new == 'exited').event }}\`: a pod uid, a type, a container ID. No exit code, no state - the cache is there for that.

          \`isSyncPodWorthy\` said yes, as for all types but \`ContainerRemoved\`, and the loop calls \`{{ fn }}\` for this one pod. Then the worker gets an ordinary update of type \`sync\`.
        zh: |-
          \`plegCh\` 送来了 \`{{ first(state.pleg.transitions, t => t.new == 'exited').event }}\`：一个 Pod uid、一个类型、一个容器 ID。没有退出码，也没有状态，那些要到缓存里看。

          除了 \`ContainerRemoved\`，所有类型 \`isSyncPodWorthy\` 都说值得，于是循环只为这一个 Pod 调用 \`{{ fn }}\`。worker 收到的是普通的 \`sync\` 更新。
      do:
        - until: "kind == 'enter' && fn == 'HandlePodSyncs'"
      show: { level: loop, select: { channel: plegCh }, source: syncLoopIteration }
      holds:
        - "len(args.pods) == 1"
        - { records: { kind: decision, where: "rule == 'isSyncPodWorthy' && values.type == 'ContainerDied' && verdict == 'sync'", exactly: 1 } }
        - { records: { kind: receive, where: "channel.name == 'plegCh' && item.type == 'ContainerDied' && len(item) == 3", exactly: 1 } }

    - title:
        en: After the restart
        zh: 重启之后
      ask:
        question:
          en: The worker starts \`app\` again. Which change does the next relist of this pod find?
          zh: worker 又启动了 \`app\`。对这个 Pod 的下一次 relist 会发现什么变化？
        options:
          - value: exited to running
            text:
              en: The container \`app\` goes from \`exited\` to \`running\`
              zh: 容器 \`app\` 从 \`exited\` 变成 \`running\`
            wrong:
              en: A container runs once. The dead one stays dead, and will show \`exited\` until it is removed.
              zh: 一个容器只运行一次。死掉的就一直是死的，在被删除之前都显示 \`exited\`。
          - value: nothing
            text:
              en: None - the kubelet started it itself
              zh: 没有，是 kubelet 自己启动的
            wrong:
              en: The PLEG compares lists; it does not know who did what. The kubelet learns of its own deeds in the same way.
              zh: PLEG 只比较列表，不管是谁做的。kubelet 自己做的事，也是这样得知的。
          - value: non-existent to running
            text:
              en: A container that did not exist is \`running\`
              zh: 一个原来不存在的容器变成 \`running\`
        then:
          - until: "kind == 'pleg-transition' || kind == 'relist'"
        answer: "kind == 'pleg-transition' ? old + ' to ' + record.new : 'nothing'"
        right:
          en: From \`{{ old }}\` to \`{{ new }}\`. It is a new container with another ID; to the kubelet "restart" means create and start. The list has {{ count(state.containers, c => c.name == 'app' && c.state != 'removed') }} containers of that name now.
          zh: 从 \`{{ old }}\` 到 \`{{ new }}\`。这是另一个 ID 的新容器；对 kubelet 来说，“重启”就是创建加启动。列表里叫这个名字的容器现在有 {{ count(state.containers, c => c.name == 'app' && c.state != 'removed') }} 个。

    - title:
        en: Not a second later
        zh: 没有等一秒
      text:
        en: |-
          This relist was of scope \`{{ scope }}\` and came only {{ (time - first(state.containers, c => c.name == 'app' && c.attempt == 1).since) / 1000 }} ms after the start: \`SyncPod\` had done something, so it asked for one (gate \`PLEGOnDemandRelist\`).

          That helps with what the kubelet does itself. For a crash nobody asks, so the second remains.
        zh: |-
          这次 relist 的范围是 \`{{ scope }}\`，离启动只有 {{ (time - first(state.containers, c => c.name == 'app' && c.attempt == 1).since) / 1000 }} 毫秒：\`SyncPod\` 做了事情，所以请求了一次（特性门控 \`PLEGOnDemandRelist\`）。

          kubelet 自己做的事，这样就很快看到。崩溃却没有人来请求，那一秒还在。
      do:
        - until: "kind == 'relist'"
      show: { level: loop, select: { part: pleg }, panel: timeline }
      holds:
        - "scope == 'pod' && changed == 1"
        - "time - first(state.containers, c => c.name == 'app' && c.attempt == 1).since < 100ms"

    - title:
        en: Make it blind
        zh: 让它看不见
      exercise:
        text:
          en: Make the PLEG find the death of a container more than 2 s late.
          zh: 让 PLEG 晚 2 秒以上才发现一个容器的死亡。
        done:
          - { records: { kind: pleg-transition, where: "record.new == 'exited' && time - state.containers[record.id].since > 2s", atLeast: 1 } }
        hint:
          en: Among the faults there is one that makes the PLEG's lists take longer. The pause of 1 s comes on top. Kill \`other\` when a relist has just ended.
          zh: 故障里有一项会让 PLEG 的列出变慢，1 秒的间隔还要另加。等一次 relist 刚结束，就杀掉 \`other\`。
        solution:
          - fault: { relist: 3s }
          - until: "kind == 'relist'"
          - kill: { pod: pair, container: other }
          - until: "kind == 'pleg-transition' && new == 'exited' && name == 'other'"
            pace: fast

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          List, compare, inspect what changed, write the cache, send events. \`running\` makes \`ContainerStarted\`, \`exited\` makes \`ContainerDied\`, gone makes \`ContainerRemoved\`. A created container is \`unknown\` here and causes no event.

          When no list has succeeded for 3 minutes, the PLEG is not healthy, and the loop skips its rounds.
        zh: |-
          列出、比较、查看有变化的、写缓存、发事件。\`running\` 产生 \`ContainerStarted\`，\`exited\` 产生 \`ContainerDied\`，消失产生 \`ContainerRemoved\`。刚创建的容器在这里算 \`unknown\`，不发事件。

          如果 3 分钟没有一次列出成功，PLEG 就算不健康，循环会跳过每一轮。
      show: { level: loop, select: { part: pleg } }
      holds:
        - { never: { kind: pleg-event, where: "type == 'ContainerChanged'" } }
        - { records: { kind: pleg-event, where: "type == 'ContainerDied'", atLeast: 2 } }
`;

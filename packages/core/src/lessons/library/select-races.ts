export const selectRaces = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: select-races
  title:
    en: One moment, several futures
    zh: 同一时刻，几种未来
  summary:
    en: A container dies in the same moment as its manifest goes. What the kubelet does depends on which channel the select draws first. Take the other case, compare both futures, and find a third.
    zh: 容器死掉的同时，清单也没了。kubelet 接下来做什么，要看 select 先抽到哪个通道。改取另一个分支，比较两种未来，再找出第三种。
  minutes: 10
spec:
  goal:
    en: You can say what may differ when two messages are ready at once, what may not, and how to find out for a case of your own.
    zh: 两条消息同时就绪时，你能说出什么会因顺序而不同、什么不会，并能自己找出一个案例的答案。
  seed: 5
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: select-races
      title: { en: A death and a removal while the loop is busy, zh: 循环正忙时的一次死亡和一次删除 }
    spec:
      seed: 5
      node: { clusterDNS: ["10.96.0.10"] }
      steps:
        - apply:
            apiVersion: v1
            kind: Pod
            metadata:
              name: web
            spec:
              terminationGracePeriodSeconds: 2
              containers:
                - name: app
                  image: localhost/busybox:dev
                  imagePullPolicy: IfNotPresent
                  command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 0.2; done"]
        - waitFor: { pod: web, phase: Running, timeout: 20s }
        - wait: 6s
        # Housekeeping lists containers on the loop's own goroutine.
        - fault: { name: slow, method: ListContainers, delay: 2500ms }
        - wait: 3s
        - kill: { pod: web, container: app }
        - waitFor: { records: { kind: pleg-event, where: "type == 'ContainerDied'" } }
        - delete: web
        - wait: 1h
  steps:
    - title:
        en: A loop that is late
        zh: 迟到的循环
      text:
        en: |-
          Listing containers takes 2.5 s here, and \`{{ fn }}\` does it on the loop's own goroutine. \`housekeepingCh\` ticks every 2 s, so it is ready again whenever its handler returns.

          On a real node, too, races need a busy loop. One that waits in its select takes each message in the moment it comes, and there is nothing to draw.
        zh: |-
          这里列一次容器要 2.5 秒，而 \`{{ fn }}\` 就在循环自己的 goroutine 里列。\`housekeepingCh\` 每 2 秒滴答一次，所以处理函数一返回，它又就绪了。

          真实节点上也一样，循环忙才有竞争。停在 select 里等的循环，消息一到就取走，没什么可抽的。
      do:
        - until: "kind == 'enter' && fn == 'HandlePodCleanups' && time > 10s"
          pace: fast
      show: { level: loop, select: { channel: housekeepingCh }, source: syncLoopIteration }
      holds:
        - "goroutine.name == 'syncLoop' && state.loop.phase == 'handling'"

    - title:
        en: Two messages that contradict
        zh: 两条互相矛盾的消息
      text:
        en: |-
          While the loop is busy, the process of \`app\` is killed, and the PLEG sends \`ContainerDied\`. Then somebody takes away the manifest, and \`PodConfig\` sends \`{{ item.op }}\`.

          The one will say "look after this pod", the other "this pod is not wanted". Both lie in their channels, and neither knows of the other.
        zh: |-
          循环正忙，\`app\` 的进程被杀，PLEG 发出 \`ContainerDied\`。接着有人拿走了清单，\`PodConfig\` 发出 \`{{ item.op }}\`。

          一条等于说“去照看这个 Pod”，另一条说“不要这个 Pod 了”。两条都躺在各自的通道里，互不知情。
      do:
        - until: "kind == 'send' && channel.name == 'configCh' && item.op == 'REMOVE'"
      show: { level: loop, select: { channel: configCh } }
      holds:
        - "first(state.channels, c => c.name == 'plegCh').items[0].item.type == 'ContainerDied' && len(channel.items) == 1"
        - "state.loop.phase == 'handling'"

    - name: draw
      title:
        en: The draw
        zh: 抽签
      text:
        en: |-
          The handler has returned, and {{ len(ready) }} of eight cases are ready: \`configCh\`, \`plegCh\`, \`syncCh\`, \`housekeepingCh\`. Go takes one at random, each with the same chance. It took \`{{ channel.name }}\`.

          What came first into its channel does not count, nor does the order of the cases in the source. No log line tells what else was ready.
        zh: |-
          处理函数返回，八个分支里有 {{ len(ready) }} 个就绪：\`configCh\`、\`plegCh\`、\`syncCh\`、\`housekeepingCh\`。Go 随机取一个，机会均等。这次取了 \`{{ channel.name }}\`。

          谁先进通道不算数，源码里分支的先后也不算数。哪些同时就绪，没有任何日志会说。
      do:
        - until: "kind == 'select' && len(cases) == 8 && len(ready) > 1"
      show: { level: loop, select: { record: here }, tab: what }
      holds:
        - "ready == [0, 1, 2, 7] && channel.name == 'configCh'"

    - title:
        en: The death, read late
        zh: 迟读的死讯
      ask:
        question:
          en: "\`HandlePodRemoves\` is through, the pod is being torn down. The \`ContainerDied\` is still in \`plegCh\`. What will the loop call with it when it takes it?"
          zh: "\`HandlePodRemoves\` 做完了，Pod 正在拆除。\`ContainerDied\` 还在 \`plegCh\` 里。轮到它时，循环会用它调用什么？"
        options:
          - value: HandlePodSyncs
            text:
              en: "\`HandlePodSyncs\`, and the container is started again"
              zh: "\`HandlePodSyncs\`，容器重新启动"
            wrong:
              en: Only for pods that the pod manager has. This one was taken out by \`HandlePodRemoves\`.
              zh: 只对 pod manager 里还有的 Pod 才这样。这个已经被 \`HandlePodRemoves\` 拿掉了。
          - value: HandlePodRemoves
            text:
              en: "\`HandlePodRemoves\` once more, as the pod is going"
              zh: "再来一次 \`HandlePodRemoves\`，因为 Pod 正要离开"
            wrong:
              en: That one handles the operation \`REMOVE\` from \`configCh\`, and nothing else.
              zh: 它只处理来自 \`configCh\` 的 \`REMOVE\`，别的都不管。
          - value: none
            text:
              en: No handler, the event is passed over
              zh: 不调用处理函数，事件略过
        then:
          - until: "kind == 'receive' && channel.name == 'plegCh' && item.type == 'ContainerDied'"
          - until: "goroutine.name == 'syncLoop' && ((kind == 'enter' && startsWith(fn, 'HandlePod')) || (kind == 'exit' && fn == 'syncLoopIteration'))"
        answer: "kind == 'enter' ? fn : 'none'"
        right:
          en: None. The pod manager no longer has the pod, so there is nothing to sync; only \`cleanUpContainersInPod\` looks whether dead containers may go. In this future \`app\` was started {{ max(map(filter(state.containers, c => c.name == 'app'), c => c.attempt)) + 1 }} time in all.
          zh: 不调用。pod manager 里已经没有这个 Pod，没什么可同步的，只有 \`cleanUpContainersInPod\` 看看死容器能不能清掉。在这个未来里，\`app\` 总共启动过 {{ max(map(filter(state.containers, c => c.name == 'app'), c => c.attempt)) + 1 }} 次。
      do:
        - until: "kind == 'exit' && fn == 'HandlePodRemoves'"
      show: { level: loop, select: { channel: plegCh } }
      holds:
        - "first(state.channels, c => c.name == 'plegCh').items[0].item.type == 'ContainerDied'"
        - { pod: web, container: app, atMostRestarts: 0 }

    - name: other
      title:
        en: The other case
        zh: 另一个分支
      text:
        en: |-
          Back to the same select, and \`plegCh\` is taken instead. All before it is the same to the last record; what was is kept as another branch.

          The pod manager still has \`web\`, so \`HandlePodSyncs\` gives its worker a \`{{ updateType }}\`. The worker will see a dead container, and the restart policy \`Always\`.
        zh: |-
          回到同一次 select，改取 \`plegCh\`。在它之前，每一条记录都相同；原来的那次运行作为另一个分支留着。

          pod manager 里还有 \`web\`，\`HandlePodSyncs\` 就给它的 worker 一个 \`{{ updateType }}\`。worker 会看到一个死掉的容器，重启策略是 \`Always\`。
      do:
        - go: { place: draw }
        - take: plegCh
        - until: "kind == 'pod-update'"
      show: { level: loop, select: { pod: web }, panel: branches }
      holds:
        - "updateType == 'sync' && goroutine.name == 'syncLoop' && worker.pending == 'sync'"
        - "first(state.channels, c => c.name == 'configCh').items[0].item.op == 'REMOVE'"

    - title:
        en: And if the REMOVE comes next?
        zh: 如果接着就是 REMOVE
      ask:
        question:
          en: "The \`sync\` lies in the worker's slot. Say the very next select draws \`configCh\` (the run is told to, with \`choose\`). Is \`app\` started once more?"
          zh: "\`sync\` 在 worker 的槽里。假设紧接着的 select 抽到 \`configCh\`（用 \`choose\` 指定）。\`app\` 还会再启动一次吗？"
        options:
          - value: restarted
            text:
              en: Yes, the sync came first and is done first
              zh: 会，sync 先来，先做
            wrong:
              en: Updates do not queue up. A worker has one slot, and the newest update overwrites what has not been begun.
              zh: 更新不排队。worker 只有一个槽，还没开始做的，会被最新的更新覆盖。
          - value: stopped
            text:
              en: "No"
              zh: 不会
          - value: alive
            text:
              en: Yes, and it even stays, as the kill is lost in the full slot
              zh: 会，而且就此留下：槽满了，kill 丢了
            wrong:
              en: It is the other way round. The new update replaces the old one, and a kill is never undone.
              zh: 正好相反：新的替换旧的，而且 kill 绝不会撤销。
        then:
          - choose: { select: configCh }
          - until: "kind == 'pod-update' && updateType == 'kill'"
          - until: "kind == 'worker' && state == 'terminated'"
        answer: "any(state.containers, c => c.name == 'app' && c.attempt > 0) ? 'restarted' : from == 'terminating' ? 'stopped' : 'alive'"
        right:
          en: No. The loop had been round again before the worker ran, and the \`kill\` overwrote the \`sync\`. Two orders, one result. It takes time between the two messages to make a difference.
          zh: 不会。worker 还没运行，循环又转了一轮，\`kill\` 覆盖了 \`sync\`。两种顺序，一个结果。两条消息之间要隔上一段时间，才有差别。
      show: { level: loop, select: { pod: web }, source: UpdatePod }
      holds:
        - "worker.pending == 'sync' && !worker.working"

    - title:
        en: Find the third future
        zh: 找出第三种未来
      exercise:
        text:
          en: You stand at the draw again. Make the kubelet start \`app\` once more, although its manifest is gone.
          zh: 你又站在那次抽签上。让 kubelet 再启动一次 \`app\`，尽管它的清单已经没了。
        done:
          - { records: { kind: actual-container, where: "name == 'app' && attempt == 1 && state == 'running'", atLeast: 1 } }
          - { never: { kind: input, where: "verb in ['apply', 'edit', 'delete']" } }
        hint:
          en: First \`plegCh\`. Then something that keeps the loop busy for long enough must come before \`configCh\`. Each select with several ready cases can be taken otherwise.
          zh: 先取 \`plegCh\`。然后，在 \`configCh\` 之前要有什么让循环忙上一阵。每一次有几个分支就绪的 select，都可以改取别的。
        solution:
          - take: plegCh
          - choose: { select: housekeepingCh }
          - until: "kind == 'actual-container' && name == 'app' && attempt == 1 && state == 'running'"
      do:
        - go: { place: draw }
      show: { level: loop, select: { record: here }, tab: what }
      holds:
        - "ready == [0, 1, 2, 7] && channel.name == 'configCh'"

    - title:
        en: For nothing
        zh: 白忙一场
      text:
        en: |-
          Housekeeping held the loop, the worker had time to do its \`sync\`, and \`app\` was restarted. Now the loop has read the \`REMOVE\` as well, and at {{ seconds(time) }} s the pod is \`{{ record.state }}\` all the same.

          A workload sees the difference: it ran once more for some seconds, after it had been removed.
        zh: |-
          housekeeping 占住了循环，worker 有时间做它的 \`sync\`，\`app\` 重启了。现在循环也读到了 \`REMOVE\`，第 {{ seconds(time) }} 秒，Pod 照样到了 \`{{ record.state }}\`。

          对工作负载来说有差别：删除之后，它又运行了好几秒。
      do:
        - until: "kind == 'worker' && state == 'terminated'"
          within: 2m
          pace: fast
      show: { level: loop, select: { pod: web }, panel: branches }
      holds:
        - { sequence: [{ kind: pod-config, where: "op == 'REMOVE'" }, { kind: actual-container, where: "name == 'app' && attempt == 1 && state == 'running'" }, { kind: receive, where: "channel.name == 'configCh' && item.op == 'REMOVE'" }, { kind: actual-container, where: "name == 'app' && attempt == 1 && state == 'exited'" }] }

    - title:
        en: What may differ, and what may not
        zh: 什么会不同，什么不会
      text:
        en: |-
          Three orders, and in the end the container is stopped in each. A message only sets a worker going; the worker decides by what is wanted and what is there, and termination never goes back. The path may differ, the end may not.

          In Branches, **Compare** names the first record that differs, and what became of each pod. \`syncloop explore\` runs a scenario in many orders, and counts how they came out.
        zh: |-
          三种顺序，最后容器都停了。消息只是让 worker 动起来，worker 根据想要什么、现有什么来决定，而终止绝不回头。路可以不同，终点不能。

          分支面板里的**比较**会指出第一条不同的记录和每个 Pod 的结局。\`syncloop explore\` 按许多种顺序运行同一个场景，统计各种结局。
      show: { level: loop, select: { pod: web }, panel: branches }
      holds:
        - "all(state.containers, c => c.name != 'app' || c.state != 'running')"
        - { never: { kind: worker, where: "from == 'terminating' && state == 'sync'" } }
`;

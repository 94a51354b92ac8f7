export const probes = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: probes
  title:
    en: Three probes, three channels
    zh: 三种探针，三个通道
  summary:
    en: Startup, liveness and readiness on one container. See who runs them, when a failure counts, what reaches the loop, and who kills the container in the end.
    zh: 同一个容器上的启动、存活和就绪探针。看看谁在运行它们、失败何时才算数、什么会到达循环，以及最后由谁杀掉容器。
  minutes: 10
spec:
  goal:
    en: You can say what each of the three probes changes, what a threshold does, and how the result gets from a probe to the container.
    zh: 你能说出三种探针各改变什么、阈值起什么作用，以及结果怎样从探针走到容器。
  scenario:
    apiVersion: syncloop.dev/v1alpha1
    kind: Scenario
    metadata:
      name: probes
    spec:
      seed: 1
      node:
        fileCheckFrequency: 1s
        clusterDNS: ["10.96.0.10"]
      steps:
        - wait: 4s
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
                  command: ["sh", "-c", "sleep 3; touch /tmp/up; trap 'exit 0' TERM; while true; do sleep 0.2; done"]
                  startupProbe:
                    exec: { command: ["test", "-f", "/tmp/up"] }
                    periodSeconds: 1
                    failureThreshold: 10
                  livenessProbe:
                    exec: { command: ["test", "-f", "/tmp/up"] }
                    periodSeconds: 2
                    failureThreshold: 3
                  readinessProbe:
                    exec: { command: ["test", "-f", "/tmp/up"] }
                    periodSeconds: 2
                    failureThreshold: 2
        - wait: 10m
  seed: 1
  steps:
    - title:
        en: One worker for each probe
        zh: 每个探针一个 worker
      text:
        en: |-
          \`web\` has one container with three probes, so \`AddPod\` of the probe manager made {{ count(state.goroutines, g => startsWith(g.name, 'probe ')) }} goroutines. That happens in \`SyncPod\`, just before the runtime's turn: of containers there are {{ count(state.containers) }}.

          Each runs \`doProbe\` at once, and finds no container ID in the pod's status. It waits for its next tick.
        zh: |-
          \`web\` 有一个容器、三个探针，所以探针管理器的 \`AddPod\` 建了 {{ count(state.goroutines, g => startsWith(g.name, 'probe ')) }} 个 goroutine。那是在 \`SyncPod\` 里，刚好在轮到运行时之前：容器现在有 {{ count(state.containers) }} 个。

          每个都马上运行 \`doProbe\`，发现 Pod 的状态里没有容器 ID，就等下一个滴答。
      do:
        - until: "kind == 'decision' && rule == 'doProbe' && values.probeType == 'liveness'"
          pace: fast
      show: { level: loop, select: { part: probes }, source: doProbe }
      holds:
        - "count(state.goroutines, g => startsWith(g.name, 'probe ')) == 3"
        - "count(state.containers) == 0"
        - { records: { kind: decision, where: "rule == 'doProbe' && verdict == 'wait' && values.why == 'no container ID in the status'", exactly: 3 } }

    - title:
        en: What holds before the first probe
        zh: 第一次探测之前算什么
      text:
        en: |-
          The container runs, and the workers have met its ID. Each sets a first result without having probed: startup Unknown, readiness Failure, liveness {{ result }}.

          So a container with a readiness probe begins as not ready, and one with a liveness probe begins as alive.
        zh: |-
          容器在运行，worker 们也看到了它的 ID。每个都不经探测就先设一个结果：启动是 Unknown，就绪是 Failure，存活是 {{ result }}。

          所以带就绪探针的容器一开始是未就绪，带存活探针的一开始是活着。
      do:
        - until: "kind == 'probe-result' && probeType == 'liveness'"
      show: { level: loop, select: { part: probes }, source: doProbe }
      holds:
        - "result == 'Success'"
        - { records: { kind: probe-result, where: "probeType == 'startup' && result == 'Unknown'", exactly: 1 } }
        - { records: { kind: probe-result, where: "probeType == 'readiness' && result == 'Failure'", exactly: 1 } }
        - { never: { kind: probe, where: "probeType != 'startup'" } }

    - title:
        en: A slow start
        zh: 启动得慢
      ask:
        question:
          en: "\`app\` makes \`/tmp/up\` after 3 s, and all three probes look for that file. Liveness has \`periodSeconds\` 2 and \`failureThreshold\` 3, startup 1 and 10. What becomes of the container?"
          zh: "\`app\` 过 3 秒才建 \`/tmp/up\`，三个探针都找这个文件。存活探针的 \`periodSeconds\` 是 2，\`failureThreshold\` 是 3；启动探针是 1 和 10。容器会怎样？"
        options:
          - value: stays
            text:
              en: It stays; liveness is not probed yet
              zh: 留着，存活探针还没有开始探测
          - value: liveness
            text:
              en: It would be killed by liveness after 6 s, but is up just in time
              zh: 存活探针 6 秒后会杀它，只是它刚好来得及
            wrong:
              en: There was no race. Until the startup probe has succeeded, \`doProbe\` of the two others stops before it probes.
              zh: 根本没有赛跑。启动探针成功之前，另外两个的 \`doProbe\` 在探测之前就停下了。
          - value: startup
            text:
              en: The first failure of the startup probe restarts it
              zh: 启动探针第一次失败就让它重启
            wrong:
              en: Failures count only when \`failureThreshold\` of them come in a row. It may fail nine times here.
              zh: 连续失败 \`failureThreshold\` 次才算数，这里可以失败九次。
        then:
          - until: "kind == 'probe-result' && probeType == 'startup' && result != 'Unknown'"
        answer: "result == 'Success' ? 'stays' : 'startup'"
        right:
          en: The startup probe failed a few times, then succeeded at {{ seconds(time) }} s, and one success is enough. The others had only said "the container has not started" until now. This worker goes on hold until there is a new container.
          zh: 启动探针失败了几次，第 {{ seconds(time) }} 秒成功，成功一次就够。在此之前，另外两个只说“容器还没启动完”。这个 worker 从此暂停，直到有新的容器。

    - title:
        en: Started, and ready at once
        zh: 启动完毕，立刻就绪
      text:
        en: |-
          The result came through \`startupManager\`: the loop called \`SetContainerStartup\`, then \`handleProbeSync\`, hence \`SyncPod\`. When that made the status, it found \`app\` running, but without a good readiness result, and had its probe run **at once**.

          So it is ready {{ round((time - first(state.pods['web'].probes, p => p.probeType == 'startup').time) / 1000) }} ms later, not at the next tick.
        zh: |-
          结果从 \`startupManager\` 来：循环调用 \`SetContainerStartup\`，再调用 \`handleProbeSync\`，于是有了 \`SyncPod\`。它生成状态时发现 \`app\` 在运行，却没有好的就绪结果，就让就绪探针**马上**跑一次。

          所以 {{ round((time - first(state.pods['web'].probes, p => p.probeType == 'startup').time) / 1000) }} 毫秒后它就绪了，没有等到下一个滴答。
      do:
        - until: "kind == 'probe-result' && probeType == 'readiness' && result == 'Success'"
      show: { level: loop, select: { channel: startupManager }, source: SetContainerStartup }
      holds:
        - "time - first(state.pods['web'].probes, p => p.probeType == 'startup').time < 100ms"
        - { sequence: [{ kind: probe-result, where: "probeType == 'startup' && result == 'Success'" }, { kind: select, where: "channel.name == 'startupManager'" }, { kind: enter, where: "fn == 'HandlePodSyncs'" }, { kind: probe-result, where: "probeType == 'readiness' && result == 'Success'" }] }
        - { never: { kind: probe, where: "probeType == 'liveness'" } }

    - name: flap
      title:
        en: A failure that does not count yet
        zh: 还不算数的失败
      text:
        en: |-
          {{ seconds(time) }} s. The readiness probe has begun to fail: run {{ run }} of {{ threshold }}. There is an event, \`Unhealthy\`, for this one as for every failing run.

          The result is still Success, and nothing goes to \`readinessManager\`: a worker publishes a result only when it **changes**.
        zh: |-
          第 {{ seconds(time) }} 秒，就绪探针开始失败：第 {{ run }} 次，阈值 {{ threshold }}。这次有一个 \`Unhealthy\` 事件，每次失败都会有。

          结果仍是 Success，没有东西进 \`readinessManager\`：只有结果**变了**，worker 才发布。
      do:
        - go: { time: 12s }
        - fault: { probe: readiness, pod: web, pattern: F, times: 3 }
        - until: "kind == 'probe' && probeType == 'readiness' && outcome == 'failure'"
      show: { level: loop, select: { channel: readinessManager }, panel: events }
      holds:
        - "run == 1 && threshold == 2"
        - "first(state.pods['web'].probes, p => p.probeType == 'readiness').result == 'Success'"
        - "first(state.channels, c => c.name == 'readinessManager').sent == 2"
        - { event: { pod: web, reason: Unhealthy, message: "Readiness probe failed", exactly: 1 } }

    - title:
        en: How many messages?
        zh: 有几条消息
      ask:
        question:
          en: It fails {{ threshold }} more times, then succeeds. How many messages come through \`readinessManager\` until then, counted from here?
          zh: 它还要失败 {{ threshold }} 次，然后成功。从现在到那时，\`readinessManager\` 会送来几条消息？
        options:
          - value: 1
            text:
              en: One, when it is ready again
              zh: 一条，重新就绪的时候
            wrong:
              en: Both directions count here. For readiness the loop does something with a Success as well as with a Failure.
              zh: 两个方向都算。就绪探针的 Success 和 Failure，循环都要处理。
          - value: 3
            text:
              en: Three, one for each run
              zh: 三条，每次探测一条
            wrong:
              en: The third failure told nothing new, so nobody was told. Only changes of the result are published.
              zh: 第三次失败没有新内容，所以谁也没通知。只有结果的变化才发布。
          - value: 2
            text:
              en: Two, one down and one up
              zh: 两条，一条变假，一条变真
        then:
          - until: "kind == 'probe-result' && probeType == 'readiness' && result == 'Success'"
          - until: "kind == 'select' && channel.name == 'readinessManager'"
        answer: "first(state.channels, c => c.name == 'readinessManager').sent - 2"
        right:
          en: Failure after the second run in a row, Success after one. Each time the loop calls \`SetContainerReadiness\`, which writes the condition \`Ready\`, and then syncs the pod.
          zh: 连续第二次失败后发出 Failure，成功一次就发出 Success。每次循环都调用 \`SetContainerReadiness\`，由它写 \`Ready\` 条件，然后同步 Pod。

    - title:
        en: Nothing was done to the container
        zh: 容器没有受到任何影响
      text:
        en: |-
          The condition \`Ready\` went to False and comes back to True. \`app\` did not notice: still attempt {{ first(state.containers, c => c.name == 'app').attempt }}, and \`StopContainer\` was never called.

          Readiness speaks to others, to those who send traffic by \`Ready\`. The kubelet itself only writes it down.
        zh: |-
          \`Ready\` 条件变成 False，又回到 True。\`app\` 毫无察觉：重启次数还是 {{ first(state.containers, c => c.name == 'app').attempt }}，\`StopContainer\` 一次也没调用。

          就绪是说给别人听的，说给按 \`Ready\` 分发流量的组件。kubelet 自己只是记下来。
      do:
        - until: "kind == 'work-done'"
      show: { level: loop, select: { container: app, pod: web }, panel: timeline, source: SetContainerReadiness }
      holds:
        - { sequence: [{ kind: status, where: "first(pod.status.conditions, c => c.type == 'Ready').status == 'True'" }, { kind: status, where: "first(pod.status.conditions, c => c.type == 'Ready').status == 'False'" }, { kind: status, where: "first(pod.status.conditions, c => c.type == 'Ready').status == 'True'" }] }
        - { never: { kind: cri-call, where: "method == 'StopContainer'" } }
        - "first(state.containers, c => c.name == 'app').attempt == 0"

    - name: dead
      title:
        en: Liveness gives up
        zh: 存活探针放弃了
      text:
        en: |-
          Now liveness has failed {{ run }} times in a row, and {{ threshold }} is its threshold. The worker publishes Failure to \`livenessManager\`, and goes on hold: it does not probe this container any more.

          Of liveness results the loop takes only Failure to heart; all others it drops.
        zh: |-
          现在存活探针连续失败了 {{ run }} 次，阈值就是 {{ threshold }}。worker 向 \`livenessManager\` 发布 Failure，然后暂停，不再探测这个容器。

          存活探针的结果里，循环只理会 Failure，其他的都丢掉。
      do:
        - fault: { probe: liveness, pod: web, pattern: F, times: 3 }
        - until: "kind == 'probe' && probeType == 'liveness' && run == 3 && outcome == 'failure'"
          pace: fast
      show: { level: loop, select: { channel: livenessManager } }
      holds:
        - "run == 3 && threshold == 3"
        - { event: { pod: web, reason: Unhealthy, message: "Liveness probe failed", exactly: 3 } }
        - { never: { kind: probe-result, where: "probeType == 'liveness' && result == 'Failure'" } }

    - title:
        en: Who kills it?
        zh: 谁来杀它
      ask:
        question:
          en: The Failure is on its way. Which goroutine will call \`StopContainer\`?
          zh: Failure 已经上路。哪个 goroutine 会调用 \`StopContainer\`？
        options:
          - value: prober
            text:
              en: The probe's worker, which has just found out
              zh: 探针的 worker，是它刚发现的
            wrong:
              en: A probe's worker only probes and publishes. It does not know the pod's other needs.
              zh: 探针的 worker 只探测、只发布，并不知道 Pod 别的需要。
          - value: worker
            text:
              en: The pod's worker
              zh: Pod 的 worker
          - value: loop
            text:
              en: The loop, when it reads \`livenessManager\`
              zh: 循环，读 \`livenessManager\` 的时候
            wrong:
              en: The loop must not wait for a container to stop. It calls \`handleProbeSync\`, which passes a sync to the pod's worker.
              zh: 循环不能等容器停下来。它调用 \`handleProbeSync\`，把一次同步交给 Pod 的 worker。
        then:
          - until: "kind == 'cri-call' && method == 'StopContainer'"
        answer: "startsWith(goroutine.name, 'podWorker') ? 'worker' : (goroutine.name == 'syncLoop' ? 'loop' : 'prober')"
        right:
          en: "\`SyncPod\` ran, and \`computePodActions\` looked the result up again: kill and start \`app\`. The message on the channel was only a reason to look. A \`preStop\` hook and a grace period apply, as with any kill."
          zh: "\`SyncPod\` 运行，\`computePodActions\` 又去查了那个结果：杀掉 \`app\` 再启动。通道上的消息只是让人去看一眼。\`preStop\` 钩子和宽限期与其他终止一样适用。"

    - name: restarted
      title:
        en: The same sandbox, the next attempt
        zh: 同一个沙箱，下一次尝试
      text:
        en: |-
          {{ seconds(time) }} s: \`app\` runs again, attempt {{ attempt }}, started in the same round that stopped it. There was no back-off, for when the round began no exited \`app\` was known.

          A new container means a new ID: all three workers drop their results and begin from the start, with the startup probe.
        zh: |-
          第 {{ seconds(time) }} 秒：\`app\` 又运行了，第 {{ attempt }} 次重启，就在停掉它的同一轮里启动。没有退避，因为这一轮开始时还没有退出过的 \`app\`。

          新容器就有新 ID：三个 worker 都丢掉旧结果，从启动探针重新开始。
      do:
        - until: "kind == 'actual-container' && state == 'running'"
      show: { level: loop, select: { container: app, pod: web }, panel: timeline, source: computePodActions }
      holds:
        - "attempt == 1"
        - { never: { kind: backoff } }
        - { records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 1 } }
        - { event: { pod: web, reason: Killing, message: "Container app failed liveness probe, will be restarted", exactly: 1 } }

    - title:
        en: Let the startup probe do it
        zh: 让启动探针来做
      exercise:
        text:
          en: "\`app\` will need 3 s again before it is up. Bring it about that this time the **startup** probe has it restarted."
          zh: "\`app\` 又要 3 秒才能起来。请设法让它这次因为**启动**探针而重启。"
        done:
          - { event: { pod: web, reason: Killing, message: "Container app failed startup probe, will be restarted" } }
          - { never: { kind: probe, where: "probeType == 'liveness'" } }
        hint:
          en: A fault can make a probe fail whatever it looks at. Which one, and how often in a row? Its \`failureThreshold\` says it. Add it before you go on.
          zh: 有一种故障能让探针失败，不管它在看什么。选哪个探针，要连续几次？看它的 \`failureThreshold\`。先加上，再继续运行。
        solution:
          - fault: { probe: startup, pod: web, pattern: F, times: 10 }
          - until: "kind == 'kube-event' && reason == 'Killing'"
            pace: fast

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          Startup holds back the other two, and restarts; liveness restarts; readiness changes only \`Ready\`. A threshold counts runs in a row, a channel carries changes, and the kill is decided in \`computePodActions\`.

          The same {{ count(state.goroutines, g => startsWith(g.name, 'probe ') && g.state != 'dead') }} workers have ticked all the while, for one container after the other.
        zh: |-
          启动探针让另外两个先等着，失败就重启；存活探针失败就重启；就绪探针只改 \`Ready\`。阈值数的是连续次数，通道送的是变化，杀不杀由 \`computePodActions\` 决定。

          从头到尾滴答的都是这 {{ count(state.goroutines, g => startsWith(g.name, 'probe ') && g.state != 'dead') }} 个 worker，容器换了，它们不换。
      show: { level: loop, select: { part: probes }, panel: events }
      holds:
        - "count(state.goroutines, g => startsWith(g.name, 'probe ') && g.state != 'dead') == 3"
        - { event: { pod: web, reason: Unhealthy, message: "Startup probe failed", atLeast: 10 } }
`;

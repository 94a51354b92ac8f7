export const dispatch = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata:
  name: dispatch
  title:
    en: From the loop to the worker
    zh: 从循环到 worker
  summary:
    en: How an update reaches a pod's own goroutine, what becomes of updates that come while it is busy, and why it waits for a newer view of the runtime before each round.
    zh: 一个更新怎样到达 Pod 自己的 goroutine，它正忙时来的更新会怎样，以及它每一轮之前为什么要等一份更新的运行时视图。
  minutes: 9
spec:
  goal:
    en: You can explain what \`UpdatePod\` leaves for a worker, which updates are lost without harm, and what \`GetNewerThan\` protects from.
    zh: 你能讲清 \`UpdatePod\` 给 worker 留下了什么、哪些更新丢了也无妨，以及 \`GetNewerThan\` 防的是什么。
  scenario: two-pods
  seed: 1
  steps:
    - title:
        en: A pod seen for the first time
        zh: 第一次见到的 Pod
      text:
        en: |-
          \`HandlePodAdditions\` has called \`UpdatePod\` with type \`{{ updateType }}\`. Up to v1.26 a function \`dispatchWork\` stood between them; now the handlers call \`UpdatePod\` themselves.

          \`UpdatePod\` has no record of this uid. So it made one in state \`{{ state.pods['slow'].worker.state }}\`, started a goroutine for it, and put the update into \`pendingUpdate\`.
        zh: |-
          \`HandlePodAdditions\` 以类型 \`{{ updateType }}\` 调用了 \`UpdatePod\`。到 v1.26 为止，中间还隔着一个 \`dispatchWork\`；如今处理函数直接调用 \`UpdatePod\`。

          \`UpdatePod\` 没有这个 uid 的记录，于是新建一个，状态 \`{{ state.pods['slow'].worker.state }}\`，为它启动一个 goroutine，并把更新放进 \`pendingUpdate\`。
      do:
        - until: "kind == 'pod-update'"
          pace: fast
      show: { level: loop, select: { pod: slow }, source: UpdatePod }
      holds:
        - "updateType == 'create' && goroutine.name == 'syncLoop'"
        - "state.pods['slow'].worker.pending == 'create'"
        - { records: { kind: goroutine-start, where: "name == 'podWorker default/slow-node1'", exactly: 1 } }

    - title:
        en: A bell, not a mailbox
        zh: 是门铃，不是信箱
      text:
        en: |-
          Then it rings: \`{{ channel.name }}\` has room for {{ channel.cap }} message, and the message is empty. The update does not travel by the channel, it lies in the record.

          Ringing never blocks. If a signal lies there already, a second would say nothing new and is left out. So the loop cannot be held up by a worker.
        zh: |-
          接着它按一下门铃：\`{{ channel.name }}\` 只能放 {{ channel.cap }} 条消息，而且消息是空的。更新并不走通道，它放在记录里。

          按铃从不阻塞。如果里面已经有一个信号，再来一个也没有新的意思，就省掉。所以 worker 拖不住循环。
      do:
        - until: "kind == 'send' && channel.name =~ 'podUpdates*'"
      show: { level: loop, select: { goroutine: "podWorker default/slow-node1" } }
      holds:
        - "item == null && channel.cap == 1 && len(channel.items) == 1"
        - "goroutine.name == 'syncLoop'"

    - name: first-round
      title:
        en: The first round
        zh: 第一轮
      text:
        en: |-
          \`podWorkerLoop\` woke, took the update out of the slot, and asks the cache for the pod's status: \`GetNewerThan\` with bound {{ state.pods['slow'].worker.waitsForNewerThan }}, the zero time. This worker has done nothing yet, so whatever the cache knows is good enough.

          It returned at once, and \`SyncPod\` is next.
        zh: |-
          \`podWorkerLoop\` 醒来，把更新从槽里取走，再向缓存要这个 Pod 的状态：\`GetNewerThan\` 的界限是 {{ state.pods['slow'].worker.waitsForNewerThan }}，即零时间。这个 worker 还什么都没做过，缓存知道什么都够用。

          它立刻返回，接下来是 \`SyncPod\`。
      do:
        - until: "kind == 'exit' && fn == 'GetNewerThan'"
      show: { level: loop, select: { goroutine: "podWorker default/slow-node1" }, source: GetNewerThan }
      holds:
        - "state.pods['slow'].worker.waitsForNewerThan == 0"
        - "state.pods['slow'].worker.pending == null && state.pods['slow'].worker.working"
        - "goroutine.name == 'podWorker default/slow-node1'"

    - title:
        en: Busy for six seconds
        zh: 要忙六秒
      text:
        en: |-
          \`SyncPod\` runs on the worker's goroutine and has got as far as \`{{ method }}\`. In this scenario the runtime takes 6 s for it, and the worker waits as long.

          The loop is at round {{ state.loop.iteration }}, {{ state.loop.phase }}. It does not know that anybody is busy.
        zh: |-
          \`SyncPod\` 在 worker 的 goroutine 里运行，走到了 \`{{ method }}\`。这个场景里运行时要花 6 秒，worker 就跟着等多久。

          循环到了第 {{ state.loop.iteration }} 轮，处于 {{ state.loop.phase }}。它不知道有谁在忙。
      do:
        - until: "kind == 'cri-call' && method == 'CreateContainer'"
      show: { level: loop, select: { pod: slow } }
      holds:
        - "any(goroutine.stack, f => f.fn == 'SyncPod') && goroutine.name == 'podWorker default/slow-node1'"
        - "state.loop.phase == 'waiting'"

    - title:
        en: An update for a busy worker
        zh: 给正忙的 worker 一个更新
      text:
        en: |-
          The manifest of \`slow\` was edited (it has a uid of its own, so it stays the same pod). \`{{ state.pods['slow'].worker.pending }}\` lies in the slot, and the bell has been rung.

          Nobody hears it: the worker reads its channel only between rounds, and its context is cancelled only for a termination. An ordinary update interrupts nothing.
        zh: |-
          \`slow\` 的清单改了（它自带 uid，所以还是同一个 Pod）。\`{{ state.pods['slow'].worker.pending }}\` 放进了槽里，铃也按过了。

          没有人听见：worker 只在两轮之间读通道，它的 context 只有终止时才会取消。普通的更新什么也打断不了。
      do:
        - until: "kind == 'send' && channel.name == 'podUpdates default/slow-node1'"
          pace: fast
      show: { level: loop, select: { pod: slow }, source: UpdatePod }
      holds:
        - "state.pods['slow'].worker.overwrites == 0 && len(channel.items) == 1"
        - "state.pods['slow'].worker.pending == 'update' && state.pods['slow'].worker.working"

    - title:
        en: One more, a moment later
        zh: 稍后又来一个
      ask:
        question:
          en: Soon the PLEG sees that the sandbox runs, and the loop calls \`UpdatePod\` for \`slow\` with type \`sync\`. The \`update\` still lies there. What is in the slot then?
          zh: 很快 PLEG 看到沙箱在运行，循环会以类型 \`sync\` 为 \`slow\` 调用 \`UpdatePod\`。那个 \`update\` 还放在槽里。之后槽里是什么？
        options:
          - value: update and sync
            text:
              en: Both, one behind the other
              zh: 两个都在，排着队
            wrong:
              en: "\`pendingUpdate\` is one field, not a queue. A worker needs to know what is wanted now, not how it came about."
              zh: "\`pendingUpdate\` 是一个字段，不是队列。worker 要的是最新的要求，中间经过哪些都无所谓。"
          - value: update
            text:
              en: The \`update\`; the \`sync\` is dropped, as the worker is busy
              zh: "\`update\`；worker 正忙，\`sync\` 被丢掉"
            wrong:
              en: The newer one wins, always. The older one would bring an older pod.
              zh: 总是新的赢。旧的那个带来的是旧的 Pod。
          - value: sync
            text:
              en: The \`sync\`; it takes the place of the \`update\`
              zh: "\`sync\`；它占了 \`update\` 的位置"
        then:
          - until: "kind == 'pod-update' && pod == 'default/slow-node1'"
        answer: "state.pods['slow'].worker.pending"
        right:
          en: "\`{{ state.pods['slow'].worker.pending }}\`. No edit is lost by that: each update carries the whole pod as the pod manager has it, and this one has the new label as well. Only the oldest start time is kept, for the metric."
          zh: "\`{{ state.pods['slow'].worker.pending }}\`。修改不会因此丢失：每个更新都带着 pod manager 里的整个 Pod，这一个也带着新标签。只有最早的开始时间会留下来，给指标用。"

    - title:
        en: Overwritten again
        zh: 又被覆盖
      text:
        en: |-
          {{ seconds(time) }} s: a second edit has overwritten the \`sync\`. That makes {{ state.pods['slow'].worker.overwrites }} updates that no worker will ever see.

          The channel has still {{ len(first(state.channels, c => c.name == 'podUpdates default/slow-node1').items) }} signal, the one from the first edit. One is enough: the worker that wakes by it reads the newest update.
        zh: |-
          第 {{ seconds(time) }} 秒：第二次修改覆盖了那个 \`sync\`。到此有 {{ state.pods['slow'].worker.overwrites }} 个更新永远不会被 worker 看到。

          通道里仍是 {{ len(first(state.channels, c => c.name == 'podUpdates default/slow-node1').items) }} 个信号，第一次修改时按的。一个就够：worker 被它叫醒，读到的总是最新的更新。
      do:
        - until: "kind == 'pod-update' && pod == 'default/slow-node1'"
          pace: fast
      show: { level: loop, select: { pod: slow }, panel: timeline }
      holds:
        - "updateType == 'update' && overwrote && state.pods['slow'].worker.overwrites == 2"
        - "first(state.channels, c => c.name == 'podUpdates default/slow-node1').sent == 2"
        - "len(first(state.channels, c => c.name == 'podUpdates default/slow-node1').items) == 1"

    - title:
        en: The other pod
        zh: 另一个 Pod
      text:
        en: |-
          \`quick\` came two seconds after \`slow\`, and is \`{{ state.pods['quick'].phase }}\` at {{ seconds(time) }} s. It has a worker of its own, and nothing to wait for.

          \`slow\` is still \`{{ state.pods['slow'].phase }}\`, its \`CreateContainer\` has taken {{ round(seconds(time - values(state.cri.inFlight)[0].since)) }} s so far.
        zh: |-
          \`quick\` 比 \`slow\` 晚来两秒，第 {{ seconds(time) }} 秒已经是 \`{{ state.pods['quick'].phase }}\`。它有自己的 worker，没有什么要等。

          \`slow\` 还是 \`{{ state.pods['slow'].phase }}\`，它的 \`CreateContainer\` 已经花了 {{ round(seconds(time - values(state.cri.inFlight)[0].since)) }} 秒。
      do:
        - until: "kind == 'status' && pod == 'default/quick-node1' && pod.phase == 'Running'"
          pace: fast
      show: { level: loop, select: { pod: quick } }
      holds:
        - "state.pods['quick'].phase == 'Running' && state.pods['slow'].phase == 'Pending'"
        - "len(state.cri.inFlight) == 1 && values(state.cri.inFlight)[0].method == 'CreateContainer'"

    - title:
        en: Three updates came
        zh: 来过三个更新
      ask:
        question:
          en: While its first round lasted, \`slow\` was sent three updates - \`update\`, \`sync\`, \`update\`. How many of them will \`SyncPod\` get to see?
          zh: 第一轮期间，\`slow\` 先后收到三个更新：\`update\`、\`sync\`、\`update\`。\`SyncPod\` 会见到其中几个？
        options:
          - value: 3
            text:
              en: Three, one after the other
              zh: 三个，一个接一个
            wrong:
              en: That would be three rounds with almost the same pod. The slot makes one of them.
              zh: 那就是用几乎同一个 Pod 跑三轮。有了这个槽，就合成一轮。
          - value: 1
            text:
              en: One
              zh: 一个
          - value: 0
            text:
              en: None - they came too early, and the next sync takes its place
              zh: 一个也没有，来得太早，等下一次同步
            wrong:
              en: At the end of a round \`completeWork\` looks at the slot, and what lies there starts the next round at once.
              zh: 一轮结束时 \`completeWork\` 会看槽里有没有东西，有就立刻开始下一轮。
        then:
          - until: "kind == 'work-start' && pod == 'default/slow-node1'"
            pace: fast
        answer: "3 - state.pods['slow'].worker.overwrites"
        right:
          en: Only the last one. The container was started at {{ seconds(first(state.containers, c => c.name == 'app' && c.uid == uid).since) }} s, the round ended, and the next began at once with \`{{ updateType }}\`. The pod with the first edit alone was never synced.
          zh: 只有最后一个。第 {{ seconds(first(state.containers, c => c.name == 'app' && c.uid == uid).since) }} 秒容器启动，这一轮结束，下一轮立刻以 \`{{ updateType }}\` 开始。只有第一次修改的那个版本，从来没有被同步过。

    - name: newer
      title:
        en: Newer than what it did itself
        zh: 要比自己做过的更新
      text:
        en: |-
          The worker has not come far: it waits in \`GetNewerThan\`, and the bound is the end of its previous round, {{ seconds(state.pods['slow'].worker.waitsForNewerThan) }} s.

          For the cache is of {{ seconds(state.pods['slow'].cache.time) }} s and shows {{ len(state.pods['slow'].cache.containers) }} containers. On that view, \`computePodActions\` would start the container a second time.
        zh: |-
          worker 没走多远：它等在 \`GetNewerThan\` 里，界限是上一轮的结束时间，第 {{ seconds(state.pods['slow'].worker.waitsForNewerThan) }} 秒。

          因为缓存还是第 {{ seconds(state.pods['slow'].cache.time) }} 秒的，里面有 {{ len(state.pods['slow'].cache.containers) }} 个容器。照这份视图，\`computePodActions\` 会把容器再启动一次。
      do:
        - until: "kind == 'wait' && goroutine.name == 'podWorker default/slow-node1'"
      show: { level: loop, select: { goroutine: "podWorker default/slow-node1" }, tab: why }
      holds:
        - "any(goroutine.stack, f => f.fn == 'GetNewerThan')"
        - "state.pods['slow'].worker.waitsForNewerThan > state.pods['slow'].cache.time"
        - "len(state.pods['slow'].cache.containers) == 0 && any(state.containers, c => c.uid == state.pods['slow'].uid && c.state == 'running')"

    - title:
        en: How long does it wait?
        zh: 要等多久
      ask:
        question:
          en: The PLEG lists all containers once a second. How long does the worker wait for its newer status here?
          zh: PLEG 每秒列一次所有容器。worker 这次要等多久才有更新的状态？
        options:
          - value: soon
            text:
              en: A few milliseconds
              zh: 几毫秒
          - value: a second
            text:
              en: Until the next relist, most of a second
              zh: 等到下一次 relist，差不多一秒
            wrong:
              en: In older versions it was so, and it still is after a round that did nothing. But this round started a container.
              zh: 旧版本是这样；如今一轮什么也没做时仍是这样。但这一轮启动了容器。
          - value: resync
            text:
              en: Until its resync is due, 60 s or more
              zh: 等到重新同步的时间，60 秒以上
            wrong:
              en: The work queue tells when to begin a round. The worker is in a round already, and needs the PLEG.
              zh: 工作队列管的是什么时候开始一轮。worker 已经在一轮里了，它要的是 PLEG。
        then:
          - until: "kind == 'exit' && fn == 'GetNewerThan'"
        answer: "time - worker.waitsForNewerThan < 100ms ? 'soon' : time - worker.waitsForNewerThan < 2s ? 'a second' : 'resync'"
        right:
          en: "{{ (time - worker.waitsForNewerThan) / 1000 }} ms. A \`SyncPod\` that did something asks, by its \`postSync\`, for a relist of just this pod (gate \`PLEGOnDemandRelist\`). The request had been sent before the worker began to wait."
          zh: "{{ (time - worker.waitsForNewerThan) / 1000 }} 毫秒。做了事情的 \`SyncPod\` 会通过 \`postSync\` 请求只对这个 Pod 做一次 relist（特性门控 \`PLEGOnDemandRelist\`）。worker 还没开始等，请求就已经发出去了。"

    - title:
        en: And where nobody asked
        zh: 没人请求的时候
      text:
        en: |-
          The next round is caused by \`ContainerStarted\`. The round before it did nothing, so it requested nothing, and the worker waited {{ (time - worker.waitsForNewerThan) / 1000 }} ms, until the relist of all pods.

          That is why a worker rarely runs more than one idle round per second, however often it is called.
        zh: |-
          再下一轮由 \`ContainerStarted\` 引起。它前面那一轮什么也没做，也就什么都没请求，所以 worker 等了 {{ (time - worker.waitsForNewerThan) / 1000 }} 毫秒，等到对所有 Pod 的 relist。

          因此不管叫它多勤，worker 空转很少超过每秒一轮。
      do:
        - until: "kind == 'exit' && fn == 'GetNewerThan' && pod == 'default/slow-node1'"
      show: { level: loop, select: { pod: slow }, panel: timeline, source: GetNewerThan }
      holds:
        - "time - worker.waitsForNewerThan > 500ms && time - worker.waitsForNewerThan < 1100ms"
        - { sequence: [{ kind: pleg-event, where: "type == 'ContainerStarted' && name == 'app'" }, { kind: work-start, where: "updateType == 'sync' && pod == 'default/slow-node1'" }, { kind: relist, where: "scope == 'global'" }] }

    - title:
        en: Lose an update
        zh: 丢掉一个更新
      exercise:
        text:
          en: Make \`slow\` lose one more update - let the worker be busy, and have an \`update\` overwritten by the next.
          zh: 让 \`slow\` 再丢一个更新：先让 worker 忙起来，再让一个 \`update\` 被下一个覆盖。
        done:
          - { records: { kind: pod-update, where: "pod == 'default/slow-node1' && overwrote && updateType == 'update'", atLeast: 1 } }
        hint:
          en: Creating its container still takes 6 s. Kill the container, wait for \`CreateContainer\`, then edit the manifest twice.
          zh: 创建它的容器仍然要 6 秒。杀掉容器，等到 \`CreateContainer\`，再把清单改两次。
        solution:
          - kill: { pod: slow, container: app }
          - until: "kind == 'cri-call' && method == 'CreateContainer'"
          - edit: { pod: slow, patch: { metadata: { labels: { edit: "3" } } } }
          - until: "kind == 'pod-update' && updateType == 'update'"
          - edit: { pod: slow, patch: { metadata: { labels: { edit: "4" } } } }
          - until: "kind == 'pod-update' && updateType == 'update'"

    - title:
        en: In short
        zh: 小结
      text:
        en: |-
          One slot with what is wanted now, one signal, one goroutine per pod. \`UpdatePod\` never waits, so the loop does not; the worker may have to, for a view of the runtime that is newer than its own last deed.

          \`slow\` has had {{ state.pods['slow'].worker.overwrites }} updates overwritten by now, and still got the newest pod.
        zh: |-
          一个只放最新要求的槽，一个信号，每个 Pod 一个 goroutine。\`UpdatePod\` 从不等待，所以循环也不等；worker 则可能要等，等一份比自己上次动手更新的运行时视图。

          \`slow\` 到现在有 {{ state.pods['slow'].worker.overwrites }} 个更新被覆盖，拿到的仍是最新的 Pod。
      do:
        - until: "kind == 'work-done' && pod == 'default/slow-node1'"
          pace: fast
      show: { level: loop, select: { pod: slow } }
      holds:
        - "state.pods['slow'].worker.overwrites > 2"
`;

import { type Node, type NodeProps, type NodeTypes, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { type FocusEvent, lazy, type MouseEvent, Suspense, useEffect, useRef } from 'react';
import './styles/tools.css';
import './styles/present.css';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useCounterpart } from '../../run/counterpart.js';
import { narration } from '../../run/narration.js';
import { Steady } from '../../run/pace.js';
import { hasPodKiller } from '../../run/pod-killer.js';
import { trace } from '../../run/trace-store.js';
import { useTrace } from '../../run/use-trace.js';
import { reducedMotion } from '../../ui/use-media.js';
import { ChannelsNode } from './channels-node.js';
import { Far } from './far.js';
import { FollowChip } from './follow-chip.js';
import { useFollowing } from './following.js';
import type { NodeKey } from './geometry/geometry.js';
import { EXTRA_KEYS } from './geometry/geometry-everything.js';
import { type Arrangement, LAYOUTS, nearFrom, plainOf, rectOf } from './geometry/geometry-levels.js';
import type { Rect } from './geometry/geometry-paths.js';
import { STORY_BOXES } from './geometry/geometry-story.js';
import {
  centredOn,
  fitViewport,
  keepInSight,
  levelAtZoom,
  settledViewport,
  showsWhole,
  type Viewport,
} from './geometry/viewport.js';
import { levelNow, reshape, setLevel, useGraph } from './graph-store.js';
import { GraphTools } from './graph-tools.js';
import { arrangementNow, graphView, useArrangement } from './graph-view.js';
import { HandlersNode } from './handlers-node.js';
import { LanesNode } from './lanes/lanes-node.js';
import { Legend } from './legend.js';
import { CRINode, EventsNode, PLEGNode, ProbesNode, StatusNode } from './lower-nodes.js';
import { MarksNode } from './marks-node.js';
import { Minimap } from './minimap.js';
import { spotsOfDecision } from './moves/moves-difference.js';
import type { LaneColumn } from './moves/moves-spots.js';
import { placeOf, placeOfSpot } from './place-of.js';
import { PodKillerNode } from './pod-killer-node.js';
import { SelectNode } from './select-node.js';
import { PodConfigNode, SourceNode } from './source-nodes.js';
import { TokenLayer, tokenAt } from './token-layer.js';
import { WiresNode } from './wires-node.js';

// Each level but the Loop is loaded when it is first shown.
const Story = lazy(async () => ({ default: (await import('./story/story-nodes.js')).StoryNode }));
const Extra = lazy(async () => ({ default: (await import('./everything/extra-node.js')).ExtraNode }));
/** Loaded by pages that follow a presenter who points at something. */
const PresentedPointer = lazy(async () => ({ default: (await import('./presented-pointer.js')).PresentedPointer }));
const StoryBoxNode = (props: NodeProps) => (
  <Suspense fallback={null}>
    <Story {...props} />
  </Suspense>
);
const ExtraBoxNode = (props: NodeProps) => (
  <Suspense fallback={null}>
    <Extra {...props} />
    {props.id === EXTRA_KEYS[0] && <Drawn />}
  </Suspense>
);
/** Shows the selection once the boxes of Everything are drawn: it may be one of them. */
function Drawn() {
  useEffect(() => graphView.reveal(), []);
  return null;
}

// This is at module level because React Flow mounts everything again when this object changes.
const nodeTypes: NodeTypes = {
  wires: WiresNode,
  marks: MarksNode,
  file: SourceNode,
  http: SourceNode,
  api: SourceNode,
  podConfig: PodConfigNode,
  channels: ChannelsNode,
  select: SelectNode,
  handlers: HandlersNode,
  lanes: LanesNode,
  status: StatusNode,
  events: EventsNode,
  probes: ProbesNode,
  pleg: PLEGNode,
  cri: CRINode,
  podKiller: PodKillerNode,
  ...Object.fromEntries(STORY_BOXES.map((box) => [`story-${box}`, StoryBoxNode])),
  ...Object.fromEntries(EXTRA_KEYS.map((key) => [key, ExtraBoxNode])),
} satisfies Record<NodeKey, NodeTypes[string]> & NodeTypes;

const node = (id: string, r: Rect, zIndex = 0): Node => ({
  id,
  type: id,
  position: { x: r.x, y: r.y },
  width: r.w,
  height: r.h,
  data: {},
  zIndex,
});
/** Makes the nodes of an arrangement; each reads from the trace what changes. */
const nodesOf = (arrangement: Arrangement): Node[] => {
  const { world, boxes } = LAYOUTS[arrangement];
  return [node('wires', world, -1), ...boxes.map((b) => node(b.id, b.rect)), node('marks', world, 5)];
};

/** Returns how much panels over the graph cover of it, CSS px; a sheet that covers all of it counts as nothing. */
function covered(stage: Element): { left: number; right: number } {
  const bounds = stage.getBoundingClientRect();
  const panels = [...document.querySelectorAll('.sl-left, .sl-inspector')].map((p) => p.getBoundingClientRect());
  const over = { left: 0, right: 0 };
  for (const p of panels) {
    if (p.right <= bounds.left || p.left >= bounds.right) continue;
    if (p.left <= bounds.left) over.left = Math.max(over.left, p.right - bounds.left);
    else over.right = Math.max(over.right, bounds.right - p.left);
  }
  return over.left + over.right > bounds.width * 0.8 ? { left: 0, right: 0 } : over;
}

/** Room that the tools take at the upper edge, CSS px. */
const TOOLS = 38;
const TRAVEL_MILLIS = 200;

function View() {
  const flow = useReactFlow();
  const box = useRef<HTMLDivElement>(null);
  /** The user moved the view: it is no longer fitted by itself. */
  const touched = useRef(false);
  /** Goes to the level that a zoom leads to. Returns true if that was fitted, so that the zoom itself is over. */
  const cross = useRef((_zoom: number): boolean => false);
  const t = useT();
  const arrangement = useArrangement();
  const podKiller = useTrace(hasPodKiller);
  useEffect(() => useGraph.setState({ podKiller }), [podKiller]);
  const first = useRef(nodesOf(arrangement));
  const legend = useGraph((s) => s.legend);
  const minimap = useGraph((s) => s.minimap);
  const pointed = useGraph((s) => s.pointer !== null);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    // The map has no room below panels.
    const size = () => {
      const { left, right } = covered(element);
      return { w: element.clientWidth - left - right, h: element.clientHeight - TOOLS };
    };
    const layout = () => {
      const at = LAYOUTS[arrangementNow()];
      // The overview of Everything is there at any size: far away boxes show their names alone.
      return at.smallest < 1 ? at : { ...at, smallest: nearFrom(useGraph.getState().presenting) };
    };
    /** The view that a smooth move leads to, and until when it is on the way. */
    let aim = { v: flow.getViewport(), until: 0 };
    const move = (to: Viewport, smooth = true) => {
      const duration = smooth && !reducedMotion() ? TRAVEL_MILLIS : 0;
      const v = { ...to, x: to.x + covered(element).left, y: to.y + TOOLS };
      aim = { v, until: duration > 0 ? performance.now() + duration : 0 };
      void flow.setViewport(v, { duration });
    };
    // On the way, what is in sight now may not be so at its end.
    const viewport = () => {
      const v = performance.now() < aim.until ? aim.v : flow.getViewport();
      return { ...v, x: v.x - covered(element).left, y: v.y - TOOLS };
    };
    /** Returns the part that is shown if the whole cannot be: the place of the event, else the pods. */
    const focus = () => {
      const { record } = narration;
      const now = arrangementNow();
      return (useUI.getState().follow && record && placeOf(record, now)) || rectOf(now, 'lanes');
    };
    const showing = (v: Viewport): Viewport => {
      const at = focus();
      return (at && !showsWhole(size(), layout()) && keepInSight(v, size(), at)) || v;
    };
    const fit = () => {
      touched.current = false;
      move(showing(fitViewport(size(), layout())), false);
    };
    /** The column of the selected pod's lane that is looked for. */
    let column: LaneColumn | undefined;
    /** Returns false if the selection is not drawn. */
    const reveal = (): boolean => {
      const { selection } = useUI.getState();
      const spot = column && selection?.kind === 'pod' && ({ at: 'lane', uid: selection.uid, column } as const);
      const place = spot && element.dataset.far === undefined ? placeOfSpot(spot, arrangementNow()) : null;
      if (place) {
        see(place);
        return true;
      }
      const marked = element.querySelectorAll(
        '.react-flow__node :is([aria-pressed=true], [aria-selected=true]):not(.sl-strip-sort *)',
      );
      // Far away the contents of boxes are not drawn.
      const selected = [...marked].find((one) => one.getBoundingClientRect().width > 0);
      // A box is selected by its title, and kept in sight as a whole.
      const whole = selected?.matches('.sl-part-title') ? selected.closest('.sl-part') : null;
      const at = (whole ?? selected)?.getBoundingClientRect();
      if (!at) return selection === null;
      if (element.dataset.far === undefined) see(onMap(at));
      else bringNear(onMap(at));
      return true;
    };
    /** Returns the place on the map of what is drawn there. */
    const onMap = (at: DOMRect): Rect => {
      const { x, y, zoom } = flow.getViewport();
      const bounds = element.getBoundingClientRect();
      return {
        x: (at.left - bounds.left - x) / zoom,
        y: (at.top - bounds.top - y) / zoom,
        w: at.width / zoom,
        h: at.height / zoom,
      };
    };
    /** Shows a place at a zoom at which its box has more than its name. */
    const bringNear = ({ x, y, w, h }: Rect) => {
      touched.current = true;
      const zoom = nearFrom(useGraph.getState().presenting);
      move(centredOn({ x: 0, y: 0, zoom }, size(), { x: x + w / 2, y: y + h / 2 }));
    };
    let soon = 0;
    /**
     * Reveals the selection once it, or a new arrangement, is drawn. On a busy machine that is some frames later; what
     * is not drawn then is not of this level.
     */
    const revealSoon = (frames = 60) => {
      cancelAnimationFrame(soon);
      soon = requestAnimationFrame(() => {
        soon = requestAnimationFrame(() => {
          if (!reveal() && frames > 0) revealSoon(frames - 1);
        });
      });
    };
    /** The Loop stands in Everything where it stood: what is around it comes into sight, and nothing moves. */
    let keepsView = false;
    cross.current = (zoom) => {
      const level = levelNow();
      const next = levelAtZoom(level, zoom, fitViewport(size(), layout()).zoom);
      if (next === level) return false;
      keepsView = next === 'everything';
      setLevel(next);
      const fitted = !keepsView;
      keepsView = false;
      return fitted;
    };
    graphView.mount({
      fit,
      zoom: (by) => {
        touched.current = true;
        const zoom = flow.getZoom() * by;
        if (!cross.current(zoom)) void flow.zoomTo(zoom, { duration: reducedMotion() ? 0 : 120 });
      },
      reveal: (of) => {
        column = of;
        revealSoon();
      },
      near: (at) => {
        if (element.dataset.far !== undefined) bringNear(onMap(at));
      },
      focus: (target) => {
        // The browser has scrolled the map to the focus, which React Flow undoes a moment later.
        for (const scrolled of [element, element.querySelector('.react-flow')]) scrolled?.scrollTo(0, 0);
        const next = keepInSight(viewport(), size(), onMap(target.getBoundingClientRect()));
        if (next) move(next, false);
      },
      worldAt: (at) => flow.screenToFlowPosition(at, { snapToGrid: false }),
    });
    let shown = arrangementNow();
    const rearrange = () => {
      const now = arrangementNow();
      if (now === shown) return;
      const alike = plainOf(now) === plainOf(shown);
      shown = now;
      flow.setNodes(nodesOf(now));
      // One box more or less leaves the rest in its place, and the view with it.
      if (!alike && !keepsView) fit();
    };
    let settled = false;
    const settle = () => {
      // A user who moved the view keeps it.
      if (!settled) fit();
      else if (!touched.current) move(showing(settledViewport(viewport(), size(), layout())), false);
      settled = true;
      revealSoon();
    };
    const observer = new ResizeObserver(() => {
      reshape();
      settle();
    });
    observer.observe(element);
    // A panel that is loaded when it is first opened covers the map later than it was asked for.
    const panels = new MutationObserver(() => requestAnimationFrame(settle));
    for (const place of ['.sl-app', '.sl-main']) {
      const parent = element.closest(place);
      if (parent) panels.observe(parent, { childList: true });
    }
    const see = (place: Rect | null) => {
      const next = place && keepInSight(viewport(), size(), place);
      if (next) move(next);
    };
    const unlisten = [
      useGraph.subscribe((s, before) => {
        if (s.presenting !== before.presenting) fit();
        else rearrange();
      }),
      useUI.subscribe((s, before) => {
        if (s.selection !== before.selection) column = undefined;
        if (s.selection !== before.selection && s.selection !== null) revealSoon();
        // In a small window panels lie over the map, which then does not get another size.
        if (s.left !== before.left || s.inspectorOpen !== before.inspectorOpen) requestAnimationFrame(settle);
      }),
      // If the graph does not fit into the view, the view moves to the record that is narrated.
      narration.subscribe((_, record) => {
        if (useUI.getState().follow && record && useFollowing.getState().root === 0)
          see(placeOf(record, arrangementNow()));
      }),
      // So does the place of a difference that the user goes to.
      useCounterpart.subscribe(({ difference }, before) => {
        if (!difference || difference.text === before.difference?.text) return;
        const [spot] = spotsOfDecision(trace.state, difference.decision);
        if (spot) see(placeOfSpot(spot, arrangementNow()));
      }),
      // A record that the user follows comes first.
      useFollowing.subscribe(({ spot }, before) => {
        if (spot && spot !== before.spot) see(placeOfSpot(spot, arrangementNow()));
      }),
    ];
    return () => {
      observer.disconnect();
      panels.disconnect();
      cancelAnimationFrame(soon);
      for (const stop of unlisten) stop();
      graphView.mount(null);
    };
  }, [flow]);

  /** A click on a token follows it. */
  const onClickCapture = (event: MouseEvent) => {
    const bounds = box.current?.getBoundingClientRect();
    const seq = bounds ? tokenAt(event.clientX - bounds.left, event.clientY - bounds.top) : null;
    if (seq === null) return;
    event.stopPropagation();
    runCommand('view.followItem', seq);
  };
  /** The view follows the focus of a keyboard user. */
  const onFocus = ({ target }: FocusEvent) => {
    if (target.closest('.react-flow__node') && target.matches(':focus-visible')) graphView.focus(target);
  };

  /** A text that is cut for lack of room shows the whole when it is pointed at. */
  const onMouseOver = (event: MouseEvent) => {
    const stop = box.current;
    for (let e = event.target as HTMLElement | null; e && e !== stop; e = e.parentElement) {
      if (e.title !== '' && e.dataset.whole === undefined) return;
      const cut = e.clientWidth > 0 && e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX === 'hidden';
      if (cut && !e.matches('.sl-part, .sl-lanes, .sl-strip')) {
        e.dataset.whole = '';
        e.title = e.innerText;
        return;
      }
      if (e.dataset.whole !== undefined) {
        delete e.dataset.whole;
        e.title = '';
      }
    }
  };

  return (
    <section
      ref={box}
      className="sl-graph u-absolute u-hidden-overflow"
      aria-label={t('region.graph')}
      data-arrangement={plainOf(arrangement)}
      data-loop={LAYOUTS[arrangement].loop !== null || undefined}
      data-testid="graph"
      onClickCapture={onClickCapture}
      onDoubleClick={(event) => graphView.near(new DOMRect(event.clientX, event.clientY))}
      onFocus={onFocus}
      onMouseOver={onMouseOver}
    >
      <GraphTools />
      <Steady.Provider value={plainOf(arrangement) === 'everything'}>
        <ReactFlow
          defaultNodes={first.current}
          nodeTypes={nodeTypes}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          panOnScroll
          onMove={(event, { zoom }) => {
            if (!event) return;
            touched.current = true;
            cross.current(zoom);
          }}
          zoomOnDoubleClick={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          panActivationKeyCode={null}
          zoomActivationKeyCode={['Meta', 'Control']}
          minZoom={0.3}
          maxZoom={3}
          proOptions={{ hideAttribution: true }}
        >
          {pointed && (
            <Suspense fallback={null}>
              <PresentedPointer />
            </Suspense>
          )}
        </ReactFlow>
      </Steady.Provider>
      <Far stage={box} />
      <TokenLayer />
      {minimap && (
        <Minimap
          onMove={() => {
            touched.current = true;
          }}
        />
      )}
      <div className="sl-graph-corner u-column u-start u-gap-8 u-absolute u-no-pointer">
        {legend && <Legend />}
        <FollowChip />
      </div>
    </section>
  );
}

export function Graph() {
  return (
    <ReactFlowProvider>
      <View />
    </ReactFlowProvider>
  );
}

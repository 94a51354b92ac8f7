import { type Node, type NodeTypes, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { reducedMotion } from '../../app-logic/settings.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../store/ui-store.js';
import { NODES, type NodeKey, WORLD } from '../../view-logic/geometry.js';
import { fitViewport, keepInSight, showsWhole } from '../../view-logic/viewport.js';
import { narration } from '../narrator/narration.js';
import { ChannelsNode } from './channels-node.js';
import { graphView } from './graph-view.js';
import { HandlersNode } from './handlers-node.js';
import { LanesNode } from './lanes-node.js';
import { CRINode, PLEGNode, ProbesNode, StatusNode } from './lower-nodes.js';
import { placeOf } from './place-of.js';
import { SelectNode } from './select-node.js';
import { PodConfigNode, SourceNode } from './source-nodes.js';
import { TokenLayer } from './token-layer.js';
import { WiresNode } from './wires-node.js';

// At module level: React Flow mounts everything anew when this object changes.
const nodeTypes: NodeTypes = {
  wires: WiresNode,
  file: SourceNode,
  http: SourceNode,
  api: SourceNode,
  podConfig: PodConfigNode,
  channels: ChannelsNode,
  select: SelectNode,
  handlers: HandlersNode,
  lanes: LanesNode,
  status: StatusNode,
  probes: ProbesNode,
  pleg: PLEGNode,
  cri: CRINode,
};

const node = (id: string, r: { x: number; y: number; w: number; h: number }, zIndex = 0): Node => ({
  id,
  type: id,
  position: { x: r.x, y: r.y },
  width: r.w,
  height: r.h,
  data: {},
  zIndex,
});
/** Authored once; what changes is read by each node from the trace. */
const nodes: Node[] = [
  node('wires', WORLD, -1),
  ...(Object.keys(NODES) as NodeKey[]).map((key) => node(key, NODES[key])),
];

function View() {
  const flow = useReactFlow();
  const box = useRef<HTMLDivElement>(null);
  /** The user moved the view: it is no longer fitted by itself. */
  const touched = useRef(false);
  /** It went to where something happened. */
  const followed = useRef(false);
  const t = useT();

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const size = () => ({ w: element.clientWidth, h: element.clientHeight });
    const fit = () => {
      touched.current = false;
      followed.current = false;
      void flow.setViewport(fitViewport(size()));
    };
    graphView.mount({
      fit,
      zoom: (by) => {
        touched.current = true;
        void flow.zoomTo(flow.getZoom() * by, { duration: reducedMotion() ? 0 : 120 });
      },
    });
    const observer = new ResizeObserver(() => {
      // On a small screen the view has gone somewhere; a line more below the graph must not send it back.
      if (!touched.current && (!followed.current || showsWhole(size()))) fit();
    });
    observer.observe(element);
    // On a screen too small for the whole, the view goes to where it happens.
    const unlisten = narration.subscribe((_, record) => {
      if (!useUI.getState().follow || !record) return;
      const place = placeOf(record);
      const next = place && keepInSight(flow.getViewport(), size(), place);
      if (!next) return;
      followed.current = true;
      void flow.setViewport(next, { duration: reducedMotion() ? 0 : 200 });
    });
    return () => {
      observer.disconnect();
      unlisten();
      graphView.mount(null);
    };
  }, [flow]);

  return (
    <section ref={box} className="sl-graph" aria-label={t('region.graph')} data-testid="graph">
      <ReactFlow
        defaultNodes={nodes}
        nodeTypes={nodeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        panOnScroll
        onMove={(event) => {
          if (event) touched.current = true;
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
      />
      <TokenLayer />
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

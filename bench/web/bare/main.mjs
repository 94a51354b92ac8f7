/**
 * A page of React Flow and nothing else, as full as our graph at the level Everything with 110 pods: as many nodes with
 * as many elements, a chain of edges, and in each frame the text of an element for each pod.
 */
import '@xyflow/react/dist/style.css';
import { Handle, Position, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { createElement as h, memo, useEffect } from 'react';
import { createRoot } from 'react-dom/client';

const NODES = 42;
const PARTS = 45;
const PODS = 110;
const COLUMNS = 7;

const Box = memo(function Box({ data }) {
  const parts = data.parts.map((text, i) => h('span', { key: i, style: { display: 'inline-block', margin: 1 } }, text));
  return h(
    'div',
    { style: { width: 220, padding: 4, border: '1px solid #888', borderRadius: 4, font: '10px sans-serif' } },
    h(Handle, { type: 'target', position: Position.Left }),
    parts,
    h(Handle, { type: 'source', position: Position.Right }),
  );
});

const nodeTypes = { box: Box };
const nodes = Array.from({ length: NODES }, (_, i) => ({
  id: String(i),
  type: 'box',
  position: { x: (i % COLUMNS) * 280, y: Math.floor(i / COLUMNS) * 180 },
  data: { parts: Array.from({ length: PARTS }, (_, n) => `p${n}`) },
}));
const edges = nodes.slice(1).map(({ id }, i) => ({ id: `${i}-${id}`, source: String(i), target: id }));

function Changes() {
  const { setNodes } = useReactFlow();
  useEffect(() => {
    let turn = 0;
    const frame = () => {
      const changed = new Map();
      for (let i = 0; i < PODS; i++, turn++) {
        const node = String(turn % NODES);
        changed.set(node, [...(changed.get(node) ?? []), Math.floor(turn / NODES) % PARTS]);
      }
      setNodes((all) =>
        all.map((node) => {
          const places = changed.get(node.id);
          if (!places) return node;
          const parts = node.data.parts.map((text, i) => (places.includes(i) ? `${turn % 1000}` : text));
          return { ...node, data: { parts } };
        }),
      );
      requestAnimationFrame(frame);
    };
    const first = requestAnimationFrame(frame);
    return () => cancelAnimationFrame(first);
  }, [setNodes]);
  return null;
}

const flow = h(
  ReactFlow,
  { defaultNodes: nodes, defaultEdges: edges, nodeTypes, fitView: true, minZoom: 0.1 },
  h(Changes),
);
createRoot(document.getElementById('root')).render(h(ReactFlowProvider, null, flow));

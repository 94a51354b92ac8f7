import { ErrorBoundary } from '../../ui/error-boundary.js';
import { Graph } from './graph.js';

/** The graph in the middle of the page. */
export const GraphStage = () => (
  <ErrorBoundary where="region.graph">
    <Graph />
  </ErrorBoundary>
);

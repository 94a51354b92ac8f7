import { useUI } from '../../page/ui-store.js';
import { ErrorBoundary } from '../../ui/error-boundary.js';
import { Inspector } from './inspector.js';

/** The inspector in its column of the page. */
export function InspectorColumn() {
  const inspected = useUI((s) => `${s.inspectorTab} ${JSON.stringify(s.selection)}`);
  return (
    <ErrorBoundary where="region.inspector" area="inspector" of={inspected}>
      <Inspector />
    </ErrorBoundary>
  );
}
